package app_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/digest"
	"tcode/offline/host/journal"
	"tcode/offline/host/trustjournal"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trustbook"
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/web/engine"
	"tcode/scanner/web/engine/still"
	"tcode/sync/outbox"
	"tcode/sync/wire"
	"tcode/testdata"
)

// notASymbol is the vector that has no symbol: a symbol holds at least one character.
const notASymbol = "not-found-empty.json"

// TestEngineVectors puts the device of each verdict vector, its documents, history and clocks, below the engine and below tcode-scan. A
// picture of the vector's symbol gets the same bytes of JSON from both. Typed text gets the vector's answer for a text without a file.
// A scan of the history that is judged again, with the binding that was recorded, gets the vector's answer.
func TestEngineVectors(t *testing.T) {
	t.Parallel()
	vectors := verdictVectors(t)
	all, did := &vectorDevices{t: t, by: map[offline.Policy]*device.Device{}}, map[string]int{}
	for name, v := range vectors {
		t.Run(name, func(t *testing.T) {
			d := all.put(t, v)
			if name == notASymbol {
				did["no symbol"]++
			} else {
				did["picture: "+d.picture(t)]++
				did["typed: "+d.typed(t)]++
			}
			did["judged again: "+d.again(t)]++
		})
	}
	t.Logf("%d vectors; %v; the scanId differs", len(vectors), did)
	if did["picture: same bytes"] != len(vectors)-1 || did["judged again: same bytes"] < len(vectors)/2 {
		t.Errorf("too few were compared: %v", did)
	}
}

