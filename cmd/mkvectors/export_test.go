package mkvectors_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tcode/offline/host/cache"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
)

// exportVectors makes testdata/vectors/export: export files and the answer of a
// device that holds nothing (offline/trustbook/FORMAT.md).
func exportVectors() (made files, err error) {
	dir, err := os.MkdirTemp("", "mkvectors-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	made = files{}
	for _, c := range exportCases() {
		f, err := newFleet(2)
		if err != nil {
			return nil, err
		}
		e := newExport(f)
		c.change(e)
		got, roots, err := importFile(filepath.Join(dir, c.name), e)
		if err != nil {
			return nil, err
		}
		if got != c.want || roots != c.roots {
			return nil, fmt.Errorf("%s: got %s with %d roots, want %s with %d", c.name, got, roots, c.want, c.roots)
		}
		headers := []header{{"roots", fmt.Sprint(roots)}}
		if e.pin != "" {
			headers = append(headers, header{"pin", e.pin})
		}
		if err := made.add(c.name, vector(c.want, c.comment, headers, hexBody([]byte(e.file())))); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// importFile imports the file on a device that holds nothing, and returns the word
// for the answer and the number of roots that it holds then.
func importFile(dir string, e *export) (word string, roots int, err error) {
	ctx := context.Background()
	c, err := cache.Open(ctx, dir)
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	var want *trust.Fingerprint
	if e.pin != "" {
		fp, err := trust.ParseFingerprint(e.pin)
		if err != nil {
			return "", 0, err
		}
		want = &fp
	}
	_, refused := c.Import(ctx, strings.NewReader(e.file()), want)
	if word = reason(refused); errors.Is(refused, trustbook.ErrExport) {
		word = "export"
	}
	s, err := c.Snapshot(ctx)
	if err != nil {
		return "", 0, err
	}
	if state := s.State(); state != nil {
		roots = len(state.Roots)
	}
	return word, roots, nil
}

// export is a file in parts that a case changes.
type export struct {
	*fleet
	pin        string
	head, tail string
	entries    []string
	raw        func(file string) string
}

func entryOf(kind, name, data string) string {
	return fmt.Sprintf("%s %s %d\n%s\n", kind, name, len(data), data)
}

// The places of the entries of newExport.
const (
	rootEntry = iota
	timestampEntry
	bundleEntry
	statusEntry
	packEntry
	survivorsEntry
)

func newExport(f *fleet) *export {
	u := f.publish()
	return &export{
		fleet: f, head: "tcode-trust-export/1\n", tail: "end\n", raw: func(s string) string { return s },
		entries: []string{
			entryOf("root", "1", f.roots[0]), entryOf("timestamp", "-", u.Timestamp), entryOf("bundle", "-", u.Bundle), entryOf("status", "-", u.Status),
			entryOf("pack", "0", f.pack()), entryOf("survivors", f.bundle.SurvivorLists()[0], ""),
		},
	}
}

// pack is the only pack with its shards, as it travels.
func (f *fleet) pack() string {
	var b []byte
	for _, s := range f.shards {
		b = append(b, listed(s)...)
	}
	return string(stored(b))
}

func (e *export) file() string { return e.raw(e.head + strings.Join(e.entries, "") + e.tail) }

type exportCase struct {
	name, comment, want string
	roots               int // that the device holds then
	change              func(e *export)
}

func exportCases() []exportCase {
	drop := func(i int) func(e *export) {
		return func(e *export) { e.entries = append(e.entries[:i:i], e.entries[i+1:]...) }
	}
	twice := func(i int) func(e *export) {
		return func(e *export) { e.entries = append(e.entries, e.entries[i]) }
	}
	edit := func(from, to string) func(e *export) {
		return func(e *export) {
			e.raw = func(s string) string { return strings.Replace(s, from, to, 1) }
		}
	}
	pack := func(data func(e *export) string) func(e *export) {
		return func(e *export) { e.entries[packEntry] = entryOf("pack", "0", data(e)) }
	}
	second := func(by func(e *export) []*trust.Signer) func(e *export) {
		return func(e *export) {
			raw := e.next(func(*trust.Root) {}, by(e)...)
			e.entries = append(e.entries[:1:1], append([]string{entryOf("root", "2", raw)}, e.entries[1:]...)...)
		}
	}
	shards := func(all ...*statuslist.Shard) func(e *export) string {
		return func(*export) string {
			var b []byte
			for _, s := range all {
				b = append(b, listed(s)...)
			}
			return string(stored(b))
		}
	}
	revoked := new(statuslist.Shard)
	revoked.Set(7, statuslist.Revoked)
	return []exportCase{
		{"ok", "a whole set", "ok", 1, func(*export) {}},
		{"ok-pin", "the device wants this fingerprint", "ok", 1, func(e *export) { e.pin = e.fp.String() }},
		{"ok-order", "the kinds in another order", "ok", 1, func(e *export) {
			e.entries[rootEntry], e.entries[survivorsEntry] = e.entries[survivorsEntry], e.entries[rootEntry]
		}},
		{"ok-roots", "two roots", "ok", 2, second(func(e *export) []*trust.Signer { return e.rootKeys })},
		{"ok-no-survivors", "no survivor list", "ok", 1, drop(survivorsEntry)},
		{"ok-survivors-unnamed", "a survivor list that no key names is dropped", "ok", 1, func(e *export) {
			e.entries = append(e.entries, entryOf("survivors", strings.Repeat("0", 64), strings.Repeat("x", 16)))
		}},
		{"ok-survivors-name", "the name of a survivor list is for people", "ok", 1, func(e *export) { e.entries[survivorsEntry] = entryOf("survivors", "-", "") }},
		{"bad-head", "another first line", "export", 0, edit("export/1", "export/2")},
		{"bad-head-return", "a carriage return behind the first line", "export", 0, edit("export/1\n", "export/1\r\n")},
		{"bad-empty", "no bytes", "export", 0, func(e *export) { e.raw = func(string) string { return "" } }},
		{"bad-cut", "no end", "export", 0, func(e *export) { e.tail = "" }},
		{"bad-cut-end", "the last line feed is missing", "export", 0, func(e *export) { e.tail = "end" }},
		{"bad-behind", "a byte behind the end", "export", 0, func(e *export) { e.tail += "\n" }},
		{"bad-kind", "a kind that is none", "export", 0, func(e *export) { e.entries = append(e.entries, entryOf("note", "-", "x")) }},
		{"bad-words", "a word more in a header line", "export", 0, edit("timestamp - ", "timestamp - - ")},
		{"bad-spaces", "two spaces in a header line", "export", 0, edit("timestamp - ", "timestamp  - ")},
		{"bad-line-long", "a header line of 129 bytes", "export", 0, func(e *export) {
			e.entries[survivorsEntry] = entryOf("survivors", strings.Repeat("a", 129-len("survivors  0\n")), "")
		}},
		{"ok-line-long", "a header line of 128 bytes", "ok", 1, func(e *export) {
			e.entries[survivorsEntry] = entryOf("survivors", strings.Repeat("a", 128-len("survivors  0\n")), "")
		}},
		{"bad-size", "a size that is a byte short", "export", 0, func(e *export) {
			e.entries[packEntry] = fmt.Sprintf("pack 0 %d\n%s\n", len(e.pack())-1, e.pack())
		}},
		{"bad-size-sign", "a size below zero", "export", 0, func(e *export) { e.entries[survivorsEntry] = "survivors - -1\n\n" }},
		{"bad-size-great", "a timestamp of 4,097 bytes", "export", 0, func(e *export) { e.entries[timestampEntry] = entryOf("timestamp", "-", strings.Repeat("x", 4097)) }},
		{"bad-no-root", "no root", "export", 0, drop(rootEntry)},
		{"bad-no-timestamp", "no timestamp", "export", 0, drop(timestampEntry)},
		{"bad-no-bundle", "no bundle", "export", 0, drop(bundleEntry)},
		{"bad-no-status", "no status", "export", 0, drop(statusEntry)},
		{"bad-timestamp-twice", "two timestamps", "export", 0, twice(timestampEntry)},
		{"bad-timestamp-name", "a timestamp has a name", "export", 0, edit("timestamp - ", "timestamp 1 ")},
		{"bad-root-number", "the first root is called 2", "export", 0, edit("root 1 ", "root 2 ")},
		{"bad-root-twice", "root 1 twice", "export", 0, twice(rootEntry)},
		{"bad-pack-number", "the first pack is called 1", "export", 0, func(e *export) { e.entries[packEntry] = entryOf("pack", "1", e.pack()) }},
		{"bad-no-pack", "no pack: the status says that there is one", "export", 1, drop(packEntry)},
		{"bad-pack-more", "a pack, so shards, that the status does not name", "export", 1, func(e *export) {
			e.entries = append(e.entries, entryOf("pack", "1", e.pack()))
		}},
		{"bad-pack-other", "shards that are not those of the pack", "hash", 1, pack(shards(revoked, revoked))},
		{"bad-pack-fewer", "a shard of the pack is missing", "hash", 1, pack(shards(new(statuslist.Shard)))},
		{"bad-pack-longer", "a shard that the status does not name", "hash", 1, pack(shards(new(statuslist.Shard), revoked, revoked))},
		{"bad-pack-zlib", "a pack that is no zlib stream", "hash", 1, pack(func(*export) string { return "abc" })},
		{"bad-pin", "the device wants another fingerprint", "fingerprint", 0, func(e *export) { e.pin = strings.Repeat("0", 64) }},
		{"bad-root", "the first root has one signature", "threshold", 0, func(e *export) { e.entries[rootEntry] = entryOf("root", "1", note(e.text(e.root), e.rootKeys[0])) }},
		{"bad-root-2", "the second root has one signature", "threshold", 0, second(func(e *export) []*trust.Signer { return e.rootKeys[:1] })},
		{"bad-timestamp", "the timestamp is signed by another key: the root is kept", "foreign_key", 1, func(e *export) {
			e.entries[timestampEntry] = entryOf("timestamp", "-", note(e.text(e.timestamp), e.rootKeys[0]))
		}},
		{"bad-bundle", "the bundle is not the one that the timestamp names", "hash", 1, func(e *export) {
			e.entries[bundleEntry] = entryOf("bundle", "-", e.signed(e.bundle)+witness("w", 60))
		}},
		{"bad-roots-timestamp", "two roots and a bad timestamp: both roots are kept", "foreign_key", 2, func(e *export) {
			e.entries[timestampEntry] = entryOf("timestamp", "-", note(e.text(e.timestamp), e.rootKeys[0]))
			second(func(e *export) []*trust.Signer { return e.rootKeys })(e)
		}},
	}
}
