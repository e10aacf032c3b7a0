package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"tcode/cmd/internal/cli"
	"tcode/server/client"
	"tcode/server/httpapi/api"
)

// hookID names an endpoint in a command.
type hookID struct {
	ID string `arg:"" help:"Id of the endpoint, as \"webhook list\" shows it."`
}

type (
	webhookListCmd   struct{}
	webhookCreateCmd struct {
		URL    string   `required:"" help:"Address of the receiver." placeholder:"URL"`
		Events []string `help:"Events, such as stamp.revoked or document.*, separated by commas. Default: all." placeholder:"EVENTS"`
	}
	webhookChangeCmd struct {
		hookID
		URL    string   `help:"New address." placeholder:"URL"`
		Events []string `help:"New events, separated by commas." placeholder:"EVENTS"`
	}
	webhookEnableCmd     struct{ hookID }
	webhookDisableCmd    struct{ hookID }
	webhookRemoveCmd     struct{ hookID }
	webhookRotateCmd     struct{ hookID }
	webhookTestCmd       struct{ hookID }
	webhookDeliveriesCmd struct {
		hookID
		State string `help:"Only in this state: Waiting, Delivered or Failed." placeholder:"STATE"`
		Limit int    `help:"Number of deliveries; 0: all. Default: ${default}." default:"20" placeholder:"N"`
	}
	webhookRedeliverCmd struct {
		hookID
		Delivery string `arg:"" optional:"" help:"Id of the delivery. Without it: all that failed."`
		Since    string `help:"Only those that were made since this time, such as 2026-11-20T12:00:00Z." placeholder:"TIME"`
	}
)

// Run lists the endpoints.
func (c *webhookListCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	res, err := cl.ListWebhooksWithResponse(ctx)
	if err := client.Check(err, res); err != nil {
		return err
	}
	return cli.List(a.out, res.JSON200.Items, "no webhooks yet: tcode webhook create --url URL", []string{"id", "state", "taken, 24 h", "failures", "events", "url"}, func(h api.Webhook) []string {
		n := h.LastDay
		return []string{h.Id.String(), string(h.State), fmt.Sprintf("%d of %d", n.Delivered, n.Delivered+n.Waiting+n.Failed), fmt.Sprint(h.Failures), strings.Join(h.Events, ","), h.Url}
	})
}

// Run makes an endpoint.
func (c *webhookCreateCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	body := api.WebhookRequest{Url: c.URL}
	if len(c.Events) > 0 {
		body.Events = &c.Events
	}
	res, err := cl.CreateWebhookWithResponse(ctx, &api.CreateWebhookParams{IdempotencyKey: onceKey()}, body)
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.hookSecret(res.JSON201.Data)
}

// hookSecret prints an endpoint with its secret: id and secret alone go to standard output.
func (a *app) hookSecret(h api.NewWebhook) error {
	return a.out.Emit(h, func(w io.Writer) {
		secret := ""
		if h.Secret != nil {
			secret = *h.Secret
		}
		fmt.Fprintf(w, "%s %s\n", h.Id, secret)
		fmt.Fprintln(a.std.Err, "This is the only time the secret is shown. Receivers check signatures with it.")
	})
}

// hook prints an endpoint after a change.
func (a *app) hook(h api.Webhook) error {
	return a.out.Emit(h, func(w io.Writer) {
		fmt.Fprintf(w, "✓ %s is %s: %s to %s\n", h.Id, h.State, strings.Join(h.Events, ","), cli.Printable(h.Url))
	})
}

// Run changes an endpoint.
func (c *webhookChangeCmd) Run(ctx context.Context, a *app) error {
	body := api.WebhookPatch{Url: optional(c.URL)}
	if len(c.Events) > 0 {
		body.Events = &c.Events
	}
	if body.Url == nil && body.Events == nil {
		return cli.Usage("nothing to change: give --url or --events")
	}
	cl, id, err := a.ask(c.ID)
	if err != nil {
		return err
	}
	res, err := cl.PatchWebhookWithResponse(ctx, id, body)
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.hook(res.JSON200.Data)
}

// Run enables an endpoint.
func (c *webhookEnableCmd) Run(ctx context.Context, a *app) error {
	cl, id, err := a.ask(c.ID)
	if err != nil {
		return err
	}
	res, err := cl.EnableWebhookWithResponse(ctx, id)
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.hook(res.JSON200.Data)
}

