//go:build js

package opfs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"syscall/js"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/offline/host/journal/journaltest"
	"tcode/offline/host/logjournal"
	"tcode/offline/host/opfs"
)

type place string

func (p place) Open(ctx context.Context) (journal.Journal, error) {
	a, err := opfs.Open(ctx, string(p)+" 0")
	if err != nil {
		return nil, err
	}
	b, err := opfs.Open(ctx, string(p)+" 1")
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	l, err := logjournal.Open(a, b)
	if err != nil {
		return nil, err
	}
	return l, nil
}

func newPlace(t *testing.T) journaltest.Place {
	return place(fmt.Sprintf("%s-%d", t.Name(), time.Now().UnixNano()))
}

// TestJournal holds a log in private files to the rules of journals.
func TestJournal(t *testing.T) { journaltest.Run(t, newPlace) }

// TestFile checks each call on a file, with more bytes than one call of the browser moves.
func TestFile(t *testing.T) {
	f, err := opfs.Open(t.Context(), "a/file:*?ä")
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.Repeat([]byte("0123456789abcde"), 70_000)
	if n, err := f.WriteAt(want, 10); n != len(want) || err != nil {
		t.Fatal(n, err)
	}
	got := make([]byte, len(want)+10)
	if n, err := f.ReadAt(got, 0); n != len(got) || err != nil || !bytes.Equal(got[10:], want) || !bytes.Equal(got[:10], make([]byte, 10)) {
		t.Errorf("read %d, %v", n, err)
	}
	if n, err := f.ReadAt(got, 20); n != len(got)-20 || !errors.Is(err, io.EOF) {
		t.Errorf("read behind the end: %d, %v", n, err)
	}
	if err := errors.Join(f.Truncate(13), f.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	if f, err = opfs.Open(t.Context(), "a/file:*?ä"); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size, err := f.Size()
	if n, other := f.ReadAt(got[:3], 10); size != 13 || err != nil || n != 3 || other != nil || string(got[:3]) != "012" {
		t.Errorf("size %d, %v; read %d, %v", size, err, n, other)
	}
}

// TestSnapshots fills a log until it goes over to its other file, more than once.
func TestSnapshots(t *testing.T) {
	p := newPlace(t)
	j, err := p.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		if err := j.Commit(t.Context(), map[string][]byte{"same": bytes.Repeat([]byte{byte(i)}, 100_000)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if j, err = p.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	all, err := journaltest.Records(t.Context(), j)
	if err != nil || len(all) != 1 || !bytes.Equal(all["same"], bytes.Repeat([]byte{59}, 100_000)) {
		t.Errorf("%v, %d records", err, len(all))
	}
}

// TestRefused: a browser that has the functions and refuses the files has none, as one without the functions.
func TestRefused(t *testing.T) {
	handles, storage := js.Global().Get("FileSystemFileHandle").Get("prototype"), js.Global().Get("StorageManager").Get("prototype")
	for _, refused := range []struct {
		object         js.Value
		function, name string
	}{
		{handles, "createSyncAccessHandle", "NotSupportedError"},
		{storage, "getDirectory", "NotSupportedError"},
		{storage, "getDirectory", "SecurityError"},
	} {
		kept := refused.object.Get(refused.function)
		refuse := js.FuncOf(func(js.Value, []js.Value) any {
			return js.Global().Get("Promise").Call("reject", js.Global().Get("DOMException").New("refused", refused.name))
		})
		refused.object.Set(refused.function, refuse)
		f, err := opfs.Open(t.Context(), "refused")
		refused.object.Set(refused.function, kept)
		refuse.Release()
		if f != nil || !errors.Is(err, opfs.ErrUnsupported) {
			t.Errorf("%s refuses with %s: %v", refused.function, refused.name, err)
		}
	}
}
