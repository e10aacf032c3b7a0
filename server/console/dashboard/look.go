package dashboard

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/issue/bulk"
	"tcode/server/outbound/delivery"
	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// A line is one thing of a list, with the screen that it leads to.
type line struct {
	Mark  string // symbol, of a verdict or an icon
	Level string // of the gravity: refuse, look, unknown
	Title string
	Name  string // of a person or a thing, in the title
	Text  string
	Path  string // "" if there is no such screen
	Leads string // words of the link
}

// The times from which something deserves a look.
const (
	findingsFor  = 30 * 24 * time.Hour
	failuresFor  = 7 * 24 * time.Hour
	keyEndsSoon  = 14 * 24 * time.Hour
	keyEndedFor  = 7 * 24 * time.Hour
	signingIsOld = 365 * 24 * time.Hour
)

// The numbers of things that a list names.
const (
	jobsNamed    = 3
	mailsCounted = 100
	devicesNamed = 3
)

// isolated returns a text that runs left to right within one of any direction (Unicode
// Standard Annex #9).
func isolated(s string) string { return "\u2066" + s + "\u2069" }

// moment returns a time within a text.
func moment(t time.Time) string { return isolated(frame.Moment(t)) }

// graveFindings are the findings that deserve a look, gravest first.
var graveFindings = []struct {
	finding     wire.Finding
	mark, level string
}{
	{wire.RevokedWhenScanned, "v-revoked", "refuse"},
	{wire.SuspendedWhenScanned, "v-suspended", "refuse"},
	{wire.PayloadOnOtherFile, "v-forged", "refuse"},
	{verify.TwoScans, "v-unverified", "unknown"},
}

// findings reads what scans showed.
func (x *visit) findings() error {
	counts, err := x.c.Scans.Findings(x.ctx, x.v.Tenant.Reference, x.now.Add(-findingsFor))
	if err != nil {
		return err
	}
	for _, grave := range graveFindings {
		for _, c := range counts {
			if c.Finding != grave.finding {
				continue
			}
			ref := c.Reference.String()
			l := line{Mark: grave.mark, Level: grave.level, Title: fmt.Sprintf(x.w.Findings[string(c.Finding)], number(c.Seen)), Text: fmt.Sprintf(x.w.LastSeen, moment(c.LastAt), isolated(ref)), Leads: x.w.TheStamp}
			if x.view.Paths.Stamps != "" {
				l.Path = x.view.Paths.Stamps + "?search=" + url.QueryEscape(ref)
			}
			x.view.Look = append(x.view.Look, l)
		}
	}
	return nil
}

// jobs calls do for the newest jobs in some statuses, at most jobsNamed of each.
func (x *visit) jobs(do func(bulk.Job, line), statuses ...bulk.Status) error {
	for _, status := range statuses {
		page, err := x.c.Bulk.Browse(x.ctx, x.id, bulk.Filter{Status: status}, 1, jobsNamed)
		if err != nil {
			return err
		}
		for _, j := range page.Items {
			l := line{Name: j.Name, Leads: x.w.TheJob}
			if l.Name == "" {
				l.Name = frame.Moment(j.CreatedAt)
			}
			if x.view.Paths.Bulk != "" {
				l.Path = x.view.Paths.Bulk + "/jobs/" + j.ID
			}
			do(j, l)
		}
	}
	return nil
}

// failedJobs reads bulk jobs that failed lately.
func (x *visit) failedJobs() error {
	return x.jobs(func(j bulk.Job, l line) {
		if x.now.Sub(j.FinishedAt) > failuresFor || j.DryRun {
			return
		}
		l.Mark, l.Level, l.Title, l.Text = "i-bulk", "look", x.w.JobFailed, fmt.Sprintf(x.w.RowsFailed, j.Counts.Failed, j.Counts.Total)
		if !j.Accepted {
			l.Text = x.w.FilesBad
		}
		x.view.Look = append(x.view.Look, l)
	}, bulk.Failed, bulk.CompletedWithErrors)
}

