package trustjournal

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/offline/host/journal"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
)

// TestFacts: facts of any content read as they were written.
func TestFacts(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1795161600007).UTC()
	for _, f := range []trustbook.Facts{
		{},
		{
			Generation: 1<<64 - 1, Gateway: "https://gate.example/a b\"\n\\", PinnedAt: at, AttemptAt: at.Add(1e6), RefreshedAt: at.Add(-1e9),
			AttemptError: "no\nroute\x00\xff é\u2028", Floor: at.Truncate(time.Second), Ahead: 7, Proof: "1 2 3 x",
		},
		{PinnedAt: time.UnixMilli(0).UTC(), Floor: time.Unix(-5, 0).UTC()},
	} {
		raw := formatFacts(f)
		got, err := parseFacts(raw)
		if err != nil || got != f {
			t.Errorf("%s: read %+v, %v", raw, got, err)
		}
		if gatewayOf(raw) != f.Gateway {
			t.Errorf("gateway %q", gatewayOf(raw))
		}
		for i := range raw {
			bad := bytes.Clone(raw)
			bad[i] ^= 1
			if got, err := parseFacts(bad); err == nil {
				t.Errorf("byte %d: %q reads as %+v", i, bad, got)
			}
		}
	}
	long := trustbook.Facts{AttemptError: string(bytes.Repeat([]byte{0xff}, 100_000))}
	raw := formatFacts(long)
	if got, err := parseFacts(raw); err != nil || len(got.AttemptError) != maxError || len(raw) > limits[keyFacts] {
		t.Errorf("a long error takes %d bytes, %v", len(raw), err)
	}
}

// FuzzFacts: bytes that read as facts are the encoding of these facts.
func FuzzFacts(f *testing.F) {
	f.Add(formatFacts(trustbook.Facts{}))
	f.Add(formatFacts(trustbook.Facts{Gateway: "https://gate.example", Floor: trusttest.Day0, AttemptError: "x\n", Proof: "1 2 3 4"}))
	f.Add([]byte(factsHead + "\ngeneration -1\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		facts, err := parseFacts(raw)
		if err == nil && !bytes.Equal(formatFacts(facts), raw) {
			t.Errorf("%q reads as %+v", raw, facts)
		}
		if again, err := parseFacts(formatFacts(facts)); err != nil || again != facts {
			t.Errorf("%+v reads as %+v, %v", facts, again, err)
		}
	})
}

// FuzzRecord: a record that is accepted is in the content under its key alone, and a
// refused one changes nothing.
func FuzzRecord(f *testing.F) {
	f.Add("format", []byte(formatName))
	f.Add("facts", formatFacts(trustbook.Facts{}))
	f.Add("root/1", []byte("x"))
	f.Add("root/01", []byte("x"))
	f.Add("shard/65535", []byte{})
	f.Add("revoked/"+digest.SHA256{1}.String(), []byte("17\n"))
	f.Add("survivors/"+digest.SHA256{1}.String(), []byte{1})
	f.Fuzz(func(t *testing.T, key string, value []byte) {
		c := newContent()
		if value == nil {
			value = []byte{}
		}
		if err := c.put(key, value); err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, trustbook.ErrState) {
				t.Errorf("%q: %v", key, err)
			}
			if len(c.keys(trustbook.Everything)) > 0 || c.formatted || c.known {
				t.Errorf("%q was refused and is in the content", key)
			}
			return
		}
		keys := slices.Collect(maps.Keys(c.keys(trustbook.Everything)))
		if key == keyFormat || key == keyFacts {
			if len(keys) > 0 || c.formatted != (key == keyFormat) || c.known != (key == keyFacts) {
				t.Errorf("%q is elsewhere: %v", key, keys)
			}
		} else if !slices.Equal(keys, []string{key}) {
			t.Errorf("%q is kept as %v", key, keys)
		}
		if err := c.put(key, nil); err != nil || len(c.keys(trustbook.Everything)) > 0 || c.formatted || c.known {
			t.Errorf("%q was not deleted: %v", key, err)
		}
	})
}

// FuzzJournal: a journal with two records of any content in place of, or beside, its
// own opens, and has the signed state, a part of it, or nothing.
func FuzzJournal(f *testing.F) {
	a := trusttest.New(f, "a")
	good := recorder{}
	open := func(r recorder) (*Trust, error) {
		return Open(context.Background(), func(context.Context) (journal.Journal, error) { return &kept{r}, nil }, nil)
	}
	book, err := open(good)
	if err != nil {
		f.Fatal(err)
	}
	root, err := trust.Pin(a.Roots, nil)
	if err != nil {
		f.Fatal(err)
	}
	want := a.Set(10, 0)
	if err := book.Pin(f.Context(), root); err != nil {
		f.Fatal(err)
	}
	if _, err := book.Apply(f.Context(), want); err != nil {
		f.Fatal(err)
	}
	f.Add("facts", formatFacts(trustbook.Facts{Floor: trusttest.Day0}), "pack/0", []byte("x"))
	f.Add("root/2", a.Roots[0], "bundle", want.Status)
	f.Add("revoked/", []byte{}, "format", []byte("tcode-trust-journal/2\n"))
	f.Fuzz(func(t *testing.T, key string, value []byte, other string, second []byte) {
		r := maps.Clone(good)
		r[key], r[other] = append([]byte{}, value...), append([]byte{}, second...)
		book, err := open(r)
		if errors.Is(err, ErrFormat) {
			return
		}
		if err != nil {
			t.Fatalf("Open: %v", err)
		}
		s, err := book.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if state := s.State(); state.Complete() && state.Fingerprint == a.Fingerprint && !bytes.Equal(state.RawBundle, want.Bundle) {
			t.Errorf("another bundle: %q", state.RawBundle)
		}
		again, err := open(r)
		if err != nil || again.Repaired() != "" {
			t.Errorf("the repaired journal: %v, damaged %q", err, strconv.Quote(again.Repaired()))
		}
	})
}

// kept is a journal in memory that reads what was committed to it.
type kept struct{ recorder }

func (k *kept) Load(_ context.Context, each func(string, []byte) error) error {
	for key, value := range k.recorder {
		if err := each(key, value); err != nil {
			return err
		}
	}
	return nil
}

func (k *kept) Commit(_ context.Context, changes map[string][]byte) error {
	maps.Copy(k.recorder, changes)
	maps.DeleteFunc(k.recorder, func(_ string, v []byte) bool { return v == nil })
	return nil
}
