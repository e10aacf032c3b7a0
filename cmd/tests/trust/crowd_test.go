package trust_test

import (
	"bytes"
	"context"
	"net/http"
	"testing"
	"time"

	"tcode/cmd/internal/device"
	"tcode/cmd/internal/world"
	"tcode/offline"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/server"
)

// TestTrustSize: 1,000,000 stamps, 1 % of them revoked, take at most 20 KB for
// a new device, and a revocation takes a few small requests.
func TestTrustSize(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	w.Down()
	c := newCrowd(w, 20, map[statuslist.Value]int{statuslist.Revoked: 500})
	w.Start()
	c.published()
	s := w.OpenDevice("device")
	first, err := s.Enrol(t.Context(), w.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := s.Cache.Export(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	t.Logf("1,000,000 stamps, 10,000 revoked: %d requests and %d bytes for all; %d bytes as a file", first.Requests, first.Bytes, file.Len())
	if first.Bytes > 20_000 || file.Len() > 20_000 || first.Requests > 10 {
		t.Error("want at most 10 requests and 20,000 bytes")
	}
	p := w.Stamp(w.Issuers[0], "one", world.Document(t, "arabic.pdf"))
	w.Call(w.Issuers[0], http.MethodPost, "/v1/tcode/stamps/"+p.ID+"/revoke",
		map[string]any{"reason": "test"}, nil)
	c.published()
	r, err := s.Refresh(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("one revocation: %d requests and %d bytes; shards %v", r.Requests, r.Bytes, r.Changes.Shards)
	if len(r.Changes.Shards) != 1 || r.Changes.Shards[0] != p.Payload.Status.Shard() ||
		r.Requests > 5 || r.Bytes > 2000 {
		t.Error("want one shard, at most 5 requests and 2,000 bytes")
	}
	shard := shardOf(w, s, p.Payload.Status.Shard())
	if got := shard.Get(p.Payload.Status.Entry()); got != statuslist.Revoked {
		t.Errorf("the revoked stamp is %v", got)
	}
}

// shardOf returns a shard of the status list that a device holds.
func shardOf(w *world.World, s *device.Device, number uint16) *statuslist.Shard {
	w.T.Helper()
	snapshot, err := s.Cache.Snapshot(w.T.Context())
	if err != nil {
		w.T.Fatal(err)
	}
	shard, err := snapshot.Shard(number)
	if err != nil || shard == nil {
		w.T.Fatalf("shard %d: %v", number, err)
	}
	return shard
}

// TestTrustTraffic: a device refreshes every half hour, at a gateway with
// TCODE_STATUS_STAMPS stamps, of which 1 % are revoked, all alike, and 1 % more
// in a year. Bars: enrolment at 10,000,000 stamps in 50 requests, 25 MB a day
// at 1,000,000,000.
func TestTrustTraffic(t *testing.T) {
	t.Parallel()
	stamps := world.Count(t, "TCODE_STATUS_STAMPS", 10_000_000)
	const refreshes = 48
	w := world.New(t, 1)
	w.Down()
	c := newCrowd(w, stamps/stampsOfAShard,
		map[statuslist.Value]int{statuslist.Revoked: stampsOfAShard / 100})
	w.Start()
	c.published()
	s := w.OpenDevice("device")
	first, err := s.Enrol(t.Context(), w.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d stamps: enrolment by %d requests and %d bytes", stamps, first.Requests, first.Bytes)
	if limit := 10 + stamps/5_000_000; first.Requests > limit {
		t.Errorf("want at most %d requests", limit)
	}
	perDay := stamps / 100 / 365
	times := world.Count(t, "TCODE_STATUS_REFRESHES", 3)
	requests, bytes, done := 0, int64(0), 0
	for i := range times {
		w.Ahead.Add(int64(24 * time.Hour / refreshes))
		c.change(perDay*(i+1)/refreshes-done, w.Issuers[0].Reference, statuslist.Revoked)
		done = perDay * (i + 1) / refreshes
		c.published()
		r, err := s.Refresh(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		requests, bytes = requests+r.Requests, bytes+r.Bytes
	}
	day := bytes * refreshes / int64(times)
	t.Logf("%d refreshes with %d revocations: %d requests, %d bytes; %.2f MB a day", times, done, requests, bytes, float64(day)/1e6)
	if day > 25_000_000 {
		t.Error("want at most 25 MB a day")
	}
	c.same(s, nil)
}

// same compares each entry that the device holds with the gateway's rows. If
// more is not nil, same calls it for each of those rows too.
func (c *crowd) same(s *device.Device, more func(shard, entry uint16, want statuslist.Value)) (asked int) {
	c.t.Helper()
	snapshot, err := s.Cache.Snapshot(context.Background())
	if err != nil {
		c.t.Fatal(err)
	}
	wrong := 0
	for number := range snapshot.State().Shards {
		shard, err := snapshot.Shard(uint16(number))
		if err != nil || shard == nil {
			c.t.Fatalf("shard %d: %v", number, err)
		}
		rows, err := c.db.Query(`SELECT entry, value FROM status_entries WHERE shard = $1`, number)
		if err != nil {
			c.t.Fatal(err)
		}
		want := new(statuslist.Shard)
		for rows.Next() {
			var entry uint16
			var value statuslist.Value
			if err := rows.Scan(&entry, &value); err != nil {
				c.t.Fatal(err)
			}
			want.Set(entry, value)
			if more != nil {
				more(uint16(number), entry, value)
			}
		}
		if err := rows.Err(); err != nil {
			c.t.Fatal(err)
		}
		for entry := range statuslist.Entries {
			if asked++; shard.Get(uint16(entry)) != want.Get(uint16(entry)) {
				wrong++
			}
		}
	}
	if wrong > 0 {
		c.t.Errorf("%d of %d entries are wrong", wrong, asked)
	}
	return asked
}

// TestOfflineExactness: a device that enrolled and followed changes, by delta and
// by packs, answers about every stamp as the gateway's database does: each entry of
// each shard, and TCODE_EXACT stamps by their signed payloads through the verifier.
func TestOfflineExactness(t *testing.T) {
	t.Parallel()
	verified := world.Count(t, "TCODE_EXACT", 1000)
	shards := (max(verified, 2*stampsOfAShard) + stampsOfAShard - 1) / stampsOfAShard
	w := world.New(t, 1)
	w.Down()
	g, err := server.Open(t.Context(), server.Config{Init: true, Data: w.Data})
	if err != nil {
		t.Fatal(err)
	}
	signer, seq, err := g.Tenants.Signer(t.Context(), w.Issuers[0].Reference)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	c := newCrowd(w, shards, map[statuslist.Value]int{
		statuslist.None: stampsOfAShard - 850, statuslist.Revoked: 500, statuslist.Suspended: 250, statuslist.Replaced: 100,
	})
	w.Start()
	c.published()
	s, away := w.OpenDevice("device"), w.OpenDevice("away")
	for _, s := range []*device.Device{s, away} {
		if _, err := s.Enrol(t.Context(), w.URL(), nil); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		c.change(300, w.Issuers[0].Reference, statuslist.Revoked, statuslist.Suspended,
			statuslist.None)
		c.published()
		if _, err := s.Refresh(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
	// more than a delta holds
	c.change(5000, w.Issuers[0].Reference, statuslist.Revoked, statuslist.None)
	c.published()
	for _, s := range []*device.Device{s, away} {
		if _, err := s.Refresh(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		c.same(s, nil)
	}

	snapshot, err := s.Cache.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	verifier, issued := offline.New(snapshot, offline.Policy{}), time.Now().UTC().Truncate(time.Second)
	verdicts := map[statuslist.Value]offline.Verdict{
		statuslist.None: offline.Valid, statuslist.Revoked: offline.Revoked, statuslist.Suspended: offline.Suspended, statuslist.Replaced: offline.Revoked,
	}
	every := max(1, shards*stampsOfAShard/verified)
	seen, judged, wrong := 0, 0, 0
	asked := c.same(s, func(shard, entry uint16, want statuslist.Value) {
		if seen++; seen%every != 0 {
			return
		}
		p := payload.Payload{
			Issuer: w.Issuers[0].Reference, KeySeq: seq, DocumentType: "DIP", IssuedAt: issued,
			Reference: payload.Reference{1, byte(shard >> 8), byte(shard), byte(entry >> 8), byte(entry)}, Status: payload.NewStatusIndex(shard, entry),
		}
		if err := p.Seal(signer); err != nil {
			t.Fatal(err)
		}
		raw, err := p.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		r := verifier.Verify(offline.Clock{Now: time.Now()}, offline.Request{Payload: raw})
		if judged++; r.Verdict != verdicts[want] {
			if wrong++; wrong < 5 {
				t.Errorf("shard %d, entry %d is %v: verdict %s", shard, entry, want, r.Verdict)
			}
		}
	})
	t.Logf("%d stamps: %d entries asked, %d stamps verified, %d wrong", seen, asked, judged, wrong)
}
