package verify_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/note"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// device is a scanner with a key.
type device struct {
	key ed25519.PrivateKey
	id  string
	seq uint64
}

func newDevice(t testing.TB) *device {
	t.Helper()
	pub, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &device{key: key, id: wire.ScannerID(pub)}
}

func (d *device) item(payload string, at time.Time) wire.Item {
	d.seq++
	return wire.Item{
		ScanID: uuid.Must(uuid.NewV7()).String(), Seq: d.seq, Payload: payload, ScannedAt: wire.TruncateMillis(at),
		OfflineVerdict: "valid", Assurance: "signature_and_status", Binding: "match", TrustVersion: 7,
		Context: wire.Context{Location: "Gate 4", Coordinates: true, LatitudeE6: -33_000_001, LongitudeE6: 151_000_001, Note: "wet"},
	}
}

func (d *device) batch(at time.Time, items ...wire.Item) wire.Batch {
	return wire.Batch{ID: uuid.NewString(), ScannerID: d.id, SentAt: wire.TruncateMillis(at), Items: items}
}

func (d *device) sign(t testing.TB, b wire.Batch) verify.Proof {
	t.Helper()
	key, sig, err := wire.SignBatch(b, d.key)
	if err != nil {
		t.Fatal(err)
	}
	return verify.Proof{DeviceKey: key, Signature: sig}
}

func send(t *testing.T, b *storetest.Bundle, batch wire.Batch, p verify.Proof) wire.Reply {
	t.Helper()
	r, err := b.Verify.Sync(t.Context(), batch, p)
	if err != nil {
		t.Fatal(err)
	}
	if r.BatchID != batch.ID && !batch.Single {
		t.Errorf("batch id %q, want %q", r.BatchID, batch.ID)
	}
	return r
}