// verdictVectors returns the verdict vectors by file name.
func verdictVectors(t *testing.T) map[string]offline.Vector {
	t.Helper()
	files, err := fs.Glob(testdata.Vectors, "vectors/verdict/*.json")
	if err != nil || len(files) < 90 {
		t.Fatalf("%d vectors (%v)", len(files), err)
	}
	all := map[string]offline.Vector{}
	for _, name := range files {
		raw, err := fs.ReadFile(testdata.Vectors, name)
		if err != nil {
			t.Fatal(err)
		}
		if all[filepath.Base(name)], err = offline.ParseVector(raw); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// A vectorDevice is the device of a vector twice: below the engine and below tcode-scan.
type vectorDevice struct {
	offline.Vector
	raw    []byte // the payload
	text   string // of its symbol
	engine *engine.Engine
	scans  *outbox.Book // of the engine
	scan   *device.Device
}

// vectorDevices are devices of tcode-scan, by their policy. Their clocks are those of the present vector.
type vectorDevices struct {
	t   *testing.T
	by  map[offline.Policy]*device.Device
	now *offline.Vector
}

// device returns a device with the policy and the trust documents of a vector, and an empty history.
func (all *vectorDevices) device(v offline.Vector, policy offline.Policy) *device.Device {
	t := all.t
	t.Helper()
	all.now = &v
	d := all.by[policy]
	if d == nil {
		var err error
		d, err = device.Open(t.Context(), device.Config{
			Home: t.TempDir(), Policy: policy, Now: func() time.Time { return all.now.Now }, Boot: func() offline.Boot { return bootOf(all.now) },
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		all.by[policy] = d
	}
	history, err := outbox.Open(t.Context(), filepath.Join(t.TempDir(), "outbox.db"))
	if err := errors.Join(err, d.Cache.Close(), d.Outbox.Close()); err != nil {
		t.Fatal(err)
	}
	d.Cache.Book, d.Outbox = vectorBook(t, v), history
	return d
}

func bootOf(v *offline.Vector) offline.Boot {
	return offline.Boot{ID: v.Boot.ID, At: seconds(v.Boot.Seconds)}
}

// put puts the device of a vector below the engine and below tcode-scan.
func (all *vectorDevices) put(t *testing.T, v offline.Vector) *vectorDevice {
	t.Helper()
	d := engineOf(t, v)
	d.scan = all.device(v, d.engine.Policy())
	if at := v.NewestScan; !at.IsZero() {
		earlier := func() *outbox.Scan {
			return &outbox.Scan{Payload: []byte{0xd7, 0x11, 1}, ScannedAt: at, Verdict: "valid", Assurance: "signature_and_status", Binding: "match", Source: "earlier.pdf", Page: 1}
		}
		if err := errors.Join(d.scans.Record(t.Context(), earlier()), d.scan.Outbox.Record(t.Context(), earlier())); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// engineOf puts the device of a vector below the engine, without its history.
func engineOf(t *testing.T, v offline.Vector) *vectorDevice {
	t.Helper()
	d := &vectorDevice{Vector: v, text: v.Text, raw: []byte(v.Text)}
	if v.Payload != "" {
		d.raw = unhex(t, v.Payload)
		d.text = payload.EncodeText(d.raw)
		if _, err := payload.Parse(d.raw); err != nil { // devices keep and judge it as it was read
			d.raw, d.Payload, d.Text, d.Want = []byte(d.text), "", d.text, nil
		}
	}
	policy := offline.Policy{Fresh: seconds(v.FreshSeconds), HardExpiry: seconds(v.HardSeconds), AcceptTest: v.AcceptTest, Language: v.Language}
	now := func() time.Time { return v.Now }
	boot := func() offline.Boot { return bootOf(&v) }
	disk, err := new(journal.Disk).Open()
	if err != nil {
		t.Fatal(err)
	}
	if d.scans, err = outbox.OpenBook(t.Context(), disk); err != nil {
		t.Fatal(err)
	}
	if d.engine, err = engine.New(engine.Config{Trust: vectorBook(t, v), Scans: d.scans, Policy: policy, Now: now, Boot: boot}); err != nil {
		t.Fatal(err)
	}
	return d
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

func unhex(t *testing.T, digits string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// vectorBook returns a trust store with the content that a vector describes, damage included.
func vectorBook(t *testing.T, v offline.Vector) *trustbook.Book {
	t.Helper()
	var disk journal.Disk
	store, err := trustjournal.OpenStore(t.Context(), func(context.Context) (journal.Journal, error) { return disk.Open() })
	if err != nil {
		t.Fatal(err)
	}
	book := trustbook.New(store, func() time.Time { return v.Now })
	write := func(change func(*trustbook.Change)) {
		t.Helper()
		if err := store.Update(t.Context(), func(r trustbook.Reader) (c trustbook.Change, err error) {
			c.Facts, err = r.Facts()
			c.Facts.Generation++
			change(&c)
			return c, err
		}); err != nil {
			t.Fatal(err)
		}
	}
	write(func(c *trustbook.Change) {
		c.Roots = map[int][]byte{}
		for i, root := range v.Roots {
			c.Roots[i+1] = []byte(root)
		}
		for _, digits := range v.Remembered {
			core, err := digest.Parse(digits)
			if err != nil {
				t.Fatal(err)
			}
			c.Remembered = append(c.Remembered, core)
		}
	})
	if !v.Proof.Time.IsZero() {
		s, err := book.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p := offline.Proof{Time: v.Proof.Time, Boot: offline.Boot{ID: v.Proof.Boot.ID, At: seconds(v.Proof.Boot.Seconds)}}
		if _, err := book.Prove(t.Context(), s.State().Root.Online, p); err != nil {
			t.Fatal(err)
		}
	}
	write(func(c *trustbook.Change) {
		c.Facts.Floor, c.Facts.Ahead = v.Floor, v.Ahead
		if v.Timestamp != "" {
			c.Timestamp, c.Bundle, c.Status = []byte(v.Timestamp), []byte(v.Bundle), []byte(v.Status)
		}
		c.Packs, c.Shards, c.Survivors = map[uint16][]byte{}, map[uint16]trustbook.Shard{}, map[string][]byte{}
		for i, digits := range v.Packs {
			c.Packs[uint16(i)] = unhex(t, digits)
		}
		for number, entries := range v.Shards {
			shard := new(statuslist.Shard)
			for entry, value := range entries {
				shard.Set(entry, value)
			}
			c.Shards[number] = trustbook.Shard{Hash: shard.Hash(), Deflated: shard.Deflate()}
		}
		for _, list := range v.Survivors {
			marks := make([]statuslist.Mark, len(list))
			for i, digits := range list {
				copy(marks[i][:], unhex(t, digits))
			}
			survivors := statuslist.NewSurvivors(marks)
			c.Survivors[survivors.Hash().String()] = survivors.Bytes()
		}
	})
	return book
}

// picture compares the engine's answer to a picture of the symbol with that of tcode-scan.
func (d *vectorDevice) picture(t *testing.T) string {
	t.Helper()
	stamp := anySymbol(t, d.text)
	m := gray.New(stamp.Cols*5+60, stamp.Rows*5+60)
	m.Fill(240)
	simulate.Draw(m, stamp, simulate.Place{X: 30, Y: 30, ModulePx: 5, Quiet: 3}, 15, 240)
	var file bytes.Buffer
	if err := png.Encode(&file, &image.Gray{Pix: m.Pix, Stride: m.Stride, Rect: image.Rect(0, 0, m.Width, m.Height)}); err != nil {
		t.Fatal(err)
	}
	drawn, err := d.scan.Verify(t.Context(), "symbol.png", file.Bytes(), device.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	decode := func(context.Context) (engine.Decoded, error) { return grayPicture{(*still.Memory)(m)}, nil }
	got, err := d.engine.Still(t.Context(), engine.Still{Name: "symbol.png", Source: engine.SourceFile, File: file.Bytes(), Size: int64(file.Len()), Decode: decode}, wire.Context{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Findings) != 1 || len(drawn) != 1 {
		t.Fatalf("%d and %d answers", len(got.Findings), len(drawn))
	}
	want := strings.Join(linesOf(t, drawn), "") + "\n"
	if diff := cmp.Diff(kept.ReplaceAllString(want, ""), kept.ReplaceAllString(got.JSON, "")); diff != "" {
		t.Errorf("picture (-tcode-scan +engine):\n%s", diff)
	}
	return "same bytes"
}

// typed compares the engine's answer to the text with the vector's, for a text without a file.
func (d *vectorDevice) typed(t *testing.T) string {
	t.Helper()
	got, err := d.engine.Typed(t.Context(), d.text, wire.Context{})
	if errors.Is(err, engine.ErrNotTCode) {
		if r, err := d.Run(); err != nil || r.Verdict != offline.NotFound {
			t.Errorf("no TCode, but the vector says %s (%v)", r.Verdict, err)
		}
		return "no TCode"
	}
	if err != nil {
		t.Fatal(err)
	}
	v := d.Vector
	v.Binding, v.BindingDetail = binding.NotChecked, ""
	if i := slices.IndexFunc(got.Findings[0].Result.Checks, func(c offline.Check) bool { return c.Name == offline.CheckBinding }); i >= 0 {
		v.BindingDetail = got.Findings[0].Result.Checks[i].Detail
	}
	want, err := v.Run()
	if err != nil {
		t.Fatal(err)
	}
	d.same(t, "typed", want, got.Findings[0].Result)
	return "same bytes"
}

// again compares the engine's answer to a scan of the history with the vector's.
func (d *vectorDevice) again(t *testing.T) string {
	t.Helper()
	if d.Binding != binding.Match && d.Binding != binding.Mismatch {
		return "binding " + string(d.Binding) + " is not remembered"
	}
	got, err := d.engine.Rejudge(t.Context(), outbox.Entry{Scan: outbox.Scan{Payload: d.raw, Binding: string(d.Binding), Page: 1}}, true)
	if err != nil {
		t.Fatal(err)
	}
	var want any = d.Want
	if d.Want == nil {
		if want, err = d.Run(); err != nil {
			t.Fatal(err)
		}
	}
	d.same(t, "judged again", want, got.Findings[0].Result)
	return "same bytes"
}

func (d *vectorDevice) same(t *testing.T, what string, want, got any) {
	t.Helper()
	a, err1 := json.Marshal(want)
	b, err2 := json.Marshal(got)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(a), string(b)); diff != "" {
		t.Errorf("%s (-vector +engine):\n%s", what, diff)
	}
}

// anySymbol returns the smallest square symbol of a text, whether that of a TCode or not.
func anySymbol(t *testing.T, text string) simulate.Symbol {
	t.Helper()
	if _, _, err := payload.Codewords(text); err == nil {
		return symbolOf(t, text)
	}
	var data []byte
	for _, c := range []byte(text) {
		data = append(data, c+1) // ASCII
	}
	for _, s := range ecc200.Sizes() {
		if !s.Square() || s.Data < len(data) {
			continue
		}
		for first := true; len(data) < s.Data; first = false {
			pad := 129
			if !first { // the 253-state algorithm
				if pad += 149*(len(data)+1)%253 + 1; pad > 254 {
					pad -= 254
				}
			}
			data = append(data, byte(pad))
		}
		dark, err := ecc200.Encode(data, s)
		if err != nil {
			t.Fatal(err)
		}
		return simulate.Symbol{Rows: s.Rows, Cols: s.Cols, Dark: dark}
	}
	t.Fatalf("no symbol holds %q", text)
	return simulate.Symbol{}
}
