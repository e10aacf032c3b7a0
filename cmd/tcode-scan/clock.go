package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/sync/devicetime"
	"tcode/sync/outbox"
)

type clockShowCmd struct{}

// clockView is the answer of `clock`.
type clockView struct {
	DeviceClock time.Time       `json:"deviceClock"`
	Now         time.Time       `json:"now"` // the time that verdicts use
	Basis       offline.Basis   `json:"basis"`
	Suspect     bool            `json:"clockSuspect"`
	Reading     offline.Reading `json:"reading"` // the device's clock compared with other sources
	Proof       time.Time       `json:"lastProof,omitzero"`
	Live        bool            `json:"proofLive"`               // taken since this device started
	Document    time.Time       `json:"newestDocument,omitzero"` // date of the timestamp document
	Floor       time.Time       `json:"documentFloor,omitzero"`  // the highest such date that counts
	Scan        time.Time       `json:"newestScan,omitzero"`     // that counts
	Dated       bool            `json:"documentDated"`           // its date is reliable
	Stale       bool            `json:"stale"`                   // the trust state is not known to be fresh
	AgeSeconds  *int64          `json:"statusAgeSeconds"`        // null: unknown
	Events      []clockEvent    `json:"events"`                  // newest first
	lowered     bool
	Advice      string `json:"advice,omitempty"` // what to do
}

// clockEvent is one correction, in `clock` and in `history`.
type clockEvent struct {
	ID        string    `json:"eventId"`
	Kind      string    `json:"event"`
	At        time.Time `json:"at"`           // the time that was proven or confirmed
	Was       time.Time `json:"was,omitzero"` // the latest date that it contradicts
	Scans     int       `json:"scans"`        // dated ahead
	Documents uint64    `json:"trustVersion"` // of the timestamp document dated ahead; 0: none
	Told      bool      `json:"told"`         // the gateway has it, by a receipt
}

func eventOf(e outbox.ClockEvent) clockEvent {
	return clockEvent{ID: e.ID, Kind: e.Kind, At: e.At, Was: e.Was, Scans: e.Scans, Documents: e.Documents, Told: e.Told}
}

// words describes the event for people.
func (e clockEvent) words() string {
	text := "a proof of time showed that a clock had run ahead"
	if e.Kind == outbox.ClockConfirmed {
		text = "an operator confirmed this device's clock"
	}
	if !e.Was.IsZero() {
		text += ", up to " + when(e.Was)
	}
	if e.Scans > 0 {
		text += fmt.Sprintf("; %d scans were dated ahead", e.Scans)
	}
	if e.Documents > 0 {
		text += fmt.Sprintf("; trust documents up to version %d were dated ahead", e.Documents)
	}
	return text
}

func (c *clockShowCmd) Run(ctx context.Context, a *app) error {
	dev, err := a.reading(ctx)
	if err != nil {
		return err
	}
	defer dev.Close()
	return a.emitClock(ctx, dev)
}

func (a *app) emitClock(ctx context.Context, dev *device.Device) error {
	r, err := dev.Time(ctx)
	if err != nil {
		return err
	}
	view := clockViewOf(r)
	return a.out.Emit(view, view.print)
}

func clockViewOf(r devicetime.Report) clockView {
	_, live := r.Proof.Now(r.Boot)
	v := clockView{
		DeviceClock: r.Clock.Now.UTC().Truncate(time.Second), Now: r.Timing.Now.UTC().Truncate(time.Second), Basis: r.Basis,
		Suspect: r.Suspect, Reading: r.Reading, Proof: r.Proof.Time, Live: live, Document: r.StatusAsOf, Floor: r.Floor,
		Scan: r.NewestScan, Dated: r.Dated, Stale: r.Stale, lowered: r.Proof.Boot.ID == "", Events: []clockEvent{}, Advice: clockAdvice(r),
	}
	if r.Known {
		seconds := int64(r.Age / time.Second)
		v.AgeSeconds = &seconds
	}
	for _, e := range r.Events {
		v.Events = append(v.Events, eventOf(e))
	}
	return v
}

// clockAdvice returns advice about the time; empty: none.
func clockAdvice(r devicetime.Report) string {
	const refresh = `run "tcode-scan trust refresh" where the gateway can be reached: it proves the time`
	switch {
	case r.Held && !r.Dated && !(r.Suspect && r.Basis == offline.DeviceClock):
		return "the trust documents were dated by a clock that ran ahead, so their age is unknown: " + refresh + " and brings new ones"
	case r.Basis == offline.Proven && r.Suspect:
		return "set this device's clock: verdicts use the proven time until the device restarts"
	case r.Suspect:
		return refresh + `. Without a gateway set the clock right, and if a date above was wrong, run "tcode-scan clock confirm"`
	case !r.Held:
		return "enrol, or import a trust file: this device has no trust documents yet"
	}
	return ""
}