// failedHooks reads endpoints of webhooks that do not take their deliveries.
func (x *visit) failedHooks() error {
	endpoints, err := x.c.Webhooks.List(x.ctx, x.v.Tenant.Reference)
	if err != nil || len(endpoints) == 0 {
		return err
	}
	counts, err := x.c.Webhooks.CountDay(x.ctx, x.v.Tenant.Reference)
	if err != nil {
		return err
	}
	for _, e := range endpoints {
		n := counts[e.ID].Failed
		if n == 0 && e.Since.IsZero() {
			continue
		}
		l := line{Mark: "i-hook", Level: "look", Title: fmt.Sprintf(x.w.HookFails, number(int64(n))), Name: host(e.URL), Path: x.view.Paths.Webhooks, Leads: x.w.Webhooks}
		if n == 0 {
			l.Title = x.w.HookDown
		}
		if !e.Since.IsZero() {
			l.Text = fmt.Sprintf(x.w.FailsSince, moment(e.Since))
		}
		if e.State == webhook.Disabled {
			l.Text = x.w.HookOff
		}
		x.view.Look = append(x.view.Look, l)
	}
	return nil
}

// host returns the host of an address.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}

// failedMails counts mails that were not taken lately.
func (x *visit) failedMails() error {
	n, says, err := x.mails(func(m delivery.Message) bool { return x.now.Sub(m.UpdatedAt) <= failuresFor }, delivery.Refused, delivery.Failed)
	if n > 0 {
		x.view.Look = append(x.view.Look, line{Mark: "i-mail", Level: "look", Title: fmt.Sprintf(x.w.MailsFailed, says), Text: x.w.MailsText, Path: x.view.Paths.Documents, Leads: x.w.Documents})
	}
	return err
}

// mails counts those of the newest mails in some states for which holds is true, and
// returns the number as a text.
func (x *visit) mails(holds func(delivery.Message) bool, states ...delivery.State) (n int, says string, err error) {
	list, err := x.c.Mails.List(x.ctx, x.v.Tenant.Reference, states, mailsCounted)
	for _, m := range list {
		if holds(m) {
			n++
		}
	}
	if says = number(int64(n)); n == mailsCounted {
		says += "+"
	}
	return n, says, err
}

// silent names scanners that have not refreshed for too long.
func (x *visit) silent() error {
	if x.view.Counts.TooOld == 0 {
		return nil
	}
	page, err := x.c.Scans.TenantDevices(x.ctx, x.v.Tenant.Reference, verify.TenantDeviceFilter{Freshness: verify.TooOld}, verify.Page{Number: 1, Size: devicesNamed})
	if err != nil {
		return err
	}
	var names []string
	for _, d := range page.Items {
		if d.Name == "" {
			d.Name = d.ScannerID[:min(12, len(d.ScannerID))]
		}
		names = append(names, d.Name)
	}
	x.view.Look = append(x.view.Look, line{
		Mark: "i-device", Level: "look", Title: fmt.Sprintf(x.w.Silent, x.view.Counts.TooOld), Text: x.w.SilentText,
		Name: strings.Join(names, ", "), Path: x.view.Paths.Scanners, Leads: x.w.Scanners,
	})
	return nil
}

// oldKeys names API keys that end soon, and an old signing key.
func (x *visit) oldKeys() error {
	if x.v.May(account.Integrate) {
		keys, err := x.c.Tenants.Keys(x.ctx, x.v.Tenant.Reference)
		if err != nil {
			return err
		}
		for _, k := range keys {
			left := k.ExpiresAt.Sub(x.now)
			if k.ExpiresAt.IsZero() || !k.RevokedAt.IsZero() || left > keyEndsSoon || left < -keyEndedFor {
				continue
			}
			l := line{Mark: "i-key", Level: "look", Title: x.w.KeyEnds, Name: k.Name, Text: fmt.Sprintf(x.w.KeyEndsAt, moment(k.ExpiresAt)), Path: x.view.Paths.Keys, Leads: x.w.APIKeys}
			if left <= 0 {
				l.Title, l.Level = x.w.KeyEnded, "refuse"
			}
			x.view.Look = append(x.view.Look, l)
		}
	}
	for _, k := range x.view.Keys {
		if k.Old {
			x.view.Look = append(x.view.Look, line{Mark: "i-lock", Level: "look", Title: x.w.SigningOld, Name: k.ID, Text: fmt.Sprintf(x.w.InUse, k.Days), Path: x.view.Paths.Signing, Leads: x.w.SigningKeys})
		}
	}
	return nil
}

