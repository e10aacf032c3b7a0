package bulkdesk_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/account"
	"tcode/server/console/bulkdesk"
	"tcode/server/console/consoletest"
	"tcode/server/fault"
	"tcode/server/internal/harness"
	"tcode/server/issue/bulk"
	"tcode/server/issue/trustdoc"
)

// TestStreams: a user, a tenant and the gateway have a bounded number of streams, and an
// ended one makes room.
func TestStreams(t *testing.T) {
	t.Parallel()
	enter := bulkdesk.NewStreams()
	var leave []func()
	fill := func(tenantRef, user string) (n int) {
		for {
			end, ok := enter(tenantRef, user)
			if !ok {
				return n
			}
			leave, n = append(leave, end), n+1
		}
	}
	if n := fill("ACME01", "0"); n != bulkdesk.StreamsOfUser {
		t.Errorf("a user has %d", n)
	}
	for user := range 20 {
		fill("ACME01", fmt.Sprint(user))
	}
	if len(leave) != bulkdesk.StreamsOfTenant {
		t.Errorf("a tenant has %d", len(leave))
	}
	for user := range 400 {
		fill(fmt.Sprint("T", user/10), fmt.Sprint("u", user))
	}
	if len(leave) != bulkdesk.StreamsInAll {
		t.Errorf("the gateway has %d", len(leave))
	}
	for _, end := range leave {
		end()
	}
	if n := fill("ACME01", "0"); n != bulkdesk.StreamsOfUser {
		t.Errorf("afterwards a user has %d", n)
	}
}

// FuzzOrder: a form is an order, or has problems.
func FuzzOrder(f *testing.F) {
	for _, seed := range []string{
		"product=tcode&tdocTemplateId=x&name=a&scheduledFor=2026-12-31T08:00", "product=trust&templateId=x&issuancePath=both&validityType=Duration&validityValue=2&validityUnit=years",
		"product=trust&templateId=x&validityType=Until&validUntil=2031-12-31", "product=x", "scheduledFor=%00&product=trust&validityType=Until&validUntil=x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		o, _, bad := bulkdesk.OrderOf(q)
		good := o.Product == bulk.TCode || o.Product == bulk.Trust && o.TemplateID != ""
		if bad.Err() == nil && !good {
			t.Errorf("%+v has no problem", o)
		}
	})
}

// desk is a gateway with users of two tenants.
type desk struct {
	*consoletest.World
	t                    *testing.T
	ruth, viewer, others *consoletest.Browser
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{World: consoletest.NewWorld(t), t: t}
	_, err := d.Admin.Tenants.CreateTenant(t.Context(), "Other", "OTHER1")
	harness.Must(t, err)
	user := func(tenantRef, name string, role account.Role) *consoletest.Browser {
		b := d.Browser("browser")
		b.Enrol(d.Invite(account.Spec{Tenant: tenantRef, Email: name + "@acme.example", Name: name, Role: role}))
		return b
	}
	d.ruth, d.viewer, d.others = user("ACME01", "ruth", account.Issuer), user("ACME01", "vera", account.Viewer), user("OTHER1", "otto", account.Owner)
	return d
}

// ended waits until the job of a path is over.
func (d *desk) ended(at string) bulk.Job {
	d.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if j := jobOf(d.t, d.World, at); j.Status.Over() {
			return j
		}
	}
	d.t.Fatal("the job does not end")
	return bulk.Job{}
}

// made sends an order that is taken, and returns the path of the job.
func (d *desk) made(parts []part) string {
	d.t.Helper()
	r := send(d.t, d.World, d.ruth, parts)
	to, _, _ := strings.Cut(r.Header.Get("Location"), "?")
	if r.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/console/bulk/jobs/") {
		d.t.Fatalf("%d %s %.900s", r.StatusCode, to, r.Text)
	}
	return to
}

