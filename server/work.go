package server

import (
	"context"
	"errors"
	"io"
	"os/signal"
	"syscall"

	"tcode/server/platform/jobs"
)

// Work is the work of a process that [Config.Apart] started: it opens the gateway of c and
// does the background work that the serving gateway orders on in, until in ends.
func Work(ctx context.Context, c Config, in io.Reader, out io.Writer) (err error) {
	// A supervisor may signal all processes of a gateway. The gateway says when this one ends.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	c.Init = false
	if c.DatabaseConnections = MinConnections; c.DatabaseURL == "" {
		c.DatabaseConnections = 0
	}
	g, err := Open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	g.recordFaults()
	return jobs.Serve(context.WithoutCancel(ctx), in, out, g.handlers())
}