func scans(t *testing.T, b *storetest.Bundle, table string) (n int) {
	t.Helper()
	if err := storetest.Raw(t, b.Dir).QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSyncJudges: a scan made before a revocation and synced after it is valid then, and revoked now.
func TestSyncJudges(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	st := b.Stamp(t, id, "n")
	d := newDevice(t)
	ctx := t.Context()
	early := d.item(b64(st.Payload), b.Clock.Now().Add(-time.Hour)) // the device's clock is behind
	b.Clock.Add(time.Minute)
	active := d.item(b64(st.Payload), b.Clock.Now())
	b.Clock.Add(time.Minute)
	if err := b.Tenants.Suspend(ctx, "ACME01"); err != nil {
		t.Fatal(err)
	}
	b.Clock.Add(time.Minute)
	issuerSuspended := d.item(b64(st.Payload), b.Clock.Now())
	b.Clock.Add(time.Minute)
	if err := b.Tenants.Activate(ctx, "ACME01"); err != nil {
		t.Fatal(err)
	}
	if err := b.Stamps.Act(ctx, id, st.ID, stamp.ActionSuspend, ""); err != nil {
		t.Fatal(err)
	}
	b.Clock.Add(time.Minute)
	suspended := d.item(b64(st.Payload), b.Clock.Now())
	b.Clock.Add(time.Minute)
	if err := b.Stamps.Act(ctx, id, st.ID, stamp.ActionRevoke, ""); err != nil {
		t.Fatal(err)
	}
	b.Clock.Add(time.Minute)
	revoked := d.item(b64(st.Payload), b.Clock.Now())
	forged := d.item(b64(append(bytes.Clone(st.Payload[:107]), st.Payload[107]^1)), b.Clock.Now())
	unparsed := d.item(b64(st.Payload[:50]), b.Clock.Now())
	undecoded := d.item("1###", b.Clock.Now())
	long := d.item(b64(bytes.Repeat([]byte{0xd7}, payload.MaxLen+1)), b.Clock.Now())
	typed := d.item("", b.Clock.Now())
	typed.Reference = sloppy(st.Reference)
	mistyped := d.item("", b.Clock.Now())
	mistyped.Reference = "TCR-0000"

	batch := d.batch(b.Clock.Now(), early, active, issuerSuspended, suspended, revoked, forged, unparsed, undecoded, long, typed, mistyped)
	reply := send(t, b, batch, d.sign(t, batch))
	ref := st.Reference.String()
	found := func(it wire.Item, at string, changed bool) wire.ItemResult {
		return wire.ItemResult{ScanID: it.ScanID, Result: wire.Accepted, Verdict: "revoked", VerdictAtScan: at, Changed: changed, Reference: ref, Status: "Revoked"}
	}
	nothing := func(it wire.Item) wire.ItemResult {
		return wire.ItemResult{ScanID: it.ScanID, Result: wire.Accepted, Verdict: "not_found", VerdictAtScan: "not_found"}
	}
	want := []wire.ItemResult{
		found(early, "valid", true), found(active, "valid", true), found(issuerSuspended, "suspended", true),
		found(suspended, "suspended", true), found(revoked, "revoked", false), nothing(forged), nothing(unparsed),
		{ScanID: undecoded.ScanID, Result: wire.Rejected, Code: fault.CodeInvalidPayload},
		{ScanID: long.ScanID, Result: wire.Rejected, Code: fault.CodeInvalidPayload},
		found(typed, "revoked", false), nothing(mistyped),
	}
	got := reply.Results
	got[7].Message, got[8].Message = "", ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if n := scans(t, b, "scans"); n != 9 {
		t.Errorf("%d scans stored, want all but the rejected ones", n)
	}
	checkReceipt(t, b, batch, reply)
}

// checkReceipt opens the receipt by the online key, as the device does.
func checkReceipt(t *testing.T, b *storetest.Bundle, batch wire.Batch, reply wire.Reply) {
	t.Helper()
	v, err := note.NewVerifier(b.Publish.PublicKey().Note)
	if err != nil {
		t.Fatal(err)
	}
	r, err := wire.OpenReceipt(reply.Receipt, v)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Match(batch, reply.Results); err != nil || r.Clock != len(batch.Clock) {
		t.Errorf("%d of %d clock events, %v", r.Clock, len(batch.Clock), err)
	}
}

// TestSyncAgain: sending the same batch again, or a part of it, or under another id, changes nothing.
func TestSyncAgain(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	st := b.Stamp(t, id, "n")
	d := newDevice(t)
	items := []wire.Item{d.item(b64(st.Payload), b.Clock.Now()), d.item(b64(st.Payload), b.Clock.Now())}
	batch := d.batch(b.Clock.Now(), items[0])
	send(t, b, batch, d.sign(t, batch))
	b.Clock.Add(time.Second)
	if err := b.Stamps.Act(t.Context(), id, st.ID, stamp.ActionRevoke, ""); err != nil {
		t.Fatal(err)
	}
	again := d.batch(b.Clock.Now(), items...)
	reply := send(t, b, again, d.sign(t, again))
	first, _ := reply.Result(items[0].ScanID)
	if first.Result != wire.Duplicate || first.Verdict != "revoked" || first.VerdictAtScan != "valid" || !first.Changed {
		t.Errorf("the scan sent twice: %+v", first)
	}
	if second, _ := reply.Result(items[1].ScanID); second.Result != wire.Accepted {
		t.Errorf("the new scan: %+v", second)
	}
	checkReceipt(t, b, again, reply)

	changed := items[0]
	changed.Context.Location = "Gate 5"
	for range 2 {
		conflict := d.batch(b.Clock.Now(), changed)
		reply = send(t, b, conflict, d.sign(t, conflict))
		if r := reply.Results[0]; r.Result != wire.Conflict {
			t.Errorf("another scan under the same id: %+v", r)
		}
		checkReceipt(t, b, conflict, reply)
	}
	if n, m := scans(t, b, "scans"), scans(t, b, "scan_conflicts"); n != 2 || m != 1 {
		t.Errorf("%d scans and %d conflicts, want 2 and 1", n, m)
	}
}

// TestClaims: a client that claims to be a device, and even knows its scan id, cannot
// affect the device's scans.
func TestClaims(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	st := b.Stamp(t, id, "n")
	d := newDevice(t)
	item := d.item(b64(st.Payload), b.Clock.Now())
	claimed := item
	claimed.OfflineVerdict = "revoked"
	claim := d.batch(b.Clock.Now(), claimed)
	reply := send(t, b, claim, verify.Proof{})
	if reply.Results[0].Result != wire.Accepted {
		t.Errorf("claim: %+v", reply.Results[0])
	}
	if reply.Receipt != "" {
		t.Error("a claim under a device's name got a receipt")
	}
	batch := d.batch(b.Clock.Now(), item)
	if r := send(t, b, batch, d.sign(t, batch)).Results[0]; r.Result != wire.Accepted {
		t.Errorf("the device's own scan after the claim: %+v", r)
	}
	other := newDevice(t)
	for name, p := range map[string]verify.Proof{
		"another device's signature": func() verify.Proof { o := batch; o.ScannerID = other.id; return other.sign(t, o) }(),
		"of another batch":           d.sign(t, d.batch(b.Clock.Now(), item)),
		"no signature":               {DeviceKey: d.sign(t, batch).DeviceKey},
		"rubbish":                    {DeviceKey: "x", Signature: "y"},
	} {
		if _, err := b.Verify.Sync(t.Context(), batch, p); !fault.Is(err, fault.Unauthorized) {
			t.Errorf("%s: %v, want Unauthorized", name, err)
		}
	}
	page, err := b.Verify.Scans(t.Context(), verify.Viewer{Tenant: "ACME01"}, st.Reference.String(), verify.ScanFilter{})
	if err != nil || len(page.Items) != 2 {
		t.Fatalf("scans %+v, %v", page, err)
	}
	for _, s := range page.Items {
		if s.Signed != (s.OfflineVerdict == "valid") {
			t.Errorf("signed %v, offline verdict %s", s.Signed, s.OfflineVerdict)
		}
	}
}

// TestSyncSingle: the usage example's form is a batch of one, and gets its ids here.
func TestSyncSingle(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
	batch, err := wire.DecodeBatch([]byte(`{"payload":"` + b64(st.Payload) + `","context":{"scannerId":"desk-1","location":"Lobby"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		reply := send(t, b, batch, verify.Proof{})
		r := reply.Results[0]
		if r.Result != wire.Accepted || r.Verdict != "valid" || r.VerdictAtScan != "valid" || r.ScanID == "" || reply.BatchID == "" || reply.Receipt == "" {
			t.Errorf("reply %+v", reply)
		}
	}
	if n := scans(t, b, "scans"); n != 2 {
		t.Errorf("%d scans, want 2", n)
	}
}

// TestSyncExactlyOnce: with doubled batches over several concurrent connections, each scan
// is stored exactly once, and accepted exactly once.
func TestSyncExactlyOnce(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
	b2 := storetest.Open(t, b.Dir, b.Clock) // a second gateway on the same database
	d := newDevice(t)
	const items, senders = 60, 8
	all := make([]wire.Item, items)
	for i := range all {
		all[i] = d.item(b64(st.Payload), b.Clock.Now())
	}
	var mu sync.Mutex
	accepted := make(map[string]int)
	var wg sync.WaitGroup
	for s := range senders {
		// The batches overlap, in different orders and of different sizes.
		batches := [][]wire.Item{}
		for at := 0; at < items; at += 7 + s {
			batches = append(batches, all[at:min(at+7+s, items)])
		}
		gateway := []*storetest.Bundle{b, b2}[s%2]
		signed := make([]verify.Proof, len(batches))
		built := make([]wire.Batch, len(batches))
		for i, list := range batches {
			built[i] = d.batch(b.Clock.Now(), list...)
			signed[i] = d.sign(t, built[i])
		}
		wg.Go(func() {
			for i := range built {
				reply, err := gateway.Verify.Sync(context.Background(), built[i], signed[i])
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, r := range reply.Results {
					switch r.Result {
					case wire.Accepted:
						accepted[r.ScanID]++
					case wire.Duplicate:
					default:
						t.Errorf("%+v", r)
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for _, it := range all {
		if accepted[it.ScanID] != 1 {
			t.Errorf("scan %d accepted %d times", it.Seq, accepted[it.ScanID])
		}
	}
	if n, m := scans(t, b, "scans"), scans(t, b, "scan_conflicts"); n != items || m != 0 {
		t.Errorf("%d scans and %d conflicts, want %d and 0", n, m, items)
	}
}
