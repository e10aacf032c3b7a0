package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/platform/jobs"
)

// A jobLine is background work as the commands print it.
type jobLine struct {
	ID     string    `json:"id"`
	Kind   string    `json:"kind"`
	Tenant string    `json:"tenantReference,omitempty"`
	State  string    `json:"state"`
	Input  string    `json:"input,omitempty"`
	Ends   int       `json:"ends,omitempty"`   // of its process by it
	Reason string    `json:"reason,omitempty"` // how it ended its process
	Since  time.Time `json:"since"`
}

func jobLineOf(t jobs.Task) jobLine {
	return jobLine{
		ID: t.ID(), Kind: string(t.Kind), Tenant: t.Tenant, State: string(t.State), Input: t.Input, Ends: t.Ends, Reason: t.Reason, Since: t.Since.UTC(),
	}
}

// why returns how it ended its process, in words.
func (l jobLine) why() string {
	switch {
	case l.Ends == 0:
		return "-"
	case strings.HasSuffix(l.ID, "/"+jobs.Failures):
		return "failed " + strconv.Itoa(l.Ends) + " times: " + l.Reason
	case l.Ends == 1:
		return "stopped the gateway once: " + l.Reason
	}
	return "stopped the gateway " + strconv.Itoa(l.Ends) + " times: " + l.Reason
}

type jobListCmd struct {
	Tenant string `help:"Only work of this tenant." placeholder:"REF"`
	Kind   string `help:"Only bulk (bulk jobs), batch (orders to change many records), webhook, mail, publication, privacy (erasures, and deletion of old data and files) or expiry (of Trust documents)." enum:",bulk,batch,webhook,mail,publication,privacy,expiry" default:"" placeholder:"KIND"`
	State  string `help:"Only what is due, running, suspect (it may have stopped a gateway, or fails) or set-aside (it stopped the gateway twice or failed too often, and is not tried again)." enum:",due,running,suspect,set-aside" default:"" placeholder:"STATE"`
	Limit  int    `help:"Number of rows of each kind. Default: ${default}." default:"100" placeholder:"N"`
}

// Run shows the work.
func (j *jobListCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		list, err := g.Tasks(ctx, jobs.TaskFilter{Tenant: j.Tenant, Kind: jobs.Kind(j.Kind), State: jobs.TaskState(j.State), Limit: j.Limit})
		if err != nil {
			return err
		}
		return cli.List(out, linesOf(list, jobLineOf), "no work waits", []string{"id", "kind", "tenant", "state", "input", "reason", "since"}, func(l jobLine) []string {
			return []string{l.ID, l.Kind, orDash(l.Tenant), l.State, orDash(l.Input), l.why(), l.Since.Format(time.RFC3339)}
		})
	})
}

type jobShowCmd struct {
	ID string `arg:"" help:"The work, as job list shows it." placeholder:"ID"`
}

// Run shows the work and its items that ended their process.
func (j *jobShowCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		list, err := g.TasksOf(ctx, j.ID)
		if err != nil {
			return err
		}
		for _, l := range linesOf(list, jobLineOf) {
			err := out.Emit(l, func(w io.Writer) {
				fmt.Fprintf(w, "id      %s\nkind    %s\ntenant  %s\nstate   %s\ninput   %s\nreason  %s\nsince   %s\n",
					l.ID, l.Kind, orDash(l.Tenant), l.State, orDash(l.Input), l.why(), l.Since.Format(time.RFC3339))
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

type jobCancelCmd struct {
	ID string `arg:"" help:"The work, as job list shows it: a bulk job, an order, a message, a webhook (which is disabled), or ID/ITEM for one item that is not to be tried again." placeholder:"ID"`
}

// Run cancels the work.
func (j *jobCancelCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if err := g.CancelTask(ctx, j.ID); err != nil {
			return err
		}
		return out.Emit(map[string]string{"id": j.ID}, func(w io.Writer) { fmt.Fprintf(w, "%s is cancelled\n", j.ID) })
	})
}

type jobRetryCmd struct {
	ID string `arg:"" help:"The work, as job list shows it: a bulk job that is over (its rows that did not succeed), ORDER/RECORD, WEBHOOK/DELIVERY, a message, or work of the gateway's own." placeholder:"ID"`
}

// Run has the work done again.
func (j *jobRetryCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if err := g.RetryTask(ctx, j.ID); err != nil {
			return err
		}
		return out.Emit(map[string]string{"id": j.ID}, func(w io.Writer) { fmt.Fprintf(w, "%s is tried again, by the serving gateway\n", j.ID) })
	})
}