// TestOrders: forms that are good and bad, for this tenant and another.
func TestOrders(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	good, archive := rows(t, 2, "a")
	bad, _ := rows(t, 2, "b")
	bad = strings.NewReplacer("1.pdf", "11.pdf", "b 0,DIP", "b 0,<img src=x>").Replace(bad)

	t.Run("refused", func(t *testing.T) {
		for name, tt := range map[string]struct {
			parts []part
			says  string
		}{
			"no product":         {order("make", good, archive), "must be chosen"},
			"no files":           {[]part{stamps, {name: "act", text: "make"}}, "must be chosen"},
			"no rows":            {[]part{stamps, {name: "zip", file: "x.zip", text: "x"}}, "must be chosen"},
			"empty file":         {order("make", "", archive, stamps), "must not be empty"},
			"long name":          {order("make", good, archive, stamps, part{name: "name", text: strings.Repeat("n", 201)}), "at most 200"},
			"foreign template":   {order("make", good, archive, stamps, part{name: "tdocTemplateId", text: "01999999-9999-7999-8999-999999999999"}), "names no template"},
			"no Trust template":  {order("make", good, archive, part{name: "product", text: "trust"}), "no Trust template"},
			"far away":           {order("make", good, archive, stamps, part{name: "scheduledFor", text: "2099-01-01T00:00"}), "within a year"},
			"no time":            {order("make", good, archive, stamps, part{name: "scheduledFor", text: "x"}), "must be a time"},
			"field twice":        {order("make", good, archive, stamps, stamps), "not valid"},
			"long field":         {order("make", good, archive, stamps, part{name: "name", text: strings.Repeat("n", 2000)}), "not valid"},
			"file twice":         {order("make", good, archive, stamps, part{name: "csv", file: "x", text: "x"}), "not valid"},
			"large CSV file":     {order("make", strings.Repeat("x", bulk.MaxCSV+1), archive, stamps), "at most 8 MiB"},
			"file after refusal": {order("make", strings.Repeat("x", 1<<20), archive, part{name: "product", text: "x"}), "must be chosen"},
		} {
			if r := send(t, d.World, d.ruth, tt.parts); r.StatusCode != http.StatusBadRequest || !strings.Contains(r.Text, tt.says) {
				_, text, _ := strings.Cut(r.Text, "<main")
				t.Errorf("%s: %d, want %q: %.300s", name, r.StatusCode, tt.says, text)
			}
		}
		if p, err := d.Admin.Bulk.Browse(t.Context(), d.Identity("ACME01"), bulk.Filter{}, 1, 1); err != nil || p.TotalCount != 0 {
			t.Errorf("%d jobs, %v", p.TotalCount, err)
		}
		d.ruth.Want("/console/bulk/new", url.Values{"product": {"tcode"}}, http.StatusBadRequest, "")
		if r := send(t, d.World, d.viewer, order("make", good, archive, stamps)); r.StatusCode != http.StatusForbidden {
			t.Errorf("a viewer orders: %d", r.StatusCode)
		}
	})

	t.Run("rows that fail", func(t *testing.T) {
		at := d.made(order("make", bad, archive, stamps, part{name: "name", text: consoletest.Hostile[0]}))
		if j := d.ended(at); j.Status != bulk.Failed || len(j.Problems) != 2 || j.Name != consoletest.Hostile[0] {
			t.Errorf("%+v", j)
		}
		page := d.viewer.Want(at, nil, http.StatusOK, "").Text
		if !strings.Contains(page, `<td class="num">3</td>`) || !strings.Contains(page, "<bdi>11.pdf</bdi>") || !strings.Contains(page, "<bdi>&lt;img src=x&gt;</bdi>") || strings.Contains(page, "/retry") || strings.Contains(page, "<script>") {
			t.Errorf("%s", page)
		}
		d.viewer.Header = http.Header{"Accept-Language": {"de"}}
		page = d.viewer.Want(at, nil, http.StatusOK, "").Text
		d.viewer.Header = nil
		if !strings.Contains(page, "<bdi>Ist nicht im ZIP-Archiv; meinten Sie ") || strings.Contains(page, "is not in the ZIP archive") {
			t.Errorf("in German: %s", page)
		}
		csv := d.ruth.Want(at+"/errors.csv", nil, http.StatusOK, "")
		if !strings.Contains(csv.Text, "11.pdf") || !strings.Contains(csv.Header.Get("Content-Disposition"), "errors.csv") {
			t.Errorf("%v %s", csv.Header, csv.Text)
		}
		d.ruth.Want(at+"/retry", url.Values{}, http.StatusSeeOther, at+"?done=retried")
		d.ended(at)
		d.ruth.Want(at+"/cancel", url.Values{}, http.StatusConflict, "")
		d.ruth.Want(at+"/proceed", url.Values{}, http.StatusConflict, "")
	})

	t.Run("check, then order", func(t *testing.T) {
		at := d.made(order("check", good, archive, stamps, part{name: "test", text: "1"}))
		if j := d.ended(at); j.Status != bulk.Completed || !j.DryRun || !j.Test || j.Name != "rows.csv" {
			t.Errorf("%+v", j)
		}
		to, _, _ := strings.Cut(d.ruth.Send(at+"/proceed", url.Values{}).Header.Get("Location"), "?")
		again, _, _ := strings.Cut(d.ruth.Send(at+"/proceed", url.Values{}).Header.Get("Location"), "?")
		if to != again || to == at {
			t.Errorf("a dry run becomes %s and %s", to, again)
		}
		if j := d.ended(to); j.Status != bulk.Completed || j.Counts.Succeeded != 2 || !j.Test || j.DryRun || j.Checked != path.Base(at) {
			t.Errorf("%+v", j)
		}
		if page := d.ruth.Want(at, nil, http.StatusOK, "").Text; !strings.Contains(page, to) || strings.Contains(page, "/proceed") {
			t.Error("the dry run does not lead to its job")
		}
		for _, b := range []string{"", "/errors.csv", "/results.zip", "/events"} {
			d.others.Want(to+b, nil, http.StatusNotFound, "")
		}
		for _, b := range []string{"/cancel", "/retry", "/proceed"} {
			d.others.Want(to+b, url.Values{}, http.StatusNotFound, "")
			d.viewer.Want(to+b, url.Values{}, http.StatusForbidden, "")
		}
		if page := d.others.Want("/console/bulk", nil, http.StatusOK, "").Text; strings.Contains(page, path.Base(to)) {
			t.Error("another tenant sees the job")
		}
	})

	t.Run("scheduled", func(t *testing.T) {
		at := d.made(order("make", good, archive, stamps, part{name: "scheduledFor", text: d.Clock.Now().Add(48 * time.Hour).UTC().Format("2006-01-02T15:04")}))
		for query, shown := range map[string]bool{"": true, "?state=Scheduled": true, "?state=scheduled&product=tcode": true, "?product=trust": false, "?state=Failed": false, "?page=2": false, "?page=x": true} {
			if got := strings.Contains(d.ruth.Want("/console/bulk"+query, nil, http.StatusOK, "").Text, at); got != shown {
				t.Errorf("%q shows it: %v", query, got)
			}
		}
		if page := d.ruth.Want(at, nil, http.StatusOK, "").Text; !strings.Contains(page, "Begins") || strings.Contains(page, "data-live") {
			t.Error("the screen of a scheduled job")
		}
		d.ruth.Want(at+"/cancel", url.Values{}, http.StatusSeeOther, at+"?done=cancelled")
		if j := d.ended(at); j.Status != bulk.Cancelled {
			t.Errorf("%+v", j)
		}
	})

	t.Run("Trust documents", func(t *testing.T) {
		template, err := d.Admin.Documents.CreateTemplate(t.Context(), d.Identity("ACME01"), trustdoc.Spec{Name: "Diploma <i>", DocumentTypeCode: "DIP"}, nil, nil)
		harness.Must(t, err)
		csv := d.ruth.Want("/console/bulk/columns.csv?product=trust&templateId="+template.ID, nil, http.StatusOK, "")
		if !strings.Contains(csv.Text, "recipientName") {
			t.Errorf("columns: %s", csv.Text)
		}
		d.others.Want("/console/bulk/columns.csv?product=trust&templateId="+template.ID, nil, http.StatusBadRequest, "")
		d.ruth.Want("/console/bulk/columns.csv", nil, http.StatusNotFound, "")
		trust := []part{{name: "product", text: "trust"}, {name: "templateId", text: template.ID}, {name: "issuancePath", text: "digital"}, {name: "validityType", text: "Until"}}
		if r := send(t, d.World, d.ruth, order("make", good, archive, append(trust, part{name: "validUntil", text: "2031"})...)); r.StatusCode != http.StatusBadRequest || !strings.Contains(r.Text, "must be a day") || !strings.Contains(r.Text, "Diploma &lt;i&gt;") {
			t.Errorf("%d %s", r.StatusCode, r.Text)
		}
		at := d.made(order("make", "recipientName,externalId,fileName\nAda,X-1,0.pdf\n", archive, append(trust, part{name: "validUntil", text: "2031-12-31"})...))
		if j := d.ended(at); j.Status != bulk.Completed || j.Counts.Succeeded != 1 || j.Validity.Until.Format(time.DateOnly) != "2032-01-01" {
			t.Errorf("%+v", j)
		}
		d.ruth.Want(at, nil, http.StatusOK, "")
	})
}

