package pgdb

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// FuzzArchive: an archive of any bytes is read to its end, or refused with [ErrArchive].
func FuzzArchive(f *testing.F) {
	var b bytes.Buffer
	w := &archiveWriter{bufio.NewWriter(&b)}
	for _, err := range []error{
		w.json(archiveHead{Sequences: map[string]int64{"audit.id": 7}}), w.json(archiveTable{"tenants", []string{"reference"}}),
	} {
		if err != nil {
			f.Fatal(err)
		}
	}
	_, err := w.Write([]byte("ACME01\nOTHER1\n"))
	if err = errors.Join(err, w.end(), w.end(), w.w.Flush()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()-5])
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l := &loader{r: bufio.NewReader(bytes.NewReader(raw))}
		var head archiveHead
		ok, err := l.json(&head)
		for ok && err == nil {
			var table archiveTable
			if ok, err = l.json(&table); !ok || err != nil {
				break
			}
			if !strings.HasPrefix(table.copied(), `"`) {
				t.Errorf("%q is not quoted", table.copied())
			}
			part := &parts{r: l.r}
			if _, err = io.Copy(io.Discard, part); err == nil && !part.ended {
				t.Error("a table without its end")
			}
		}
		if err != nil && !errors.Is(err, ErrArchive) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%v", err)
		}
	})
}
