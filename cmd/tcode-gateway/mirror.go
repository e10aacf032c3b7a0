package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/server"
)

type mirrorCmd struct {
	Dir   string        `arg:"" help:"Folder to write to: the document root of a web server, or a folder that is copied there." type:"path" placeholder:"DIR"`
	Every time.Duration `help:"Stay, and write new files at this interval, until interrupted. Default: write once." placeholder:"DURATION"`
}

// Help explains the purpose of the files.
func (m *mirrorCmd) Help() string {
	return `Scanners enrol and refresh from a mirror as from a gateway: tcode-scan enrol --gateway https://MIRROR. Nothing there is secret, and
scanners check every signature. A mirror can withhold new documents, and it proves no time: scanners take both into account.
File names are versions or hashes of the content, so files never change, except "timestamp". Copy that last:
  rsync -a --exclude timestamp DIR/ HOST:WEB/ && rsync -a DIR/ HOST:WEB/
The command removes files that have not been published for a day.`
}

// A mirrorLine is the output of mirror.
type mirrorLine struct {
	Version uint64 `json:"trustVersion"`
	Files   int    `json:"files"`
	Written int    `json:"written"`
	Removed int    `json:"removed"`
}

func (l mirrorLine) print(w io.Writer) {
	fmt.Fprintf(w, "Version %d: %d files, %d of them new, %d old ones removed\n", l.Version, l.Files, l.Written, l.Removed)
}

// Run writes the mirror.
func (m *mirrorCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		once := func(prune bool) error {
			r, err := g.Mirror(ctx, m.Dir, prune)
			if err != nil {
				return err
			}
			if line := mirrorLine(r); m.Every <= 0 || line.Written > 0 {
				return out.Emit(line, line.print)
			}
			return nil
		}
		if err := once(true); err != nil || m.Every <= 0 {
			return err
		}
		log, pruned := c.LogFlags.Logger(std.Err), time.Now()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(max(m.Every, time.Second)):
			}
			prune := time.Since(pruned) >= time.Hour
			if prune {
				pruned = time.Now()
			}
			if err := once(prune); err != nil && ctx.Err() == nil { // the gateway may be unavailable for a while
				log.WarnContext(ctx, "write mirror", slog.Any("err", err))
			}
		}
	})
}
