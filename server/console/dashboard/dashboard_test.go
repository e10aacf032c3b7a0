package dashboard_test

import (
	"crypto/ed25519"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/console/dashboard"
	"tcode/server/internal/harness"
	"tcode/server/issue/bulk"
	"tcode/server/issue/stamp"
	"tcode/server/outbound/webhook"
	"tcode/server/platform/spool"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

func TestMain(m *testing.M) { harness.Main(m) }

func TestNumbers(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1 000", 1234567: "1 234 567"} {
		if got := strings.ReplaceAll(dashboard.Number(n), "\u202f", " "); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for most, want := range map[int64]int64{0: 1, 4: 1, 5: 2, 610: 200, 8000: 2000, 8001: 5000} {
		if got := dashboard.ScaleStep(most); got != want {
			t.Errorf("%d: %d, want %d", most, got, want)
		}
	}
}

// board is a gateway with two tenants, of which ACME01 has an API key.
type board struct{ *consoletest.World }

func newBoard(t *testing.T) *board {
	t.Helper()
	w := consoletest.NewWorld(t)
	_, err := w.Admin.Tenants.CreateKey(t.Context(), "ACME01", tenant.KeyOptions{Name: "Registrar <i>", ExpiresAt: w.Clock.Now().AddDate(0, 0, 10)})
	harness.Must(t, err)
	_, err = w.Admin.Tenants.CreateTenant(t.Context(), "Other", "OTHER1")
	harness.Must(t, err)
	return &board{w}
}

// stamped makes a stamp.
func (b *board) stamped(name string) stamp.Stamp {
	b.T.Helper()
	st, err := b.Admin.Stamps.Create(b.T.Context(), b.Identity("ACME01"), stamp.Request{Name: name, DocumentTypeCode: "DIP", PDF: spool.Bytes(harness.PDF(name))})
	harness.Must(b.T, err)
	return st
}

// scan sends a scan that a device signs.
func (b *board) scan(key ed25519.PrivateKey, it wire.Item) {
	b.T.Helper()
	now := wire.TruncateMillis(b.Clock.Now())
	it.ScannedAt = now
	batch := wire.Batch{ID: uuid.NewString(), ScannerID: wire.ScannerID(key.Public().(ed25519.PublicKey)), SentAt: now, Items: []wire.Item{it}}
	device, signature, err := wire.SignBatch(batch, key)
	harness.Must(b.T, err)
	_, err = b.Admin.Verify.Sync(b.T.Context(), batch, verify.Proof{DeviceKey: device, Signature: signature})
	harness.Must(b.T, err)
}

// happen lets all things happen that deserve a look.
func (b *board) happen() {
	b.T.Helper()
	ctx, id := b.T.Context(), b.Identity("ACME01")
	st, other := b.stamped("Ada"), b.stamped("Bob")
	harness.Must(b.T, b.Admin.Stamps.Act(ctx, id, st.ID, stamp.ActionRevoke, "lost"))
	b.Clock.Add(time.Minute)
	_, key, err := ed25519.GenerateKey(nil)
	harness.Must(b.T, err)
	old := uint64(b.Clock.Now().AddDate(0, 0, -9).Unix())
	item := func(seq uint64, ref, verdict, binding string) wire.Item {
		return wire.Item{ScanID: uuid.Must(uuid.NewV7()).String(), Seq: seq, Reference: ref, OfflineVerdict: verdict, Binding: binding, TrustVersion: old}
	}
	b.scan(key, item(1, st.Reference.String(), "valid", ""))
	b.scan(key, item(2, other.Reference.String(), "valid", "mismatch"))
	first := item(3, other.Reference.String(), "valid", "match")
	b.scan(key, first)
	first.Context.Note = "another"
	b.scan(key, first)
	b.scan(key, first) // sent again, it is no third one

	_, _, err = b.Admin.Webhooks.Create(ctx, "ACME01", "https://hooks.acme.example/x", webhook.Filter{})
	harness.Must(b.T, err)
	raw := storetest.Raw(b.T, b.Dir)
	for _, q := range []string{`UPDATE webhooks SET failing_since = $1, failures = 3 WHERE tenant = 'ACME01'`, `UPDATE signing_keys SET valid_from = $1 - CAST(40000000000 AS BIGINT) WHERE tenant = 'ACME01'`} {
		_, err = raw.Exec(q, b.Clock.Now().Add(-time.Hour).UnixMilli())
		harness.Must(b.T, err)
	}
	_, err = b.Admin.Tenants.ChangePlan(ctx, "ACME01", func(p *tenant.Plan) {
		p.Quotas = map[tenant.Kind]int64{tenant.KindStamps: 2, tenant.KindDocuments: 1000}
	})
	harness.Must(b.T, err)
	order := bulk.Request{Order: bulk.Order{Product: bulk.TCode, Name: "Diplomas <b>"}, CSV: strings.NewReader("x"), ZIP: strings.NewReader("x")}
	j, err := b.Admin.Bulk.Create(ctx, id, order)
	harness.Must(b.T, err)
	order.Name, order.ScheduledFor = "Tomorrow", b.Clock.Now().Add(24*time.Hour)
	_, err = b.Admin.Bulk.Create(ctx, id, order)
	harness.Must(b.T, err)
	for deadline := time.Now().Add(time.Minute); !j.Status.Over() && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		j, err = b.Admin.Bulk.Find(ctx, id, j.ID)
		harness.Must(b.T, err)
	}
}