// A keyLine is a signing key that signs now or next.
type keyLine struct {
	ID   string
	Next bool
	Days int // in use
	Old  bool
	From string
}

// keys reads the signing keys.
func (x *visit) keys() error {
	keys, err := x.c.Tenants.SigningKeys(x.ctx, x.v.Tenant.Reference)
	if err != nil {
		return err
	}
	for _, k := range keys {
		age := x.now.Sub(k.ValidFrom)
		switch k.State {
		case tenant.KeySigning:
			x.view.Keys = append(x.view.Keys, keyLine{ID: k.ID(), Days: int(age.Hours() / 24), Old: age > signingIsOld, From: frame.Moment(k.ValidFrom)})
		case tenant.KeyAnnounced:
			x.view.Keys = append(x.view.Keys, keyLine{ID: k.ID(), Next: true, From: frame.Moment(k.ValidFrom)})
		}
	}
	return nil
}

// scanners counts the devices.
func (x *visit) scanners() (err error) {
	x.view.Counts, err = x.c.Scans.CountTenantDevices(x.ctx, x.v.Tenant.Reference)
	return err
}

// going reads work that goes on.
func (x *visit) going() error {
	err := x.jobs(func(j bulk.Job, l line) {
		l.Mark, l.Level, l.Text = "i-bulk", "unknown", fmt.Sprintf(x.w.RowsDone, j.Counts.Processed(), j.Counts.Total, j.Counts.Failed)
		if !j.ScheduledFor.IsZero() && j.Status == bulk.Scheduled {
			l.Text = fmt.Sprintf(x.w.Begins, moment(j.ScheduledFor))
		}
		x.view.Going = append(x.view.Going, l)
	}, bulk.Processing, bulk.Validating, bulk.Pending, bulk.Cancelling, bulk.Scheduled)
	if err != nil {
		return err
	}
	n, says, err := x.mails(func(delivery.Message) bool { return true }, delivery.Waiting, delivery.Sending)
	if n > 0 {
		x.view.Going = append(x.view.Going, line{Mark: "i-mail", Level: "unknown", Title: fmt.Sprintf(x.w.MailsWait, says), Path: x.view.Paths.Documents, Leads: x.w.Documents})
	}
	return err
}

// A step is a thing to do on the first days.
type step struct {
	Mark, Level, Title, Text, Path, Leads string
}

// firstFor is the time for which a tenant without documents gets the steps.
const firstFor = 30 * 24 * time.Hour

// firstDays lists the steps of a new tenant that has issued nothing yet.
func (x *visit) firstDays() {
	v := &x.view
	var used int64
	for _, k := range v.Plan {
		if k.Label == x.w.Kinds[tenant.KindStamps] || k.Label == x.w.Kinds[tenant.KindDocuments] {
			used += k.Used
		}
	}
	if used > 0 || v.Chart.Issued+v.Chart.Verified > 0 || v.Counts.All > 0 || v.Failed["days"] || v.Failed["plan"] || x.now.Sub(x.v.Tenant.CreatedAt) > firstFor {
		return
	}
	if len(v.Keys) > 0 {
		v.First = append(v.First, step{"i-check", "accept", fmt.Sprintf(x.w.KeyMade, v.Keys[0].ID), x.w.KeyMadeText, "", ""})
	}
	stampPath := v.Paths.Stamp
	if stampPath == "" {
		stampPath = v.Paths.NewBulk
	}
	for _, s := range []step{
		{"i-stamp", "unknown", x.w.FirstStamp, x.w.FirstStampText, stampPath, x.w.DoStamp},
		{"i-device", "unknown", x.w.Sheet, x.w.SheetText, v.Paths.Scanners, x.w.Print},
		{"i-team", "unknown", x.w.Invite, x.w.InviteText, v.Paths.Team, x.w.DoInvite},
	} {
		if s.Path != "" {
			v.First = append(v.First, s)
		}
	}
}
