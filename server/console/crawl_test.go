package console_test

import (
	"crypto/ed25519"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/net/html"

	"tcode/offline/payload"
	"tcode/server"
	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/fault"
	"tcode/server/internal/harness"
	"tcode/server/issue/bulk"
	"tcode/server/issue/field"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/issue/tdoc"
	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/webhook"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// A planter puts hostile texts into all data of a tenant that people and devices write.
type planter struct {
	*consoletest.World
	id      tenant.Identity
	planted []string // texts that a screen must show as they are
	refused int
}

// keep notes a text that the gateway took. A screen trims it.
func (p *planter) keep(text string, err error) bool {
	p.T.Helper()
	if fault.Is(err, fault.Invalid) {
		p.refused++
		return false
	}
	harness.Must(p.T, err)
	p.planted = append(p.planted, strings.TrimSpace(text))
	return true
}

// plant makes one of each record. Each text begins with a mark of its own.
func (p *planter) plant(i int, text string) {
	p.T.Helper()
	ctx := p.T.Context()
	say := func(kind string) string { return fmt.Sprintf("%s%d %s", kind, i, text) }

	st, err := p.Admin.Stamps.Create(ctx, p.id, stamp.Request{Name: say("stamp"), ExternalID: say("own id"), DocumentTypeCode: "DIP", PDF: spool.Bytes(harness.PDF("a"))})
	if p.keep(say("stamp"), err) {
		p.planted = append(p.planted, say("own id"))
		if p.keep(say("why"), p.Admin.Stamps.Act(ctx, p.id, st.ID, stamp.ActionRevoke, say("why"))) {
			scanner := p.scan(st.Reference.String(), say("note"))
			_, err := p.Admin.Verify.NameTenantDevice(ctx, "ACME01", scanner, say("device"))
			p.keep(say("device"), err)
			_, err = p.Admin.Verify.RefuseTenantDevice(ctx, "ACME01", scanner, say("refusal"))
			p.keep(say("refusal"), err)
		}
	}
	tpl, err := p.Admin.Documents.CreateTemplate(ctx, p.id, trustdoc.Spec{Name: say("template"), Description: say("about"), DocumentTypeCode: "DIP", Fields: []field.Definition{{Key: "degree", Label: say("label")}}}, nil, nil)
	if p.keep(say("template"), err) {
		p.planted = append(p.planted, say("label"), say("about"))
		_, err = p.Admin.Documents.Issue(ctx, p.id, trustdoc.Issuance{TemplateID: tpl.ID, RecipientName: say("recipient"), Title: say("title"), Fields: []payload.Field{{Key: "degree", Value: say("value")}}})
		if p.keep(say("recipient"), err) {
			p.planted = append(p.planted, say("title"), say("value"))
		}
	}
	_, err = p.Admin.Templates.Create(ctx, p.id, tdoc.Spec{Name: say("form"), ProductMode: tdoc.ModeTCode, CustomFields: []tdoc.Field{{Key: "k", Label: say("entry"), Type: tdoc.Text}}}, nil, nil)
	if p.keep(say("form"), err) {
		p.planted = append(p.planted, say("entry"))
	}
	_, err = p.Admin.Placements.Create(ctx, p.id, placement.Spec{Name: say("place")}, nil, nil)
	p.keep(say("place"), err)
	_, err = p.Admin.Bulk.Create(ctx, p.id, bulk.Request{Order: bulk.Order{Product: bulk.TCode, Name: say("job")}, CSV: strings.NewReader("name,documentTypeCode,fileName\n" + csvCell(say("row")) + ",DIP,none.pdf\n"), ZIP: strings.NewReader("x")})
	p.keep(say("job"), err)
	_, err = p.Admin.Tenants.CreateKey(ctx, "ACME01", tenant.KeyOptions{Name: say("key")})
	p.keep(say("key"), err)
	_, err = p.Admin.Accounts.Create(ctx, account.Spec{Tenant: "ACME01", Email: fmt.Sprintf("u%d@acme.example", i), Name: say("person"), Role: account.Viewer})
	p.keep(say("person"), err)
	_, _, err = p.Admin.Webhooks.Create(ctx, "ACME01", "https://127.0.0.1:1/"+url.PathEscape(say("hook")), webhook.Filter{})
	if err != nil && !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.Conflict) {
		p.T.Fatal(err)
	}
}