// TestBoard: the first days, and all that deserves a look, for this tenant alone; the
// operator's first screen is the account.
func TestBoard(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	enter := func(tenantRef, name string, role account.Role) *consoletest.Browser {
		c := b.Browser("browser")
		c.Enrol(b.Invite(account.Spec{Tenant: tenantRef, Email: name + "@acme.example", Name: name, Role: role}))
		return c
	}
	says := func(c *consoletest.Browser, path string, want map[string]bool) {
		t.Helper()
		text := c.Want(path, nil, http.StatusOK, "").Text
		for part, is := range want {
			if strings.Contains(text, part) != is {
				t.Errorf("%s says %q: %v\n%s", path, part, !is, text[strings.Index(text, "<main"):])
			}
		}
	}
	says(enter("ACME01", "first", account.Issuer), "/console/", map[string]bool{"First steps": true, "Nothing to look at": true, "ACME01-0": true, "<script": false})
	b.happen()
	grave := map[string]bool{
		"First steps": false, "Nothing to look at": false,
		"Revoked stamps accepted offline: 1": true, "Genuine stamps on changed or other files: 1": true, "Two scans under one id: 1": true,
		"hooks.acme.example": true, "A signing key is old": true, "Scanners that have not synced for over 7 days: 1": true,
		"An API key ends soon": true, "Registrar &lt;i&gt;": true, "100 % used": true, "<meter": true, "Diplomas &lt;b&gt;": true, "Tomorrow": true, "Webhook deliveries that failed": false,
	}
	says(enter("ACME01", "owner", account.Owner), "/console/", grave)
	grave["An API key ends soon"], grave["Registrar &lt;i&gt;"] = false, false
	says(enter("ACME01", "viewer", account.Viewer), "/console/", grave)
	none := map[string]bool{"Nothing to look at": true, "No scanner has sent a scan of your stamps yet.": true, "<meter": false}
	says(enter("OTHER1", "other", account.Owner), "/console/", none)
	operator := enter("", "operator", account.Operator)
	says(operator, "/console/", map[string]bool{"run the gateway": true, "To look at": false})
	says(operator, "/console/account", map[string]bool{"run the gateway": true})
	says(enter("ACME01", "account", account.Issuer), "/console/account", map[string]bool{"issue, suspend, revoke and replace documents": true})
}

// TestScreen: the screen with axe, light and dark, in English and Arabic.
//
//engine:sqlite the screens are the same on both
func TestScreen(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	s := consoletest.Open(t, b.World)
	s.As(consoletest.Ruth(account.Owner))
	s.At("/console/")
	s.Is("/console/", "Overview")
	s.Look("dashboard-first")
	b.happen()
	s.As(account.Spec{Tenant: "ACME01", Email: "sam@acme.example", Name: "Sam", Role: account.Owner})
	s.At("/console/")
	consoletest.Eval[bool](s, `document.querySelector('details').open = true`)
	s.Look("dashboard")
	if got := consoletest.Eval[string](s, `document.querySelector('details tbody').rows.length + ' ' + document.querySelectorAll('.chart rect').length`); got != "14 14" {
		t.Errorf("days: %s", got)
	}
	s.Language("ar")
	s.Look("dashboard-ar")
	s.Quiet()
}

// TestSpeed logs the time of the server for the screens of overview and bulk jobs, with
// TCODE_STAMPS stamps, by default 300.
func TestSpeed(t *testing.T) {
	rounds := 200
	n, err := strconv.Atoi(os.Getenv("TCODE_STAMPS"))
	if err != nil {
		n, rounds = 300, 20
	}
	b := newBoard(t)
	like := b.stamped("like")
	b.happen()
	id := b.Identity("ACME01")
	storetest.Seed(t, b.Dir, like.ID, n)
	raw := storetest.Raw(t, b.Dir)
	_, err = raw.Exec(`INSERT INTO bulk_jobs (tenant, id, product, status, settings, csv_sha256, csv_bytes, zip_sha256, zip_bytes, created_by, wake_at, created_at, updated_at, problems)
		SELECT j.tenant, '00000000-0000-7000-8000-' || CAST(100000000000 + s.i AS TEXT), j.product, CASE s.i % 9 WHEN 0 THEN 'Failed' ELSE 'Completed' END, j.settings, j.csv_sha256, 1, j.zip_sha256, 1, 'k', 0, j.created_at + s.i, j.updated_at, j.problems
		FROM (SELECT * FROM bulk_jobs WHERE tenant = 'ACME01' AND status = 'Failed' LIMIT 1) j, (WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 20000) SELECT i FROM s) s`)
	harness.Must(t, err)
	_, err = raw.Exec(`INSERT INTO usage_days (tenant, day, kind, used) SELECT 'ACME01', 20240100 + s.i, k.kind, s.i FROM
		(WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 31) SELECT i FROM s) s, (SELECT 'stamps' AS kind UNION SELECT 'verifications' UNION SELECT 'scans') k`)
	harness.Must(t, err)
	page, err := b.Admin.Bulk.Browse(t.Context(), id, bulk.Filter{Status: bulk.Failed}, 1, 1)
	harness.Must(t, err)
	c := b.Browser("browser")
	c.Enrol(b.Invite(consoletest.Ruth(account.Owner)))
	for _, path := range []string{"/console/", "/console/bulk", "/console/bulk?state=Failed&page=50", "/console/bulk/new", "/console/bulk/jobs/" + page.Items[0].ID} {
		var took []time.Duration
		for range rounds {
			begun := time.Now()
			c.Want(path, nil, http.StatusOK, "")
			took = append(took, time.Since(begun))
		}
		slices.Sort(took)
		t.Logf("%-50s p50 %v, p95 %v, most %v", path, took[rounds/2].Round(100*time.Microsecond), took[rounds*19/20].Round(100*time.Microsecond), took[rounds-1].Round(100*time.Microsecond))
	}
}
