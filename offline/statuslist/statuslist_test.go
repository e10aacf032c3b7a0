package statuslist_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/statuslist"
)

// TestPacking fixes the example of the IETF Token Status List (section 4.1):
// entries 1,2,0,3,0,1,0,1,1,2,3,3 in two bits are the bytes C9 44 F9.
func TestPacking(t *testing.T) {
	t.Parallel()
	var s statuslist.Shard
	for i, v := range []statuslist.Value{1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3} {
		s.Set(uint16(i), v)
	}
	if got, want := s[:4], []byte{0xC9, 0x44, 0xF9, 0}; !bytes.Equal(got, want) {
		t.Errorf("packed = %x, want %x", got, want)
	}
	if got := s.Get(9); got != statuslist.Suspended {
		t.Errorf("Get(9) = %v, want suspended", got)
	}
}

// TestEveryEntry sets and clears all entries: none may change a neighbour.
func TestEveryEntry(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	want := make([]statuslist.Value, statuslist.Entries)
	var s statuslist.Shard
	for range 3 * statuslist.Entries {
		i, v := r.IntN(statuslist.Entries), statuslist.Value(r.IntN(4))
		want[i] = v
		s.Set(uint16(i), v)
	}
	for i, w := range want {
		if got := s.Get(uint16(i)); got != w {
			t.Fatalf("entry %d = %v, want %v", i, got, w)
		}
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	tests := []struct {
		v     statuslist.Value
		name  string
		final bool
	}{
		{statuslist.None, "none", false},
		{statuslist.Revoked, "revoked", true},
		{statuslist.Suspended, "suspended", false},
		{statuslist.Replaced, "replaced", true},
		{4, "Value(4)", false},
	}
	for _, tt := range tests {
		if got := tt.v.String(); got != tt.name {
			t.Errorf("String = %q, want %q", got, tt.name)
		}
		if got := tt.v.Final(); got != tt.final {
			t.Errorf("%v.Final = %v, want %v", tt.v, got, tt.final)
		}
	}
}

func deflate(t testing.TB, b []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zlib.NewWriter(&buf)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func inflated(t testing.TB, deflated []byte) []byte {
	t.Helper()
	r, err := zlib.NewReader(bytes.NewReader(deflated))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDeflateAll deflates and inflates shards of every density, alone and together.
func TestDeflateAll(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	var all []*statuslist.Shard
	for _, n := range []int{0, 1, 3, 4, 500, statuslist.MaxListed - 1, statuslist.MaxListed, statuslist.MaxListed + 1, statuslist.Entries} {
		s := new(statuslist.Shard)
		for _, entry := range r.Perm(statuslist.Entries)[:n] {
			s.Set(uint16(entry), statuslist.Value(1+r.IntN(3)))
		}
		one, err := statuslist.Inflate(s.Deflate())
		if err != nil || *one != *s {
			t.Errorf("%d entries: %v", n, err)
		}
		all = append(all, s)
	}
	again, err := statuslist.InflateAll(statuslist.DeflateAll(all), len(all))
	if err != nil || len(again) != len(all) {
		t.Fatalf("%d shards, %v", len(again), err)
	}
	for i := range all {
		if *all[i] != *again[i] {
			t.Errorf("shard %d has changed", i)
		}
	}
	if _, err := statuslist.InflateAll(statuslist.DeflateAll(all), len(all)-1); !known(err) {
		t.Errorf("one more than is wanted: %v", err)
	}
}

func random(n int) []byte {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestInflate(t *testing.T) {
	t.Parallel()
	full := func(n int) []byte { return append([]byte{0xFF, 0xFF}, random(n)...) }
	whole := deflate(t, full(statuslist.Size))
	wrongSum := bytes.Clone(whole)
	wrongSum[len(wrongSum)-1] ^= 1
	tests := []struct {
		name string
		raw  []byte
		want error
	}{
		{"empty", nil, statuslist.ErrDeflate},
		{"no zlib", []byte("tcode"), statuslist.ErrDeflate},
		{"nothing inside", deflate(t, nil), statuslist.ErrCompact},
		{"bomb", deflate(t, make([]byte, 10<<20)), statuslist.ErrSize},
		{"cut", whole[:len(whole)/2], statuslist.ErrDeflate},
		{"no checksum", whole[:len(whole)-4], statuslist.ErrDeflate},
		{"wrong checksum", wrongSum, statuslist.ErrDeflate},
		{"more after it", append(bytes.Clone(whole), 0), statuslist.ErrDeflate},
		{"two streams", append(bytes.Clone(whole), whole...), statuslist.ErrSize}, // longer than MaxDeflated
		{"too long to look at", make([]byte, statuslist.MaxDeflated+1), statuslist.ErrSize},
		{"incompressible", whole, nil},
		{"empty shard", deflate(t, []byte{0, 0}), nil},
		{"entry 0", deflate(t, []byte{0, 1, 0, 1}), nil},
		{"last entry", deflate(t, []byte{0, 1, 0xFF, 0xFF, 3, 3}), nil},
		{"beyond the last entry", deflate(t, []byte{0, 1, 0x80, 0x80, 4, 3}), statuslist.ErrCompact},
		{"two entries beyond the last", deflate(t, []byte{0, 2, 0xFF, 0xFF, 3, 0, 5}), statuslist.ErrCompact},
		{"half a count", deflate(t, []byte{0}), statuslist.ErrCompact},
		{"no gap", deflate(t, []byte{0, 1}), statuslist.ErrCompact},
		{"no value", deflate(t, []byte{0, 1, 0}), statuslist.ErrCompact},
		{"a gap takes the value's byte", deflate(t, []byte{0, 1, 0x80, 1}), statuslist.ErrCompact},
		{"gap in two bytes too many", deflate(t, []byte{0, 1, 0x80, 0, 1}), statuslist.ErrCompact},
		{"gap without end", deflate(t, []byte{0, 1, 0x80, 0x80, 0x80, 0x80}), statuslist.ErrCompact},
		{"gap of 64 bits", deflate(t, []byte{0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 1}), statuslist.ErrCompact},
		{"listed and not set", deflate(t, []byte{0, 1, 5, 0}), statuslist.ErrCompact},
		{"a value more than entries", deflate(t, []byte{0, 1, 5, 5}), statuslist.ErrCompact},
		{"a byte more", deflate(t, []byte{0, 0, 0}), statuslist.ErrCompact},
		{"a shard more", deflate(t, []byte{0, 0, 0, 0}), statuslist.ErrCompact},
		{"more listed than may be", deflate(t, append([]byte{0x10, 0x01}, make([]byte, 8000)...)), statuslist.ErrCompact},
		{"dense, one byte short", deflate(t, full(statuslist.Size-1)), statuslist.ErrCompact},
		{"dense, one byte long", deflate(t, full(statuslist.Size+1)), statuslist.ErrSize},
		{"dense with few entries", deflate(t, append([]byte{0xFF, 0xFF}, make([]byte, statuslist.Size)...)), statuslist.ErrCompact},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := statuslist.Inflate(tt.raw)
			if !errors.Is(err, tt.want) {
				t.Fatalf("Inflate: %v, want %v", err, tt.want)
			}
			if err != nil {
				return
			}
			again, err := statuslist.Inflate(s.Deflate())
			if err != nil || *again != *s {
				t.Errorf("Deflate and Inflate changed the shard: %v", err)
			}
		})
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	raw := random(statuslist.Size)
	s, err := statuslist.Parse(raw)
	if err != nil || !bytes.Equal(s[:], raw) {
		t.Fatalf("Parse: %v", err)
	}
	raw[0] ^= 0xFF
	if s[0] == raw[0] {
		t.Error("Parse aliases its input")
	}
	for _, n := range []int{0, statuslist.Size - 1, statuslist.Size + 1} {
		if _, err := statuslist.Parse(make([]byte, n)); !errors.Is(err, statuslist.ErrSize) {
			t.Errorf("Parse of %d bytes: %v, want ErrSize", n, err)
		}
	}
}

func TestSurvivors(t *testing.T) {
	t.Parallel()
	a, b, c := statuslist.MarkOf([]byte("a")), statuslist.MarkOf([]byte("b")), statuslist.MarkOf([]byte("c"))
	list := statuslist.NewSurvivors([]statuslist.Mark{b, a, b})
	if len(list) != 2 || !list.Contains(a) || !list.Contains(b) || list.Contains(c) {
		t.Fatalf("list = %x", list)
	}
	again, err := statuslist.ParseSurvivors(list.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(list, again); diff != "" {
		t.Errorf("parsed list (-want +got):\n%s", diff)
	}
	if list.Hash() != again.Hash() {
		t.Error("hash changed")
	}
	low, high := statuslist.Mark{1}, statuslist.Mark{2}
	bad := map[string][]byte{
		"odd length": make([]byte, 17),
		"descending": append(high[:], low[:]...),
		"twice":      append(low[:], low[:]...),
		"too long":   make([]byte, (statuslist.MaxSurvivors+1)*statuslist.MarkSize),
	}
	for name, raw := range bad {
		if _, err := statuslist.ParseSurvivors(raw); !errors.Is(err, statuslist.ErrSurvivors) {
			t.Errorf("%s: %v, want ErrSurvivors", name, err)
		}
	}
	if empty, err := statuslist.ParseSurvivors(nil); err != nil || len(empty) != 0 || empty.Contains(a) {
		t.Errorf("empty list: %x, %v", empty, err)
	}
}

// known reports whether err is one that Inflate may return.
func known(err error) bool {
	return errors.Is(err, statuslist.ErrSize) || errors.Is(err, statuslist.ErrDeflate) || errors.Is(err, statuslist.ErrCompact)
}

// FuzzInflate: a stream gives complete shards or an error of this package, and
// the shards have exactly one compact form: the one that was read.
func FuzzInflate(f *testing.F) {
	f.Add(deflate(f, []byte{0, 2, 7, 9, 6}))
	f.Add(deflate(f, append([]byte{0xFF, 0xFF}, random(statuslist.Size)...)))
	f.Add(deflate(f, []byte("short")))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := statuslist.Inflate(raw)
		if (err != nil) != (s == nil) || err != nil && !known(err) {
			t.Fatalf("shard %v, error %v", s != nil, err)
		}
		all, err := statuslist.InflateAll(raw, 3)
		if err != nil {
			if s != nil || !known(err) {
				t.Fatalf("one is read, three are not: %v", err)
			}
			return
		}
		if !bytes.Equal(inflated(t, statuslist.DeflateAll(all)), inflated(t, raw)) {
			t.Fatal("a second compact form of the same shards")
		}
	})
}

// FuzzCompact is FuzzInflate without the stream.
func FuzzCompact(f *testing.F) {
	f.Add([]byte{0, 0})
	f.Add([]byte{0, 2, 7, 9, 6, 0, 1, 0, 3})
	f.Add(append([]byte{0xFF, 0xFF}, random(statuslist.Size)...))
	f.Fuzz(func(t *testing.T, compact []byte) {
		all, err := statuslist.InflateAll(deflate(t, compact), 3)
		if err != nil {
			if !known(err) {
				t.Fatal(err)
			}
			return
		}
		if !bytes.Equal(inflated(t, statuslist.DeflateAll(all)), compact) {
			t.Fatal("a second compact form of the same shards")
		}
	})
}

// FuzzSurvivors: a list has one spelling.
func FuzzSurvivors(f *testing.F) {
	f.Add([]byte{})
	f.Add(make([]byte, 16))
	f.Add(statuslist.NewSurvivors([]statuslist.Mark{{1}, {2}}).Bytes())
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := statuslist.ParseSurvivors(raw)
		if err != nil {
			return
		}
		if got := s.Bytes(); !bytes.Equal(got, raw) {
			t.Fatalf("Bytes = %x, want %x", got, raw)
		}
		for _, m := range s {
			if !s.Contains(m) {
				t.Fatalf("%x is in the list and not found", m)
			}
		}
	})
}
