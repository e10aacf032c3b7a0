package draft_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/server/fault"
	"tcode/server/platform/draft"
)

var (
	ruth  = draft.Owner{Tenant: "ACME01", User: "ruth", Session: "one"}
	clock = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
)

// folder returns an empty one, and its clock.
func folder(t *testing.T, c draft.Config) (d *draft.Folder, dir string, now *time.Time) {
	t.Helper()
	at := clock
	c.Now = func() time.Time { return at }
	dir = filepath.Join(t.TempDir(), "drafts")
	return draft.Open(dir, c), dir, &at
}

func put(t *testing.T, d *draft.Folder, o draft.Owner, text string) draft.Draft {
	t.Helper()
	r, err := d.Put(o, "a.pdf", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// left returns the number of files below dir.
func left(t *testing.T, dir string) (n int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

func TestLife(t *testing.T) {
	t.Parallel()
	d, dir, now := folder(t, draft.Config{})
	r := put(t, d, ruth, "bytes")
	if err := d.Save(ruth, r.ID, []byte(`{"x":1}`)); err != nil {
		t.Fatal(err)
	}
	got, err := d.Get(ruth, r.ID)
	if err != nil || got.Name != "a.pdf" || got.Size != 5 || string(got.State) != `{"x":1}` || !got.Ends.Equal(clock.Add(draft.DefaultLife)) {
		t.Errorf("%+v, %v", got, err)
	}
	f, err := d.Read(ruth, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(f)
	if err != nil || string(raw) != "bytes" || f.Close() != nil {
		t.Errorf("%q, %v", raw, err)
	}
	if err := d.Spend(ruth, r.ID, []byte(`{"done":true}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Read(ruth, r.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("read after it was spent: %v", err)
	}
	if err := d.Save(ruth, r.ID, nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("saved after it was spent: %v", err)
	}
	if got, err := d.Get(ruth, r.ID); err != nil || !got.Spent || string(got.State) != `{"done":true}` {
		t.Errorf("spent: %+v, %v", got, err)
	}
	second := put(t, d, ruth, "more")
	d.Drop(ruth, second.ID)
	if n := left(t, dir); n != 1 {
		t.Errorf("%d files, want the record of the spent one", n)
	}
	*now = clock.Add(draft.DefaultLife)
	if _, err := d.Get(ruth, r.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("after its life: %v", err)
	}
	d.Sweep()
	if n := left(t, dir); n != 0 {
		t.Errorf("%d files after the sweep", n)
	}
}

// TestOwner: for another tenant, user or session there is no draft, whatever it does.
func TestOwner(t *testing.T) {
	t.Parallel()
	d, _, _ := folder(t, draft.Config{})
	r := put(t, d, ruth, "bytes")
	for _, o := range []draft.Owner{{"OTHER1", "ruth", "one"}, {"ACME01", "sam", "one"}, {"ACME01", "ruth", "two"}, {"ACME01\x00ruth", "", "one"}, {}} {
		_, get := d.Get(o, r.ID)
		_, read := d.Read(o, r.ID)
		for what, err := range map[string]error{"get": get, "read": read, "save": d.Save(o, r.ID, nil), "spend": d.Spend(o, r.ID, nil)} {
			if !fault.Is(err, fault.NotFound) {
				t.Errorf("%s as %+v: %v", what, o, err)
			}
		}
		d.Drop(o, r.ID)
		if len(d.List(o)) != 0 {
			t.Errorf("listed for %+v", o)
		}
	}
	for _, id := range []string{"", "..", "../" + r.ID, r.ID + "x", strings.ToUpper(r.ID), strings.Repeat("/", 24), r.ID[:23] + "."} {
		if _, err := d.Get(ruth, id); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if list := d.List(ruth); len(list) != 1 || list[0].ID != r.ID {
		t.Errorf("left %+v", list)
	}
}

// TestLimits: a user has a few drafts, all drafts together have a size, and a broken upload
// leaves nothing.
func TestLimits(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	var room error
	d, dir, now := folder(t, draft.Config{Each: 2, Total: 4000, Room: func() error { return room }})
	var ids []string
	for range 4 {
		ids = append(ids, put(t, d, ruth, "bytes").ID)
		*now = now.Add(time.Second)
	}
	if list := d.List(ruth); len(list) != 2 || list[0].ID != ids[3] || list[1].ID != ids[2] {
		t.Errorf("%+v", list)
	}
	broken := errors.New("broken")
	if _, err := d.Put(ruth, "a", io.MultiReader(bytes.NewReader(make([]byte, 10)), failing{broken})); !errors.Is(err, broken) {
		t.Errorf("a broken upload: %v", err)
	}
	if n := left(t, dir); n != 4 {
		t.Errorf("%d files of two drafts", n)
	}
	put(t, d, ruth, strings.Repeat("x", 4000))
	if _, err := d.Put(ruth, "a", strings.NewReader("x")); !fault.Is(err, fault.Unavailable) {
		t.Errorf("over the total: %v", err)
	}
	room = full
	if _, err := d.Put(ruth, "a", strings.NewReader("x")); !errors.Is(err, full) {
		t.Errorf("without room: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestSweep: old parts of killed processes go, new ones and good drafts stay.
func TestSweep(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "drafts")
	d := draft.Open(dir, draft.Config{Life: time.Hour})
	put(t, d, ruth, "bytes")
	homes, _ := filepath.Glob(filepath.Join(dir, "*"))
	old, fresh := filepath.Join(homes[0], "old.part"), filepath.Join(homes[0], "new.part")
	for _, name := range []string{old, fresh, filepath.Join(homes[0], "alone.file")} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{old, filepath.Join(homes[0], "alone.file")} {
		if err := os.Chtimes(name, past, past); err != nil {
			t.Fatal(err)
		}
	}
	d.Sweep()
	if n := left(t, dir); n != 3 {
		t.Errorf("%d files, want a draft and a new part", n)
	}
	if info, err := os.Stat(homes[0]); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
