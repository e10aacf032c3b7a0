package outbox_test

//race:some SQLite is Go here: the detector would watch its memory

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

func TestDeadCanBeRequeued(t *testing.T) {
	t.Parallel()
	o := fresh(t)
	scans := record(t, o, 2)
	settle(t, o, lease(t, o, "b1", noon, outbox.Limits{Items: 1}), outbox.Rejected, time.Time{})
	dead, err := o.History(t.Context(), outbox.Filter{State: outbox.Dead})
	if err != nil || len(dead) != 1 || dead[0].Scan.ScanID != scans[0].ScanID {
		t.Fatalf("History = %+v, %v", dead, err)
	}
	if err := o.Requeue(t.Context(), scans[0].ScanID, scans[1].ScanID); !errors.Is(err, outbox.ErrTransition) {
		t.Errorf("requeue of a queued scan: %v", err)
	}
	if got := state(t, o, scans[0].ScanID).State; got != outbox.Dead {
		t.Errorf("half of a refused requeue was done: %s", got)
	}
	if err := o.Requeue(t.Context(), scans[0].ScanID); err != nil {
		t.Fatal(err)
	}
	if got := state(t, o, scans[0].ScanID).State; got != outbox.Queued {
		t.Errorf("requeued scan is %s", got)
	}
	if err := o.Requeue(t.Context(), "none"); !errors.Is(err, outbox.ErrNoScan) {
		t.Errorf("requeue of nothing: %v", err)
	}
}

func TestHistoryPages(t *testing.T) {
	t.Parallel()
	o := fresh(t)
	record(t, o, 5)
	var seqs []uint64
	before := uint64(0)
	for {
		page, err := o.History(t.Context(), outbox.Filter{Limit: 2, Before: before})
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			seqs = append(seqs, e.Scan.Seq)
			before = e.Scan.Seq
		}
	}
	if !slices.Equal(seqs, []uint64{5, 4, 3, 2, 1}) {
		t.Errorf("history %v", seqs)
	}
}

// A flipped bit anywhere in a scan is detected, and the scan is not sent.
func TestDamagedRowIsNotSent(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		`payload = x'd711aa'`, `verdict = 'revoked'`, `scanned_at = scanned_at + 1`, `trust_issued = trust_issued - 1`,
		`seq = 7`, `location = 'elsewhere'`, `flags = 1`, `source = 'b.pdf'`, `page = 2`, `digest = zeroblob(32)`, `row_sum = zeroblob(8)`,
		`payload = NULL, reference = 'TCR-1'`, `coordinates = 1`,
	} {
		path := filepath.Join(t.TempDir(), "outbox.db")
		o := open(t, path)
		scans := record(t, o, 2)
		if err := outbox.Tamper(t.Context(), o, `UPDATE scans SET `+change+` WHERE scan_id = $1`, scans[0].ScanID); err != nil {
			t.Fatal(err)
		}
		if _, err := o.Lease(t.Context(), "b1", noon, outbox.Limits{}); !outbox.IsDamaged(err) {
			t.Errorf("%s: Lease = %v, want damage", change, err)
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		o = open(t, path) // repairs
		b := lease(t, o, "b1", noon, outbox.Limits{})
		if len(b.Batch.Items) != 1 || b.Batch.Items[0].ScanID != scans[1].ScanID {
			t.Errorf("%s: sent %d scans", change, len(b.Batch.Items))
		}
		losses, err := o.Losses(t.Context(), 10)
		if err != nil || len(losses) != 1 || losses[0].Seq != 1 {
			t.Errorf("%s: losses %+v, %v", change, losses, err)
		}
		repairs, err := o.Repairs(t.Context())
		if err != nil || len(repairs) != 1 || repairs[0].Kept != 1 || repairs[0].Lost != 1 {
			t.Errorf("%s: repairs %+v, %v", change, repairs, err)
		}
	}
}

