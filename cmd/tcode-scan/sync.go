package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/offline/contain"
	"tcode/offline/trustbook"
	"tcode/sync/outbox"
	"tcode/sync/uplink"
)

type syncCmd struct {
	Gateway string        `help:"Address of the gateway. Default: the one enrolled with." env:"TCODE_GATEWAY" placeholder:"URL"`
	APIKey  string        `help:"API key, for attribution only; scans are accepted without." env:"TCODE_API_KEY" placeholder:"KEY"`
	Requeue bool          `help:"First requeue scans that a gateway has rejected, if it was wrong or was not the gateway."`
	Follow  bool          `help:"Stay: send new scans, and refresh the trust documents, until interrupted."`
	Every   time.Duration `help:"With --follow: interval between refreshes of the trust documents; 5 s at least." default:"30s" env:"TCODE_REFRESH_EVERY"`
}

func (c *syncCmd) Help() string {
	return `A scan is done only on the gateway's signed receipt. After any error it is sent again, and it counts once.
A scan that the gateway rejects permanently is kept and listed ("history --state dead"), and the exit code is 1.
With --follow this scanner learns of a revocation within a minute.`
}

func (c *syncCmd) Run(ctx context.Context, a *app) error {
	err := c.run(ctx, a)
	if outbox.IsDamaged(err) && ctx.Err() == nil {
		// Opening the outbox again repairs it.
		fmt.Fprintf(a.std.Err, "tcode-scan: %v; repairing\n", err)
		err = c.run(ctx, a)
	}
	return err
}

func (c *syncCmd) run(ctx context.Context, a *app) error {
	dev, err := a.openDevice(ctx, offline.Policy{}, nil)
	if err != nil {
		return err
	}
	defer dev.Close()
	up, err := dev.Uplink(ctx, c.Gateway, c.APIKey)
	if errors.Is(err, trustbook.ErrNotEnrolled) {
		return fmt.Errorf("%w: run tcode-scan enrol first", err)
	}
	if err != nil {
		return err
	}
	if c.Requeue {
		if err := requeue(ctx, dev); err != nil {
			return err
		}
	}
	if c.Follow {
		return c.follow(ctx, a, dev, up)
	}
	report, flushErr := up.FlushNow(ctx)
	if errors.Is(flushErr, uplink.ErrReceipt) && newRoot(ctx, dev, c.Gateway) {
		report, flushErr = up.FlushNow(ctx)
	}
	if outbox.IsDamaged(flushErr) {
		return flushErr
	}
	if err := emitSync(ctx, a, dev, report, flushErr); err != nil {
		return err
	}
	if flushErr == nil && report.Dead > 0 {
		return cli.Exit(cli.CodeFailed, fmt.Errorf("%d scans were rejected: see tcode-scan history --state dead, or send them again with --requeue", report.Dead))
	}
	if flushErr == nil && report.Refused > 0 {
		return cli.Exit(cli.CodeFailed, fmt.Errorf("%d scans wait because the gateway, or a proxy before it, refuses their request without a signed answer", report.Refused))
	}
	if waiting, err := pausedScans(ctx, dev); flushErr == nil && (waiting > 0 || err != nil) {
		if err != nil {
			return err
		}
		return cli.Exit(cli.CodeFailed, fmt.Errorf("%d scans wait because the gateway, or a proxy before it, has asked for a pause, of an hour at most: run sync again later, or sync --follow", waiting))
	}
	if lost, err := lostScans(ctx, dev); flushErr == nil && (lost > 0 || err != nil) {
		if err != nil {
			return err
		}
		return cli.Exit(cli.CodeFailed, fmt.Errorf("%d recorded scans were lost by damage: see tcode-scan history, and history --seen to take note", lost))
	}
	return flushErr
}

// pausedScans counts the scans that wait for the end of a pause.
func pausedScans(ctx context.Context, dev *device.Device) (waiting int, err error) {
	paused, err := dev.Outbox.Paused(ctx, time.Now())
	if err != nil || !paused {
		return 0, err
	}
	counts, err := dev.Outbox.Counts(ctx)
	return counts.Queued + counts.Inflight, err
}

// lostScans returns the number of scans lost by damage that no operator has
// taken note of.
func lostScans(ctx context.Context, dev *device.Device) (lost int, err error) {
	repairs, err := dev.Outbox.Repairs(ctx)
	for _, r := range repairs {
		if !r.Seen {
			lost += r.Lost
		}
	}
	return lost, err
}

// newRoot refreshes and reports whether a new root came: an online key that
// this device does not know yet may have signed a receipt that does not verify.
func newRoot(ctx context.Context, dev *device.Device, gateway string) bool {
	report, err := dev.Refresh(ctx, gateway)
	return err == nil && report.Changes.Roots > 0
}