func csvCell(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// scan sends a scan whose texts are hostile, and returns the id of its device.
func (p *planter) scan(reference, text string) (scanner string) {
	p.T.Helper()
	_, device, err := ed25519.GenerateKey(nil)
	harness.Must(p.T, err)
	now := wire.TruncateMillis(p.Clock.Now())
	b := wire.Batch{ID: uuid.NewString(), ScannerID: wire.ScannerID(device.Public().(ed25519.PublicKey)), SentAt: now, Items: []wire.Item{{
		ScanID: uuid.NewString(), Seq: 1, Reference: reference, ScannedAt: now, OfflineVerdict: "valid",
		TrustVersion: uint64(now.Unix()), Context: wire.Context{Note: text},
	}}}
	key, signature, err := wire.SignBatch(b, device)
	harness.Must(p.T, err)
	_, err = p.Admin.Verify.Sync(p.T.Context(), b, verify.Proof{DeviceKey: key, Signature: signature})
	harness.Must(p.T, err)
	return b.ScannerID
}

// A crawler follows the links of the console.
type crawler struct {
	t     *testing.T
	b     *consoletest.Browser
	seen  map[string]bool
	kinds map[string]int // pages by the form of their addresses
	shown strings.Builder
}

var anID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|dev_[A-Za-z0-9_-]+|[A-Z0-9]{3,}-[A-Z0-9-]{6,}`)

// kind is the form of an address: its path without ids, and the names of its parameters.
func kind(at *url.URL) string {
	var names []string
	for name := range at.Query() {
		names = append(names, name)
	}
	slices.Sort(names)
	return anID.ReplaceAllString(at.Path, "ID") + "?" + strings.Join(names, "&")
}

// visit checks a page and the pages that it links to. It visits at most one address of a
// form for each record of a kind, or four if the address has parameters.
func (c *crawler) visit(path string) {
	at, err := url.Parse(path)
	if err != nil || c.seen[path] {
		return
	}
	c.seen[path] = true
	most := len(consoletest.Hostile) + 2
	if at.RawQuery != "" {
		most = 4
	}
	if c.kinds[kind(at)]++; c.kinds[kind(at)] > most {
		return
	}
	r := c.b.Send(path, nil)
	if r.StatusCode >= 400 {
		c.t.Errorf("%s: %d", path, r.StatusCode)
	}
	if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") || at.Path == "/console/brand/example" { // a public page, with its own style sheet
		return
	}
	consoletest.StaysText(c.t, "", r.Text)
	root, err := html.Parse(strings.NewReader(r.Text))
	harness.Must(c.t, err)
	var links []string
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			c.shown.WriteString(n.Data + "\n")
		}
		for _, a := range n.Attr {
			if a.Key == "value" {
				c.shown.WriteString(a.Val + "\n")
			}
			if to, err := at.Parse(a.Val); n.Data == "a" && a.Key == "href" && err == nil && to.Host == "" && strings.HasPrefix(to.Path, "/console") && !strings.HasSuffix(to.Path, "/events") {
				to.Fragment = ""
				links = append(links, to.String())
			}
		}
	}
	for _, to := range links {
		c.visit(to)
	}
}

// TestHostileData: texts of people, other programs and devices stay text on each screen that
// the console links to, and each text is on a screen.
//
//engine:sqlite the screens are the same on both
func TestHostileData(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t, func(c *server.Config) { c.WebhooksAllowPrivate = true })
	p := &planter{World: w, id: w.Identity("ACME01")}
	for i, text := range consoletest.Hostile {
		p.plant(i, text)
	}
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	c := &crawler{t: t, b: b, seen: map[string]bool{}, kinds: map[string]int{}}
	c.visit("/console/")
	for _, text := range p.planted {
		if !strings.Contains(c.shown.String(), text) {
			t.Errorf("no screen shows %q", text)
		}
	}
	if len(c.kinds) < 30 || p.refused > len(consoletest.Hostile) {
		t.Errorf("%d forms of pages, %d texts refused", len(c.kinds), p.refused)
	}
	t.Logf("%d pages of %d forms show %d texts; %d were refused", len(c.seen), len(c.kinds), len(p.planted), p.refused)
}