func TestPauseAndNextDue(t *testing.T) {
	t.Parallel()
	o := fresh(t)
	if _, ok, err := o.NextDue(t.Context(), noon); ok || err != nil {
		t.Errorf("NextDue of nothing: %v, %v", ok, err)
	}
	record(t, o, 1)
	if err := o.Pause(t.Context(), noon.Add(10*time.Minute)); err != nil {
		t.Fatal(err)
	}
	if b := lease(t, o, "b1", noon, outbox.Limits{}); len(b.Batch.Items) != 0 {
		t.Error("leased during a pause")
	}
	at, ok, err := o.NextDue(t.Context(), noon)
	if err != nil || !ok || !at.Equal(noon.Add(10*time.Minute)) {
		t.Errorf("NextDue = %v, %v, %v", at, ok, err)
	}
	// A clock that was years ahead must not stop the queue for years.
	if err := o.Pause(t.Context(), noon.AddDate(3, 0, 0)); err != nil {
		t.Fatal(err)
	}
	b := lease(t, o, "b2", noon, outbox.Limits{})
	if len(b.Batch.Items) != 1 {
		t.Fatal("a pause of years held")
	}
	settle(t, o, b, outbox.Retry, noon.AddDate(3, 0, 0))
	if b = lease(t, o, "b3", noon, outbox.Limits{}); len(b.Batch.Items) != 1 {
		t.Error("a wait of years held")
	}
	settle(t, o, b, outbox.Retry, noon.Add(4*time.Minute))
	if b = lease(t, o, "b4", noon, outbox.Limits{}); len(b.Batch.Items) != 0 {
		t.Error("leased before its time")
	}
	if err := o.RetryNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b = lease(t, o, "b5", noon, outbox.Limits{}); len(b.Batch.Items) != 1 {
		t.Error("RetryNow did not make it due")
	}
}

func TestSyncLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "outbox.db")
	a, b := open(t, path), open(t, path)
	record(t, a, 1)
	l, err := a.LockSync()
	if err != nil {
		t.Fatal(err)
	}
	lease(t, a, "b1", noon, outbox.Limits{})
	if _, err := b.LockSync(); !errors.Is(err, outbox.ErrSyncing) {
		t.Fatalf("second lock: %v, want ErrSyncing", err)
	}
	record(t, b, 1) // during the sync of the other one
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	l, err = b.LockSync()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Unlock() //nolint:errcheck
	if err := b.Recover(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if got := lease(t, b, "b2", noon, outbox.Limits{}); len(got.Batch.Items) != 2 {
		t.Errorf("%d due after the sender died, want 2", len(got.Batch.Items))
	}
}

func TestBind(t *testing.T) {
	t.Parallel()
	o := fresh(t)
	for _, tt := range []struct {
		id   string
		want error
	}{{"dev_a", nil}, {"dev_a", nil}, {"dev_b", outbox.ErrOtherDevice}} {
		if err := o.Bind(t.Context(), tt.id); !errors.Is(err, tt.want) {
			t.Errorf("Bind(%s) = %v, want %v", tt.id, err, tt.want)
		}
	}
}

// As in an audit, rows and receipts alone give the digest that the gateway
// signed.
func TestReceiptCoversRows(t *testing.T) {
	t.Parallel()
	o := fresh(t)
	record(t, o, 3)
	b := lease(t, o, "b1", noon, outbox.Limits{})
	b.Batch.ScannerID = "dev"
	settle(t, o, b, outbox.Accepted, time.Time{})
	rows, err := o.History(t.Context(), outbox.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(rows)
	var digests []digest.SHA256
	for _, e := range rows {
		digests = append(digests, e.Digest)
	}
	rs, err := o.Receipts(t.Context(), 0, 1)
	if err != nil || len(rs) != 1 {
		t.Fatal(rs, err)
	}
	if got := wire.DigestOf("dev", digests); got != rs[0].Receipt.BatchDigest || rows[0].ReceiptID != rs[0].ID {
		t.Errorf("digest from rows %s, from receipt %s", got, rs[0].Receipt.BatchDigest)
	}
}

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		recordForEver(path)
	}
	os.Exit(m.Run())
}

// TestOneBatchIDTwice: two batches with one id and different scans have two
// receipts. The receipt of one does not make a scan of the other done, which is
// sent under another id.
func TestOneBatchIDTwice(t *testing.T) {
	t.Parallel()
	o := fresh(t)
	scans := record(t, o, 2)
	settle(t, o, lease(t, o, "b1", noon, outbox.Limits{Items: 1}), outbox.Accepted, time.Time{})
	again := lease(t, o, "b1", noon, outbox.Limits{})
	r := receipt(again.Batch)
	r.Note = "another note"
	err := o.Settle(t.Context(), outbox.Settlement{BatchID: "b1", At: noon, ReceivedAt: noon, Receipt: r, Answers: []outbox.Answer{
		{ScanID: scans[1].ScanID, Event: outbox.Accepted},
	}})
	if got := state(t, o, scans[1].ScanID).State; !errors.Is(err, outbox.ErrReceipt) || got != outbox.Inflight {
		t.Errorf("by the receipt of other scans: %s, %v", got, err)
	}
	late := noon.Add(outbox.DefaultLease + time.Minute)
	settle(t, o, lease(t, o, "b2", late, outbox.Limits{}), outbox.Accepted, time.Time{})
	kept, err := o.Receipts(t.Context(), 0, 10)
	if got := state(t, o, scans[1].ScanID).State; err != nil || len(kept) != 2 || got != outbox.Done {
		t.Errorf("under another name: %s, %d receipts, %v", got, len(kept), err)
	}
}