// Run disables an endpoint.
func (c *webhookDisableCmd) Run(ctx context.Context, a *app) error {
	cl, id, err := a.ask(c.ID)
	if err != nil {
		return err
	}
	res, err := cl.DisableWebhookWithResponse(ctx, id)
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.hook(res.JSON200.Data)
}

// Run removes an endpoint.
func (c *webhookRemoveCmd) Run(ctx context.Context, a *app) error {
	cl, id, err := a.ask(c.ID)
	if err != nil {
		return err
	}
	res, err := cl.DeleteWebhookWithResponse(ctx, id)
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.done("id", id.String(), "removed", "is removed")
}

// Run gives an endpoint a new secret.
func (c *webhookRotateCmd) Run(ctx context.Context, a *app) error {
	cl, id, err := a.ask(c.ID)
	if err != nil {
		return err
	}
	res, err := cl.RotateWebhookSecretWithResponse(ctx, id)
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.hookSecret(res.JSON200.Data)
}

// Run sends a ping. The exit code is 1 if the receiver did not take it.
func (c *webhookTestCmd) Run(ctx context.Context, a *app) error {
	cl, id, err := a.ask(c.ID)
	if err != nil {
		return err
	}
	res, err := cl.TestWebhookWithResponse(ctx, id)
	if err := client.Check(err, res); err != nil {
		return err
	}
	t := res.JSON200.Data
	err = a.out.Emit(t, func(w io.Writer) {
		if t.Delivered && t.Status != nil {
			fmt.Fprintf(w, "✓ taken with status %d after %d ms\n", *t.Status, t.TookMs)
			return
		}
		fmt.Fprintf(w, "✗ not taken after %d ms: %s\n", t.TookMs, cli.Printable(orDash(t.Reason)))
	})
	if err == nil && !t.Delivered {
		err = cli.Exit(cli.CodeFailed, nil)
	}
	return err
}

// Run shows deliveries.
func (c *webhookDeliveriesCmd) Run(ctx context.Context, a *app) error {
	cl, id, err := a.ask(c.ID)
	if err != nil {
		return err
	}
	var state *api.ListWebhookDeliveriesParamsState
	if c.State != "" {
		s := api.ListWebhookDeliveriesParamsState(c.State)
		state = &s
	}
	list, err := allPages(c.Limit, func(page *api.Page, size *api.PageSize) ([]api.WebhookDelivery, bool, error) {
		res, err := cl.ListWebhookDeliveriesWithResponse(ctx, id, &api.ListWebhookDeliveriesParams{State: state, Page: page, PageSize: size})
		if err := client.Check(err, res); err != nil {
			return nil, false, err
		}
		return res.JSON200.Items, res.JSON200.HasNext, nil
	})
	if err != nil {
		return err
	}
	return cli.List(a.out, list, "no such deliveries", []string{"id", "event", "state", "tries", "status", "next", "created"}, func(d api.WebhookDelivery) []string {
		status := "-"
		if d.Status != nil {
			status = fmt.Sprint(*d.Status)
		}
		return []string{d.Id.String(), d.Type, string(d.State), fmt.Sprint(d.Tries), status, minute(d.DueAt), minute(&d.CreatedAt)}
	})
}

// Run sends deliveries again.
func (c *webhookRedeliverCmd) Run(ctx context.Context, a *app) error {
	var since *time.Time
	if c.Since != "" {
		at, err := time.Parse(time.RFC3339, c.Since)
		if err != nil {
			return cli.Usage("--since %q: want a time such as 2026-11-20T12:00:00Z", c.Since)
		}
		since = &at
	}
	cl, id, err := a.ask(c.ID)
	if err != nil {
		return err
	}
	if c.Delivery != "" {
		delivery, err := uuid.Parse(c.Delivery)
		if err != nil {
			return cli.Usage("%q is no id of a delivery", c.Delivery)
		}
		res, err := cl.RedeliverWebhookWithResponse(ctx, id, delivery)
		if err := client.Check(err, res); err != nil {
			return err
		}
		if res.StatusCode() != http.StatusNoContent {
			return client.ErrNotGateway
		}
		return a.done("id", c.Delivery, "Waiting", "is sent again")
	}
	res, err := cl.RedeliverFailedWebhooksWithResponse(ctx, id, api.WebhookRedeliverRequest{Since: since})
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.out.Emit(res.JSON200.Data, func(w io.Writer) { fmt.Fprintf(w, "✓ %d deliveries are sent again\n", res.JSON200.Data.Count) })
}
