package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/verify"
)

type deviceCmd struct {
	List  deviceListCmd  `cmd:"" help:"List devices that sent signed scans. A flag says that two devices seem to have one key."`
	Clear deviceClearCmd `cmd:"" help:"Take the flag off a device, once you know why it was there."`
}

type deviceListCmd struct {
	Flagged bool `help:"Only devices with a flag."`
}

// deviceLine is a device as it is printed.
type deviceLine struct {
	ScannerID   string     `json:"scannerId"`
	FirstAt     time.Time  `json:"firstAt"` // gateway clock
	LastAt      time.Time  `json:"lastAt"`
	LastSeq     uint64     `json:"lastSeq"`
	Scans       int        `json:"scans"`
	Flag        string     `json:"flag"` // seq_reused, seq_went_back or empty
	FlagSeq     uint64     `json:"flagSeq,omitempty"`
	FlagScan    string     `json:"flagScanId,omitempty"`
	FlagOther   string     `json:"flagOtherScanId,omitempty"`
	FlagCount   int        `json:"flagCount,omitempty"`
	FlaggedAt   *time.Time `json:"flaggedAt,omitempty"`
	LastCleared *time.Time `json:"clearedAt,omitempty"`
}

func deviceLineOf(d verify.Device) deviceLine {
	line := deviceLine{
		ScannerID: d.ScannerID, FirstAt: d.FirstAt.UTC(), LastAt: d.LastAt.UTC(), LastSeq: d.LastSeq, Scans: d.Scans,
		Flag: string(d.Flag), FlagSeq: d.FlagSeq, FlagScan: d.FlagScan, FlagOther: d.FlagOther, FlagCount: d.FlagCount,
	}
	for to, at := range map[**time.Time]time.Time{&line.FlaggedAt: d.FlaggedAt, &line.LastCleared: d.ClearedAt} {
		if !at.IsZero() {
			at := at.UTC()
			*to = &at
		}
	}
	return line
}

// says explains a flag in one line.
func (l deviceLine) says() string {
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
		err := cli.List(out, lines, none, []string{"scanner", "last seen", "scans", "number", "flag"}, func(l deviceLine) []string {
			return []string{l.ScannerID, l.LastAt.Format(time.RFC3339), strconv.Itoa(l.Scans), strconv.FormatUint(l.LastSeq, 10), l.says()}
		})
		for _, l := range lines {
			if err == nil && l.Flag != "" && !out.JSON {
				fmt.Fprintln(std.Err, "A flagged device shares its key with a copy of its folder. Enrol one of the two anew in an empty folder, then: tcode-gateway device clear SCANNER")
				break
			}
		}
		return err
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
