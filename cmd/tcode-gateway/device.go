package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/verify"
)

type deviceListCmd struct {
	Flagged bool `help:"Only devices with a flag."`
}

// deviceLine is a device as it is printed.
type deviceLine struct {
	ScannerID   string     `json:"scannerId"`
	Name        string     `json:"name"`
	FirstAt     time.Time  `json:"firstAt,omitzero"` // gateway clock; absent: it has sent nothing
	LastAt      time.Time  `json:"lastAt,omitzero"`
	LastSeq     uint64     `json:"lastSeq"`
	Scans       int        `json:"scans"`
	Flag        string     `json:"flag"` // seq_reused, seq_went_back or empty
	FlagSeq     uint64     `json:"flagSeq,omitempty"`
	FlagScan    string     `json:"flagScanId,omitempty"`
	FlagOther   string     `json:"flagOtherScanId,omitempty"`
	FlagCount   int        `json:"flagCount,omitempty"`
	FlaggedAt   *time.Time `json:"flaggedAt,omitempty"`
	LastCleared *time.Time `json:"clearedAt,omitempty"`
	ClockEvents int        `json:"clockEvents"`       // corrections of its clock that it has reported
	Refused     string     `json:"refused,omitempty"` // the reason
	RefusedAt   *time.Time `json:"refusedAt,omitempty"`
}

func deviceLineOf(d verify.Device) deviceLine {
	line := deviceLine{
		ScannerID: d.ScannerID, FirstAt: d.FirstAt.UTC(), LastAt: d.LastAt.UTC(), LastSeq: d.LastSeq, Scans: d.Scans,
		Flag: string(d.Flag), FlagSeq: d.FlagSeq, FlagScan: d.FlagScan, FlagOther: d.FlagOther, FlagCount: d.FlagCount,
		ClockEvents: d.ClockEvents, Name: d.Name, Refused: d.Refused,
	}
	for to, at := range map[**time.Time]time.Time{&line.FlaggedAt: d.FlaggedAt, &line.LastCleared: d.ClearedAt, &line.RefusedAt: d.RefusedAt} {
		if !at.IsZero() {
			at := at.UTC()
			*to = &at
		}
	}
	return line
}

// says explains a refusal or a flag in one line.
func (l deviceLine) says() string {
	if l.Refused != "" {
		return "refused: " + l.Refused
	}
	switch verify.DeviceFlag(l.Flag) {
	case verify.SeqReused:
		return fmt.Sprintf("number %d has two scans, %s and %s", l.FlagSeq, l.FlagOther, l.FlagScan)
	case verify.SeqWentBack:
		return fmt.Sprintf("number went back to %d with scan %s", l.FlagSeq, l.FlagScan)
	}
	return "-"
}

// Run lists the devices.
func (d *deviceListCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		var lines []deviceLine
		for after, more := "", true; more; {
			page, err := g.Verify.Devices(ctx, d.Flagged, after)
			if err != nil {
				return err
			}
			for _, x := range page.Items {
				lines = append(lines, deviceLineOf(x))
				after = x.ScannerID
			}
			more = page.More
		}
		none := "no device has sent signed scans yet"
		if d.Flagged {
			none = "no device is flagged"
		}
		err := cli.List(out, lines, none, []string{"scanner", "name", "last seen", "scans", "number", "clock corrected", "flag"}, func(l deviceLine) []string {
			seen := "never"
			if !l.LastAt.IsZero() {
				seen = l.LastAt.Format(time.RFC3339)
			}
			return []string{l.ScannerID, cmp.Or(l.Name, "-"), seen, strconv.Itoa(l.Scans), strconv.FormatUint(l.LastSeq, 10), strconv.Itoa(l.ClockEvents), l.says()}
		})
		for _, l := range lines {
			if err == nil && l.Flag != "" && !out.JSON {
				fmt.Fprintln(std.Err, "A flagged device shares its key with a copy of its folder. Enrol one of the two again in an empty folder, then: tcode-gateway device clear SCANNER")
				break
			}
		}
		return err
	})
}

type deviceClockCmd struct {
	Scanner string `arg:"" help:"Scanner id, dev_..."`
}