func (v clockView) print(w io.Writer) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-15s %s\n", label, trust.Escape(fmt.Sprintf(format, args...)))
	}
	fits := map[offline.Reading]string{
		offline.ClockFits: "", offline.ClockBehindProof: "; WRONG: behind the proven time", offline.ClockAheadOfProof: "; WRONG: ahead of the proven time",
		offline.ClockBelowProof: "; WRONG: before the last proof", offline.ClockBelowDocument: "; WRONG: before the newest trust document",
		offline.ClockBelowScan: "; WRONG: before the newest scan",
	}
	line("device clock", "%s%s", when(v.DeviceClock), fits[v.Reading])
	if v.Basis == offline.Proven {
		line("proven time", "%s, by the gateway and the clock that counts since this device started", when(v.Now))
	} else {
		line("proven time", "none since this device started: verdicts use the device's clock")
	}
	date := func(label string, t time.Time, note string) {
		if t.IsZero() {
			line(label, "none")
			return
		}
		line(label, "%s%s", when(t), note)
	}
	lowered := ""
	if v.lowered {
		lowered = "; lowered by an operator"
	}
	date("last proof", v.Proof, lowered)
	ahead := ""
	if !v.Document.IsZero() && !v.Dated {
		ahead = "; dated by a clock that ran ahead"
	}
	date("newest document", v.Document, ahead)
	if !v.Floor.IsZero() && !v.Floor.Equal(v.Document) {
		date("document floor", v.Floor, "")
	}
	date("newest scan", v.Scan, "")
	for _, e := range v.Events {
		line("corrected", "%s: %s", when(e.At), e.words())
	}
	if v.Advice != "" {
		line("advice", "%s", v.Advice)
	}
}

type clockConfirmCmd struct {
	Time    string `arg:"" optional:"" help:"The present time, from a source you trust: 2026-11-20T19:31:00Z. This device's clock must agree with it to within 10 minutes." placeholder:"TIME"`
	Yes     bool   `help:"Confirm this device's clock as it is, without giving the time."`
	Despite bool   `name:"despite-proof" help:"Also against a later time that the gateway has proven to this device, if the gateway's clock ran ahead then."`
}

func (c *clockConfirmCmd) Help() string {
	return `A clock that ran ahead leaves scans and trust documents with future dates. Until those dates have passed, this device assumes that its clock is wrong. The gateway's proof of time corrects that ("trust refresh", "sync"). On a device that never reaches the gateway, a person must confirm the clock.

The command marks scans and documents with later dates, which then no longer count against the clock, and records the correction in the history. It proves nothing: verdicts use the device's clock, and --require-proven-time refuses them as before.`
}

func (c *clockConfirmCmd) Run(ctx context.Context, a *app) error {
	if c.Yes == (c.Time != "") {
		return cli.Usage("give the time, or --yes to confirm this device's clock as it is (tcode-scan clock shows it)")
	}
	dev, err := a.openDevice(ctx, offline.Policy{}, nil)
	if err != nil {
		return err
	}
	defer dev.Close()
	at := dev.Now().UTC()
	if c.Time != "" {
		said, err := time.Parse(time.RFC3339, c.Time)
		if err != nil {
			return cli.Usage("%q is not a time such as %s", c.Time, at.Format(time.RFC3339))
		}
		if d := said.Sub(at); d.Abs() > trust.ClockTolerance {
			return fmt.Errorf("this device's clock says %s, not %s: set it first, then confirm it", when(at), when(said))
		}
	}
	before, err := dev.Time(ctx)
	if err != nil {
		return err
	}
	if before.Basis == offline.Proven {
		return errors.New("the gateway has proven the time since this device started: there is nothing to confirm")
	}
	err = dev.Confirm(ctx, at, c.Despite)
	if errors.Is(err, trustbook.ErrBelowProof) {
		return cli.WithHint(err, "Most likely this device's clock is wrong. If the gateway's clock ran ahead when it proved that, confirm with --despite-proof.")
	}
	if errors.Is(err, trustbook.ErrNotEnrolled) {
		return fmt.Errorf("%w: run tcode-scan enrol, or import a trust file", err)
	}
	if err != nil {
		return err
	}
	return a.emitClock(ctx, dev)
}
