package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/fault"
	"tcode/server/outbound/webhook"
)

// ofTenant is the flag that all of these commands have.
type ofTenant struct {
	Tenant string `help:"The webhook's tenant." required:"" placeholder:"REF"`
}

// ofWebhook names one webhook.
type ofWebhook struct {
	ofTenant
	ID string `arg:"" help:"The webhook's id, see webhook list." placeholder:"ID"`
}

// sending holds the flag of commands that check addresses.
type sending struct {
	AllowPrivate bool `name:"webhooks-allow-private" help:"As for serve: addresses may be private and without TLS." env:"TCODE_WEBHOOKS_ALLOW_PRIVATE"`
}

// with is [command.with] for these commands.
func (s sending) with(ctx context.Context, c *command, std cli.Streams, do func(g *server.Gateway, out cli.Output) error) error {
	c.webhooksAllowPrivate = s.AllowPrivate
	return c.with(ctx, std, do)
}

// webhookLine is a webhook as the commands print it.
type webhookLine struct {
	Tenant       string     `json:"tenantReference"`
	ID           string     `json:"id"`
	URL          string     `json:"url"`
	Events       []string   `json:"events"`
	State        string     `json:"state"`
	Reason       string     `json:"reason,omitempty"`
	Failures     int        `json:"failures"` // tries in a row that failed
	FailingSince *time.Time `json:"failingSince,omitempty"`
	CreatedAt    time.Time  `json:"createdAt"`
	OldUntil     *time.Time `json:"oldSecretUntil,omitempty"`
	Secret       string     `json:"secret,omitempty"` // of create and rotate-secret only
}

func webhookLineOf(e webhook.Endpoint) webhookLine {
	return webhookLine{
		Tenant: e.Tenant, ID: e.ID, URL: e.URL, Events: e.Events, State: string(e.State), Reason: e.Reason, Failures: e.Failures,
		FailingSince: optionalTime(e.Since), CreatedAt: e.CreatedAt.UTC(), OldUntil: optionalTime(e.OldUntil),
	}
}

type webhookCreateCmd struct {
	ofTenant
	sending
	URL    string   `name:"url" help:"Where to send events: https, on the public internet." required:"" placeholder:"URL"`
	Events []string `help:"Events to send: stamp.revoked, stamp.*, document.*, bulk.*, scan.*, device.flagged, key.rotated; separated by commas. Default: everything." placeholder:"LIST"`
}

// Run makes the webhook.
func (w *webhookCreateCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return w.with(ctx, c, std, func(g *server.Gateway, out cli.Output) error {
		e, secret, err := g.Webhooks.Create(ctx, w.Tenant, w.URL, w.Events)
		if f, ok := errors.AsType[*fault.Fault](err); ok && f.Fields["url"] != nil && !w.AllowPrivate {
			return cli.WithHint(err, "For receivers in your own network: --webhooks-allow-private, also for serve.")
		}
		if err != nil {
			return err
		}
		return emitSecret(out, std, e, secret)
	})
}

// emitSecret prints a webhook with its new secret; stdout holds only the part
// that a script needs.
func emitSecret(out cli.Output, std cli.Streams, e webhook.Endpoint, secret string) error {
	line := webhookLineOf(e)
	line.Secret = secret
	return out.Emit(line, func(w io.Writer) {
		fmt.Fprintf(w, "%s %s\n", e.ID, secret)
		fmt.Fprintln(std.Err, "This is the only time the secret is shown. Receivers check signatures with it.")
	})
}

type webhookListCmd struct{ ofTenant }

// Run shows the webhooks.
func (w *webhookListCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		list, err := g.Webhooks.List(ctx, w.Tenant)
		if err != nil {
			return err
		}
		return cli.List(out, linesOf(list, webhookLineOf), "no webhooks yet: tcode-gateway webhook create --tenant "+w.Tenant+" --url ...",
			[]string{"id", "state", "events", "url", "reason"}, func(l webhookLine) []string {
				return []string{l.ID, l.State, strings.Join(l.Events, ","), l.URL, orDash(l.Reason)}
			})
	})
}

type webhookEnableCmd struct{ ofWebhook }

// Run enables the webhook.
func (w *webhookEnableCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		return emitState(out)(g.Webhooks.Enable(ctx, w.Tenant, w.ID))
	})
}

type webhookDisableCmd struct{ ofWebhook }

// Run disables the webhook.
func (w *webhookDisableCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		return emitState(out)(g.Webhooks.Disable(ctx, w.Tenant, w.ID))
	})
}

func emitState(out cli.Output) func(webhook.Endpoint, error) error {
	return func(e webhook.Endpoint, err error) error {
		if err != nil {
			return err
		}
		return out.Emit(webhookLineOf(e), func(w io.Writer) { fmt.Fprintf(w, "%s is %s\n", e.ID, e.State) })
	}
}

type webhookRemoveCmd struct{ ofWebhook }

// Run removes the webhook.
func (w *webhookRemoveCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if err := g.Webhooks.Remove(ctx, w.Tenant, w.ID); err != nil {
			return err
		}
		return out.Emit(map[string]string{"id": w.ID, "state": "removed"}, func(to io.Writer) { fmt.Fprintf(to, "%s is removed\n", w.ID) })
	})
}

type webhookRotateCmd struct{ ofWebhook }

// Run changes the secret.
func (w *webhookRotateCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		e, secret, err := g.Webhooks.RotateSecret(ctx, w.Tenant, w.ID)
		if err != nil {
			return err
		}
		return emitSecret(out, std, e, secret)
	})
}

type webhookTestCmd struct {
	ofWebhook
	sending
}

// errNotTaken makes a failed test an error, for scripts.
var errNotTaken = errors.New("the receiver did not accept the ping")

// Run sends a ping.
func (w *webhookTestCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return w.with(ctx, c, std, func(g *server.Gateway, out cli.Output) error {
		t, err := g.Webhooks.Test(ctx, w.Tenant, w.ID)
		if err != nil {
			return err
		}
		line := tryLineOf(t)
		if err := out.Emit(line, func(to io.Writer) { fmt.Fprintln(to, line.words()) }); err != nil || t.OK() {
			return err
		}
		return errNotTaken
	})
}