// TestEvents: each event is the whole state, on each gateway; the stream ends with the job,
// and with the session.
func TestEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	good, archive := rows(t, 12, "e")
	at := d.made(order("make", good, archive, stamps))
	beside := d.Beside(func(c *server.Config) { c.Now = d.Clock.Now })
	for _, gateway := range []string{d.URL, beside.URL} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, gateway+at+"/events", nil)
		harness.Must(t, err)
		got := do(t, d.ruth, r) // ends with the job
		if got.StatusCode != http.StatusOK || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/event-stream") {
			t.Fatalf("%d %v", got.StatusCode, got.Header)
		}
		var last struct {
			Status      string
			Over        bool
			Done, Total int
			Texts       map[string]string
		}
		events := 0
		for lines := bufio.NewScanner(strings.NewReader(got.Text)); lines.Scan(); {
			if raw, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				before := last.Done
				harness.Must(t, json.Unmarshal([]byte(raw), &last))
				if events++; last.Done < before || last.Texts["says"] == "" || last.Texts["state"] == "" {
					t.Errorf("event %s", raw)
				}
			}
		}
		if events == 0 || !last.Over || last.Done != 12 || last.Total != 12 || last.Status != "Completed" || last.Texts["rows"] != "12 of 12 rows" {
			t.Errorf("%d events, at last %+v", events, last)
		}
	}

	// A job that waits has no end: its stream ends with the session.
	id := d.Identity("ACME01")
	waits, err := d.Admin.Bulk.Create(t.Context(), id, bulk.Request{Order: bulk.Order{Product: bulk.TCode}, ScheduledFor: d.Clock.Now().Add(time.Hour), CSV: strings.NewReader("x"), ZIP: strings.NewReader("x")})
	harness.Must(t, err)
	open := func() *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.URL+"/console/bulk/jobs/"+waits.ID+"/events", nil)
		harness.Must(t, err)
		r.Header.Set("User-Agent", "browser")
		r.AddCookie(d.ruth.Token())
		res, err := (&http.Transport{}).RoundTrip(r)
		harness.Must(t, err)
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	token := d.ruth.Token().Value
	from := account.From{Agent: "browser"}
	began, err := d.Admin.Accounts.Look(t.Context(), token, from)
	harness.Must(t, err)
	seen := func() time.Time {
		t.Helper()
		sessions, err := d.Admin.Accounts.Sessions(t.Context(), began)
		harness.Must(t, err)
		if len(sessions) != 1 {
			t.Fatalf("%d sessions", len(sessions))
		}
		return sessions[0].SeenAt
	}
	before := seen()
	d.Clock.Add(2 * time.Minute) // from then on a use is noted
	for range bulkdesk.StreamsOfUser {
		res := open()
		line, err := bufio.NewReader(res.Body).ReadString('\n')
		if res.StatusCode != http.StatusOK || err != nil || !strings.Contains(line, `"status":"Scheduled"`) {
			t.Fatalf("%d %q %v", res.StatusCode, line, err)
		}
	}
	if res := open(); res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" {
		t.Errorf("one stream too many: %d", res.StatusCode)
	}
	if now := seen(); !now.Equal(before) {
		t.Errorf("streams count as use: seen at %s, and before them at %s", now, before)
	}
	d.Clock.Add(account.Idle - 2*time.Minute)
	if res := open(); res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != "/console/signin" {
		t.Errorf("a stream of a session without use for %s: %d", account.Idle, res.StatusCode)
	}
	_, err = d.Admin.Bulk.Change(t.Context(), id, bulk.TCode, "01999999-9999-7999-8999-999999999999", bulk.Cancel)
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("no such job: %v", err)
	}
}
