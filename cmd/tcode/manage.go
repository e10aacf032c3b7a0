package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/server/client"
	"tcode/server/httpapi/api"
)

type usageCmd struct {
	Month string `help:"UTC month, such as 2026-11. Default: the present one." placeholder:"MONTH"`
	Days  int32  `help:"Also show this number of days." placeholder:"N"`
}

// Run shows the usage.
func (c *usageCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	p := &api.GetUsageParams{Month: optional(c.Month)}
	if c.Days > 0 {
		p.Days = &c.Days
	}
	res, err := cl.GetUsageWithResponse(ctx, p)
	if err := client.Check(err, res); err != nil {
		return err
	}
	u := res.JSON200.Data
	return a.out.Emit(u, func(w io.Writer) {
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		defer tw.Flush()
		fmt.Fprintf(tw, "%s\tUSED\tQUOTA\tTEST\n", u.Month)
		for _, k := range u.Items {
			quota := "-"
			if k.Quota != nil {
				quota = fmt.Sprint(*k.Quota)
			}
			fmt.Fprintf(tw, "%s\t%d\t%s\t%d\n", k.Kind, k.Used, quota, k.UsedTest)
		}
		if c.Days == 0 {
			return
		}
		fmt.Fprint(tw, "\nDAY\tSTAMPS\tDOCUMENTS\tVERIFICATIONS\tSCANS\n")
		for _, d := range u.Days {
			fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\n", d.Day, d.Stamps, d.Documents, d.Verifications, d.Scans)
		}
	})
}

type (
	deviceListCmd struct {
		Refused bool `help:"Only devices that you refuse."`
		Flagged bool `help:"Only devices with findings, or whose key two devices seem to have."`
		Limit   int  `help:"Number of devices; 0: all. Default: ${default}." default:"20" placeholder:"N"`
	}
	deviceNameCmd struct {
		Device string `arg:"" help:"Id of the device, dev_ and 26 characters."`
		Name   string `arg:"" optional:"" help:"Name, which only you see. Without it the name is removed."`
	}
	deviceRefuseCmd struct {
		Device string `arg:"" help:"Id of the device, dev_ and 26 characters."`
		Reason string `required:"" help:"Reason, which only you see." placeholder:"TEXT"`
	}
	deviceAcceptCmd struct {
		Device string `arg:"" help:"Id of the device, dev_ and 26 characters."`
	}
)

// Run lists devices.
func (c *deviceListCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	list, err := allPages(c.Limit, func(page *api.Page, size *api.PageSize) ([]api.Device, bool, error) {
		res, err := cl.ListDevicesWithResponse(ctx, &api.ListDevicesParams{Refused: &c.Refused, Flagged: &c.Flagged, Page: page, PageSize: size})
		if err := client.Check(err, res); err != nil {
			return nil, false, err
		}
		return res.JSON200.Items, res.JSON200.HasNext, nil
	})
	if err != nil {
		return err
	}
	return cli.List(a.out, list, "no such devices", []string{"device", "last sync", "status it had", "scans", "findings", "refused", "name"}, func(d api.Device) []string {
		refused := "-"
		if d.Refused {
			refused = orDash(d.RefusedReason)
		}
		return []string{d.ScannerId, minute(&d.LastSyncAt), string(d.Freshness), fmt.Sprint(d.Scans), fmt.Sprint(d.Findings), refused, orDash(d.Name)}
	})
}

// device prints a device after a change.
func (a *app) device(d api.Device, sentence string) error {
	return a.out.Emit(d, func(w io.Writer) { fmt.Fprintf(w, "✓ %s %s\n", d.ScannerId, sentence) })
}

// Run names a device.
func (c *deviceNameCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	res, err := cl.PatchDeviceWithResponse(ctx, c.Device, api.DevicePatch{Name: c.Name})
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.device(res.JSON200.Data, "is named "+cli.Printable(orDash(res.JSON200.Data.Name)))
}

// Run marks the scans of a device.
func (c *deviceRefuseCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	res, err := cl.RefuseDeviceWithResponse(ctx, c.Device, api.DeviceRefusal{Reason: c.Reason})
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.device(res.JSON200.Data, "is refused: its scans are kept, and marked from now on")
}

// Run takes back a refusal.
func (c *deviceAcceptCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	res, err := cl.AcceptDeviceWithResponse(ctx, c.Device)
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.device(res.JSON200.Data, "is accepted")
}

type auditCmd struct {
	Action  string `help:"An action such as stamp.revoke, or all of a noun, such as stamp." placeholder:"ACTION"`
	By      string `help:"The author: the prefix of a key, the id of a user." placeholder:"NAME"`
	Subject string `help:"The id, reference or prefix of what was changed." placeholder:"ID"`
	Since   string `help:"From this time, such as 2026-11-20T12:00:00Z, or this day." placeholder:"TIME"`
	Until   string `help:"Before this time or day." placeholder:"TIME"`
	Limit   int    `help:"Number of rows; 0: all. Default: ${default}." default:"20" placeholder:"N"`
	CSV     string `help:"Write all these rows to a CSV file, or - for standard output." placeholder:"FILE"`
	Force   bool   `short:"f" help:"Overwrite the CSV file."`
}

// Run shows the audit log.
func (c *auditCmd) Run(ctx context.Context, a *app) error {
	p := api.ListAuditParams{Action: optional(c.Action), By: optional(c.By), Subject: optional(c.Subject)}
	var err error
	if p.From, err = timeFlag("--since", c.Since); err != nil {
		return err
	}
	if p.To, err = timeFlag("--until", c.Until); err != nil {
		return err
	}
	if c.CSV != "" {
		if err := a.mayWriteText(c.CSV, c.Force); err != nil {
			return err
		}
	}
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	if c.CSV != "" {
		res, err := cl.ListAudit(ctx, &p, func(_ context.Context, r *http.Request) error {
			r.Header.Set("Accept", "text/csv")
			return nil
		})
		if err != nil {
			return err
		}
		return a.saveBody(res, c.CSV, c.Force)
	}
	list, err := allPages(c.Limit, func(page *api.Page, size *api.PageSize) ([]api.AuditEntry, bool, error) {
		p.Page, p.PageSize = page, size
		res, err := cl.ListAuditWithResponse(ctx, &p)
		if err := client.Check(err, res); err != nil {
			return nil, false, err
		}
		return res.JSON200.Items, res.JSON200.HasNext, nil
	})
	if err != nil {
		return err
	}
	return cli.List(a.out, list, "no such rows", []string{"at", "by", "action", "subject", "details"}, func(e api.AuditEntry) []string {
		var details []string
		for _, name := range sortedNames(e.Details) {
			details = append(details, name+"="+e.Details[name])
		}
		return []string{e.At.UTC().Format(time.RFC3339), strings.TrimSuffix(string(e.Actor)+" "+orDash(e.By), " -"), string(e.Action), e.Subject, strings.Join(details, " ")}
	})
}

// timeFlag reads a time, or a day, whose begin in UTC it is; nil for an empty flag.
func timeFlag(flag, s string) (*time.Time, error) {
	if s == "" {
		return nil, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return &t, nil
		}
	}
	return nil, cli.Usage("%s %q: want a time such as 2026-11-20T12:00:00Z, or a day such as 2026-11-20", flag, s)
}