// deviceClockLine is a correction of a device's clock as it is printed.
type deviceClockLine struct {
	ScannerID    string     `json:"scannerId"`
	EventID      string     `json:"eventId"`
	Kind         string     `json:"event"` // clock_was_ahead or clock_confirmed
	At           time.Time  `json:"at"`    // the time that was proven or confirmed
	Was          *time.Time `json:"was,omitempty"`
	Scans        uint64     `json:"scans"`        // dated ahead
	TrustVersion uint64     `json:"trustVersion"` // of the timestamp document dated ahead; 0: none
	AfterSeq     uint64     `json:"afterSeq"`     // the device's last scan before it
	ReceivedAt   time.Time  `json:"receivedAt"`   // gateway clock
}

// Run lists the corrections, newest first.
func (d *deviceClockCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		events, err := g.Verify.ClockEvents(ctx, d.Scanner)
		if err != nil {
			return err
		}
		lines := make([]deviceClockLine, len(events))
		for i, e := range events {
			lines[i] = deviceClockLine{
				ScannerID: d.Scanner, EventID: e.ID, Kind: e.Kind, At: e.At.UTC(), Scans: e.Scans, TrustVersion: e.TrustVersion,
				AfterSeq: e.AfterSeq, ReceivedAt: e.ReceivedAt.UTC(),
			}
			if was := e.Was.UTC(); !e.Was.IsZero() {
				lines[i].Was = &was
			}
		}
		header := []string{"received", "event", "time", "dated up to", "scans", "after number", "trust version"}
		return cli.List(out, lines, "the device has reported no correction of its clock", header, func(l deviceClockLine) []string {
			was := "-"
			if l.Was != nil {
				was = l.Was.Format(time.RFC3339)
			}
			return []string{
				l.ReceivedAt.Format(time.RFC3339), l.Kind, l.At.Format(time.RFC3339), was, strconv.FormatUint(l.Scans, 10),
				strconv.FormatUint(l.AfterSeq, 10), strconv.FormatUint(l.TrustVersion, 10),
			}
		})
	})
}

type deviceClearCmd struct {
	Scanner string `arg:"" help:"Scanner id, dev_..."`
}

// Run clears the flag.
func (d *deviceClearCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if err := g.Verify.ClearDevice(ctx, d.Scanner); err != nil {
			return err
		}
		return out.Emit(map[string]string{"scannerId": d.Scanner, "flag": ""}, func(w io.Writer) { fmt.Fprintf(w, "%s has no flag\n", d.Scanner) })
	})
}

type deviceNameCmd struct {
	Scanner string `arg:"" help:"Scanner id, dev_..."`
	Name    string `arg:"" help:"Its name, such as \"Gate 2\"; an empty one removes it."`
}

// Run names a device.
func (d *deviceNameCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if err := g.Verify.NameDevice(ctx, d.Scanner, d.Name); err != nil {
			return err
		}
		return out.Emit(map[string]string{"scannerId": d.Scanner, "name": d.Name}, func(w io.Writer) {
			fmt.Fprintf(w, "%s is called %s\n", d.Scanner, cmp.Or(d.Name, "nothing"))
		})
	})
}

type deviceRefuseCmd struct {
	Scanner string `arg:"" help:"Scanner id, dev_..., as the device shows it."`
	Reason  string `help:"Why; the device shows it." required:"" placeholder:"TEXT"`
}

// Run refuses a device.
func (d *deviceRefuseCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if err := g.Verify.RefuseDevice(ctx, d.Scanner, d.Reason); err != nil {
			return err
		}
		return out.Emit(map[string]string{"scannerId": d.Scanner, "refused": d.Reason}, func(w io.Writer) {
			fmt.Fprintf(w, "%s is refused. It keeps the scans that it has; to take them later: tcode-gateway device accept %s\n", d.Scanner, d.Scanner)
		})
	})
}

type deviceAcceptCmd struct {
	Scanner string `arg:"" help:"Scanner id, dev_..."`
}

// Run accepts a device again.
func (d *deviceAcceptCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if err := g.Verify.AcceptDevice(ctx, d.Scanner); err != nil {
			return err
		}
		return out.Emit(map[string]string{"scannerId": d.Scanner, "refused": ""}, func(w io.Writer) { fmt.Fprintf(w, "%s is accepted\n", d.Scanner) })
	})
}
