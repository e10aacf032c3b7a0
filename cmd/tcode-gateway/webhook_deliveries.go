package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/outbound/webhook"
)

// deliveryLine is a delivery as the commands print it.
type deliveryLine struct {
	ID         string     `json:"id"`
	Webhook    string     `json:"webhookId"`
	Type       string     `json:"type"`
	State      string     `json:"state"`
	Tries      int        `json:"tries"`
	Status     int        `json:"status,omitempty"` // of the last answer
	Reason     string     `json:"reason,omitempty"`
	CreatedAt  time.Time  `json:"createdAt"`
	DueAt      *time.Time `json:"dueAt,omitempty"`
	FinishedAt *time.Time `json:"finishedAt,omitempty"`
}

func deliveryLineOf(d webhook.Delivery) deliveryLine {
	line := deliveryLine{
		ID: d.ID, Webhook: d.Endpoint, Type: string(d.Type), State: string(d.State), Tries: d.Tries, Status: d.Status, Reason: d.Reason,
		CreatedAt: d.CreatedAt.UTC(), FinishedAt: optionalTime(d.FinishedAt),
	}
	if d.State == webhook.Waiting {
		line.DueAt = optionalTime(d.DueAt)
	}
	return line
}

// tryLine is one try as the commands print it.
type tryLine struct {
	Number    int       `json:"number"`
	At        time.Time `json:"at"`
	Took      int64     `json:"tookMs"`
	Delivered bool      `json:"delivered"`
	Status    int       `json:"status,omitempty"`
	Reason    string    `json:"reason,omitempty"`
}

func tryLineOf(t webhook.Try) tryLine {
	return tryLine{t.Number, t.At.UTC(), t.Took.Milliseconds(), t.OK(), t.Status, t.Reason}
}

// words describes the outcome of a try.
func (l tryLine) words() string {
	switch {
	case l.Delivered:
		return fmt.Sprintf("taken with status %d after %d ms", l.Status, l.Took)
	case l.Status != 0:
		return fmt.Sprintf("status %d after %d ms: %s", l.Status, l.Took, l.Reason)
	}
	return fmt.Sprintf("no answer after %d ms: %s", l.Took, l.Reason)
}

type webhookDeliveriesCmd struct {
	ofTenant
	ID    string `arg:"" help:"The webhook's id, or the id of one delivery, to see its tries." placeholder:"ID"`
	State string `help:"Only those that are waiting, delivered or failed." enum:",waiting,delivered,failed" default:"" placeholder:"STATE"`
	Limit int    `help:"Number of rows. Default: ${default}." default:"50" placeholder:"N"`
}

// states maps the flag's words to states of deliveries.
var states = map[string]webhook.State{"waiting": webhook.Waiting, "delivered": webhook.Delivered, "failed": webhook.Failed}

// Run shows deliveries, or tries.
func (w *webhookDeliveriesCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	if w.Limit < 1 || w.Limit > webhook.MaxList {
		return cli.Usage("--limit: want 1 to %d", webhook.MaxList)
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if _, tries, err := g.Webhooks.Delivery(ctx, w.Tenant, w.ID); err == nil {
			return w.tries(out, tries)
		}
		list, err := g.Webhooks.Deliveries(ctx, w.Tenant, w.ID, states[w.State], w.Limit)
		if err != nil {
			return err
		}
		return cli.List(out, linesOf(list, deliveryLineOf), "no deliveries", []string{"id", "event", "state", "tries", "status", "created", "reason"}, func(l deliveryLine) []string {
			status := "-"
			if l.Status != 0 {
				status = strconv.Itoa(l.Status)
			}
			return []string{l.ID, l.Type, l.State, strconv.Itoa(l.Tries), status, l.CreatedAt.Format(time.RFC3339), orDash(l.Reason)}
		})
	})
}

func (w *webhookDeliveriesCmd) tries(out cli.Output, tries []webhook.Try) error {
	return cli.List(out, linesOf(tries, tryLineOf), "no tries yet", []string{"try", "at", "outcome"}, func(l tryLine) []string {
		return []string{strconv.Itoa(l.Number), l.At.Format(time.RFC3339), l.words()}
	})
}

type webhookRedeliverCmd struct {
	ofTenant
	ID    string    `arg:"" help:"The delivery to send again; with --since the webhook of the failed ones." placeholder:"ID"`
	Since time.Time `help:"Send again all failed ones made since then, such as 2026-11-20T00:00:00Z." placeholder:"TIME"`
}

// Run requeues deliveries.
func (w *webhookRedeliverCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) (err error) {
		n := 1
		if w.Since.IsZero() {
			err = g.Webhooks.Redeliver(ctx, w.Tenant, w.ID)
		} else {
			n, err = g.Webhooks.RedeliverFailed(ctx, w.Tenant, w.ID, w.Since)
		}
		if err != nil {
			return err
		}
		return out.Emit(map[string]int{"deliveries": n}, func(to io.Writer) {
			fmt.Fprintf(to, "%d queued again, for the serving gateway to deliver\n", n)
		})
	})
}
