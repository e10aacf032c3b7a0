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
	"tcode/offline/host/cache"
	"tcode/offline/trust"
	"tcode/sync/outbox"
)

type clockShowCmd struct{}

// clockView is the answer of `clock`.
type clockView struct {
	DeviceClock time.Time       `json:"deviceClock"`
	Now         time.Time       `json:"now"` // what verdicts go by
	Basis       offline.Basis   `json:"basis"`
	Suspect     bool            `json:"clockSuspect"`
	Reading     offline.Reading `json:"reading"` // how the device's clock fits what is known
	Proof       time.Time       `json:"lastProof,omitzero"`
	Live        bool            `json:"proofLive"`               // taken since this device started
	Document    time.Time       `json:"newestDocument,omitzero"` // date of the timestamp document
	Floor       time.Time       `json:"documentFloor,omitzero"`  // the highest such date that counts
	Scan        time.Time       `json:"newestScan,omitzero"`     // that counts
	Dated       bool            `json:"documentDated"`           // its date says something
	Stale       bool            `json:"stale"`                   // what is trusted is not known to be fresh
	AgeSeconds  *int64          `json:"statusAgeSeconds"`        // null: unknown
	Events      []clockEvent    `json:"events"`                  // newest first
	lowered     bool
	Advice      string `json:"advice,omitempty"` // what to do
}

// clockEvent is one correction, in `clock` and in `history`.
type clockEvent struct {
	ID        string    `json:"eventId"`
	Kind      string    `json:"event"`
	At        time.Time `json:"at"`           // the time that was proven, or vouched for
	Was       time.Time `json:"was,omitzero"` // the latest date that it contradicts
	Scans     int       `json:"scans"`        // dated ahead
	Documents uint64    `json:"trustVersion"` // of the timestamp document dated ahead; 0: none
	Told      bool      `json:"told"`         // a receipt says that the gateway has it
}

func eventOf(e outbox.ClockEvent) clockEvent {
	return clockEvent{ID: e.ID, Kind: e.Kind, At: e.At, Was: e.Was, Scans: e.Scans, Documents: e.Documents, Told: e.Told}
}

// words say what the event was, for people.
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

func clockViewOf(r device.ClockReport) clockView {
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

// clockAdvice says what to do about the time; empty: nothing.
func clockAdvice(r device.ClockReport) string {
	const refresh = `run "tcode-scan trust refresh" where the gateway can be reached: it proves the time`
	switch {
	case r.Held && !r.Dated && !(r.Suspect && r.Basis == offline.DeviceClock):
		return "the trust documents were dated by a clock that ran ahead, so nobody knows how old they are: " + refresh + " and brings new ones"
	case r.Basis == offline.Proven && r.Suspect:
		return "set this device's clock: verdicts go by the proven time until the device starts anew"
	case r.Suspect:
		return refresh + `. Without a gateway set the clock right, and if a date above was wrong, run "tcode-scan clock confirm"`
	case !r.Held:
		return "enrol, or import a trust file: there is nothing yet whose age would matter"
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
		line("proven time", "none since this device started: verdicts go by the device's clock")
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
	Time    string `arg:"" optional:"" help:"The time that it is, from a source you trust: 2026-11-20T19:31:00Z. It must be this device's clock to within 10 minutes." placeholder:"TIME"`
	Yes     bool   `help:"Vouch for this device's clock as it is, without saying the time."`
	Despite bool   `name:"despite-proof" help:"Also where the gateway has proven a later time to this device, for when its clock ran ahead then."`
}

func (c *clockConfirmCmd) Help() string {
	return `A clock that once ran ahead leaves dates behind that are yet to come: scans, trust documents. Until then this device believes its clock is wrong. The gateway's proof of time corrects that ("trust refresh", "sync"). A device that never hears from the gateway needs somebody who vouches for its clock.

Scans and documents dated later are marked and kept, and count no longer against the clock. It is written into the history. It proves nothing: verdicts go by the device's clock, and --require-proven-time refuses them as before.`
}

func (c *clockConfirmCmd) Run(ctx context.Context, a *app) error {
	if c.Yes == (c.Time != "") {
		return cli.Usage("say what time it is, or give --yes to vouch for this device's clock as it is (tcode-scan clock shows it)")
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
			return cli.Usage("%q is no time such as %s", c.Time, at.Format(time.RFC3339))
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
	if errors.Is(err, cache.ErrBelowProof) {
		return cli.WithHint(err, "Most likely this device's clock is wrong. If the gateway's clock ran ahead when it proved that, confirm with --despite-proof.")
	}
	if errors.Is(err, cache.ErrNotEnrolled) {
		return fmt.Errorf("%w: run tcode-scan enrol, or import a trust file", err)
	}
	if err != nil {
		return err
	}
	return a.emitClock(ctx, dev)
}