// requeue requeues every rejected scan. A scan whose row is damaged remains
// dead.
func requeue(ctx context.Context, dev *device.Device) error {
	for before := uint64(0); ; {
		rows, err := dev.Outbox.History(ctx, outbox.Filter{State: outbox.Dead, Before: before, Limit: 500})
		if err != nil || len(rows) == 0 {
			return err
		}
		var ids []string
		for _, row := range rows {
			before = row.Scan.Seq
			if !row.Damaged {
				ids = append(ids, row.Scan.ScanID)
			}
		}
		if err := dev.Outbox.Requeue(ctx, ids...); err != nil {
			return fmt.Errorf("requeue rejected scans: %w", err)
		}
	}
}

// follow sends and refreshes until it is interrupted, and prints each round.
func (c *syncCmd) follow(ctx context.Context, a *app, dev *device.Device, up *uplink.Uplink) error {
	return c.both(ctx, a, dev, up, func(r uplink.Report, err error) error { return emitSync(ctx, a, dev, r, err) })
}

// both sends and refreshes concurrently: neither waits for the other. It calls
// report after each round; an error of report ends both.
func (c *syncCmd) both(ctx context.Context, a *app, dev *device.Device, up *uplink.Uplink, report func(uplink.Report, error) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	log := a.grammar.Logger(a.std.Err)
	hurry := make(chan struct{}, 1)
	refreshed := contain.Start("refreshes", func() error {
		for {
			err := contain.Do("refresh", func() error { _, err := dev.Follow(ctx, c.Gateway); return err })
			if err != nil && ctx.Err() == nil {
				log.WarnContext(ctx, "refresh trust documents", slog.Any("err", err))
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(pause(c.Every)):
			case <-hurry:
			}
		}
	})
	var printErr error
	err := up.Run(ctx, func(r uplink.Report, err error) {
		if err != nil {
			log.WarnContext(ctx, "send scans", slog.Any("err", err))
		}
		if errors.Is(err, uplink.ErrReceipt) {
			select {
			case hurry <- struct{}{}: // to fetch the root that names the new online key
			default:
			}
		}
		if printErr = report(r, err); printErr != nil {
			cancel()
		}
	})
	cancel()
	<-refreshed
	return errors.Join(err, printErr)
}

// pause returns the time until the next refresh: about every, with a random
// part, so that devices that came back together do not stay together.
func pause(every time.Duration) time.Duration {
	every = max(every, 5*time.Second)
	return every*9/10 + rand.N(every/5)
}

// A syncView is the answer of sync: the results of this round, and the rest.
type syncView struct {
	Sent      int    `json:"sent"`
	Accepted  int    `json:"accepted"`
	Duplicate int    `json:"duplicate"`
	Conflict  int    `json:"conflict"`
	Changed   int    `json:"changed"`
	Rejected  int    `json:"rejected"`
	Waiting   int    `json:"waiting"`
	Lost      int    `json:"lost"`            // by damage of the history, until an operator has taken note
	Told      int    `json:"clockEventsTold"` // corrections of the clock that the gateway has now
	Error     string `json:"error,omitempty"`
}

func emitSync(ctx context.Context, a *app, dev *device.Device, r uplink.Report, failed error) error {
	counts, err := dev.Outbox.Counts(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	lost, err := lostScans(context.WithoutCancel(ctx), dev)
	if err != nil {
		return err
	}
	view := syncView{
		Sent: r.Sent, Accepted: r.Done - r.Duplicate - r.Conflict, Duplicate: r.Duplicate, Conflict: r.Conflict,
		Changed: r.Changed, Rejected: r.Dead, Waiting: counts.Queued + counts.Inflight, Lost: lost, Told: r.Told,
	}
	if failed != nil {
		view.Error = failed.Error()
	}
	return a.out.Emit(view, view.print)
}

func (v syncView) print(w io.Writer) {
	fmt.Fprintf(w, "%d scans sent: %d accepted, %d the gateway had already, %d rejected, %d waiting\n",
		v.Sent, v.Accepted, v.Duplicate, v.Rejected, v.Waiting)
	if v.Told > 0 {
		fmt.Fprintf(w, "%d corrections of the clock told to the gateway\n", v.Told)
	}
	if v.Lost > 0 {
		fmt.Fprintf(w, "%d recorded scans are lost: see tcode-scan history\n", v.Lost)
	}
	if v.Changed > 0 {
		fmt.Fprintf(w, "%d of them the gateway judges otherwise today: see tcode-scan history\n", v.Changed)
	}
	if v.Conflict > 0 {
		fmt.Fprintf(w, "%d scans collide with others under the same id; the gateway keeps both\n", v.Conflict)
	}
}
