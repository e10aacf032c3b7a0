package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/fault"
	"tcode/server/platform/keyring"
	"tcode/server/tenant"
)

// run executes one command line.
func run(ctx context.Context, args []string, std cli.Streams) error {
	var c command
	kctx, err := cli.Parse("tcode-gateway", description, &c, args, std)
	if err != nil {
		return err
	}
	return explain(c.Config.Locate(cli.Run(tenant.WithBy(ctx, operator()), kctx, std, &c)))
}

// operator returns the actor that the audit log names for a command's changes.
func operator() tenant.By {
	by := tenant.By{Actor: tenant.ActorOperator}
	if u, err := user.Current(); err == nil { // some containers have no user
		by.Name = u.Username
	}
	return by
}

// config returns the configuration with which every command opens the data folder.
func (c *command) config(std cli.Streams) server.Config {
	return server.Config{
		Data: c.Data, DatabaseURL: c.Database, BlobURL: c.Blobs, AdoptFiles: c.adoptFiles, MasterKeyset: os.Getenv(keyring.EnvName), Log: c.LogFlags.Logger(std.Err),
		Token: keyring.TokenConfig{Module: c.Module, Label: c.Token, PIN: os.Getenv(keyring.PINEnvName)}, WebhooksAllowPrivate: c.webhooksAllowPrivate,
	}
}

// output returns the destination of the command's answer.
func (c *command) output(std cli.Streams) cli.Output { return cli.Output{W: std.Out, JSON: c.JSON} }

// with opens the data folder for one operator's command, even while a gateway
// serves it.
func (c *command) with(ctx context.Context, std cli.Streams, do func(g *server.Gateway, out cli.Output) error) (err error) {
	g, err := server.Open(ctx, c.config(std))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	return do(g, c.output(std))
}

// explain converts a service's fault to a sentence for the operator.
func explain(err error) error {
	if errors.Is(err, server.ErrNoGateway) {
		return cli.Exit(cli.CodeConfig, err)
	}
	var f *fault.Fault
	if !errors.As(err, &f) {
		return err
	}
	if f.Kind == fault.Internal {
		return err
	}
	message := f.Message
	for _, field := range sortedKeys(f.Fields) {
		for _, m := range f.Fields[field] {
			message += fmt.Sprintf("\n  %s: %s", field, m)
		}
	}
	var advice interface{ Hint() string }
	if errors.As(err, &advice) {
		return cli.WithHint(errors.New(message), advice.Hint())
	}
	return errors.New(message)
}

// linesOf returns one printed line for each member of list.
func linesOf[E, L any](list []E, line func(E) L) []L {
	lines := make([]L, len(list))
	for i, e := range list {
		lines[i] = line(e)
	}
	return lines
}
