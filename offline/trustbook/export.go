package trustbook

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// The export file (FORMAT.md): one line with its type, then entries, then an end line.
const (
	exportHead = "tcode-trust-export/1\n"
	exportEnd  = "end\n"
)

// Limits of an import, checked before an entry is read.
const (
	maxExportBytes = 256 << 20
	maxExportRoots = 1000
	maxExportPacks = trust.MaxShards / trust.PackShards
	maxHeaderLine  = 128 // bytes
)

var (
	// ErrExport means that a file is no export, or is damaged or cut short.
	ErrExport = errors.New("not a whole trust export file")
	// ErrNothing means that there is no complete set to export.
	ErrNothing = errors.New("no trust documents to export")
)

// Export writes the whole set, as of one moment, as one file: all roots, the
// three documents, all shards by packs, and survivor lists.
func (b *Book) Export(ctx context.Context, to io.Writer) error {
	s, err := b.Snapshot(ctx)
	if err != nil {
		return err
	}
	if !s.State().Complete() {
		return fmt.Errorf("export: %w", ErrNothing)
	}
	w := bufio.NewWriter(to)
	if err := s.export(w); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

func (s *Snapshot) export(w *bufio.Writer) error {
	entry := func(kind, name string, data []byte) {
		fmt.Fprintf(w, "%s %s %d\n", kind, name, len(data))
		w.Write(data) // a bufio.Writer keeps its first error for Flush
		w.WriteByte('\n')
	}
	w.WriteString(exportHead)
	saved := s.state.Save()
	for i, raw := range saved.Roots {
		entry("root", strconv.Itoa(i+1), raw)
	}
	entry("timestamp", "-", saved.Timestamp)
	entry("bundle", "-", saved.Bundle)
	entry("status", "-", saved.Status)
	for n := range s.state.Status.Packs {
		shards := make([]*statuslist.Shard, s.state.Status.PackLen(n))
		for i := range shards {
			number := uint16(n*trust.PackShards + i)
			var err error
			if shards[i], err = s.Shard(number); err != nil {
				return err
			}
			if shards[i] == nil || shards[i].Hash() != s.state.Shards[number] {
				return fmt.Errorf("%w: stored shard %d is not the signed one", ErrState, number)
			}
		}
		entry("pack", strconv.Itoa(n), statuslist.DeflateAll(shards))
	}
	for _, hash := range slices.Sorted(maps.Keys(s.survivors)) {
		entry("survivors", hash, s.survivors[hash].Bytes())
	}
	w.WriteString(exportEnd)
	return nil
}

// Import accepts an export file by the same rules as documents from a gateway.
// It pins a device that is not enrolled to the file's root, which must have the
// fingerprint want if that is not nil; on an enrolled device want must be the
// pinned fingerprint or nil.
//
// Import keeps new roots even if it refuses the documents that came with them:
// they may end the trust in a stolen key. Errors: [ErrExport], [ErrOtherRoot],
// and those of [trust.State.Apply].
func (b *Book) Import(ctx context.Context, from io.Reader, want *trust.Fingerprint) (trust.Changes, error) {
	set, err := readExport(from)
	if err != nil {
		return trust.Changes{}, fmt.Errorf("import: %w", err)
	}
	roots := set.update.Roots
	set.update.Roots = nil
	before, err := b.Snapshot(ctx)
	if err != nil {
		return trust.Changes{}, err
	}
	first, err := trust.Pin(roots[:min(len(roots), trust.MaxRootRun+1)], want)
	if err != nil {
		return trust.Changes{}, fmt.Errorf("import: %w", err)
	}
	if err := b.pinChain(ctx, first, roots); err != nil {
		return trust.Changes{}, fmt.Errorf("import: %w", err)
	}
	if err := b.unpack(ctx, &set); err != nil {
		return trust.Changes{}, fmt.Errorf("import: %w", err)
	}
	changes, err := b.Apply(ctx, set.update, set.survivors...)
	if err != nil {
		return trust.Changes{}, fmt.Errorf("import: %w", err)
	}
	after, err := b.Snapshot(ctx)
	if err != nil {
		return trust.Changes{}, err
	}
	changes.Roots = len(after.State().Roots)
	if held := before.State(); held != nil {
		changes.Roots -= len(held.Roots)
		changes.Reset = held.Root.Online != after.State().Root.Online
	}
	return changes, nil
}

// pinChain pins a chain of roots of any length, of which first has the beginning.
func (b *Book) pinChain(ctx context.Context, first trust.State, roots [][]byte) error {
	return b.update(ctx, func(e *edit) error {
		if err := e.pin(first); err != nil {
			return err
		}
		return e.follow(roots[len(first.Roots):])
	})
}

// unpack inflates only those packs of a file that the file's status names,
// which must be signed, and that this device does not hold.
func (b *Book) unpack(ctx context.Context, set *exported) error {
	s, err := b.Snapshot(ctx)
	if err != nil {
		return err
	}
	status, err := s.State().OpenStatus(set.update.Status)
	if err != nil {
		return err
	}
	if len(set.packs) != len(status.Packs) {
		return fmt.Errorf("%w: %d packs, the status names %d", ErrExport, len(set.packs), len(status.Packs))
	}
	for _, number := range s.State().WantedPacks(status) {
		pack, shards, err := status.Unpack(number, set.packs[number])
		if err != nil {
			return err
		}
		set.update.Packs[number] = pack
		maps.Copy(set.update.Shards, shards)
	}
	return nil
}

// exported is the content of an export file.
type exported struct {
	update    trust.Update // without the content of packs
	packs     [][]byte     // with their shards, in transit form
	survivors [][]byte
}

func readExport(from io.Reader) (exported, error) {
	r := bufio.NewReaderSize(io.LimitReader(from, maxExportBytes), 64<<10)
	set := exported{update: trust.Update{Packs: map[uint16][]byte{}, Shards: map[uint16][]byte{}}}
	head := make([]byte, len(exportHead))
	if _, err := io.ReadFull(r, head); err != nil || string(head) != exportHead {
		return set, fmt.Errorf("%w: no %q at its start", ErrExport, strings.TrimSpace(exportHead))
	}
	for {
		line, err := readLine(r)
		if err != nil {
			return set, err
		}
		if line == exportEnd {
			break
		}
		if err := set.entry(r, line); err != nil {
			return set, err
		}
	}
	if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
		return set, fmt.Errorf("%w: there are bytes after its end", ErrExport)
	}
	u := set.update
	if len(u.Roots) == 0 || u.Timestamp == nil || u.Bundle == nil || u.Status == nil {
		return set, fmt.Errorf("%w: a document is missing", ErrExport)
	}
	return set, nil
}

// readLine reads up to and including \n, and never more than maxHeaderLine bytes.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for len(line) < maxHeaderLine {
		c, err := r.ReadByte()
		if err != nil {
			return "", fmt.Errorf("%w: cut short", ErrExport)
		}
		line = append(line, c)
		if c == '\n' {
			return string(line), nil
		}
	}
	return "", fmt.Errorf("%w: line too long", ErrExport)
}

// limits returns the largest size in bytes of one entry of that kind.
func limits(kind string) (most int, ok bool) {
	switch kind {
	case "root":
		return trust.MaxRootLen, true
	case "timestamp":
		return trust.MaxTimestampLen, true
	case "bundle":
		return trust.MaxBundleLen, true
	case "status":
		return trust.MaxStatusLen, true
	case "pack":
		return trust.PackShards * statuslist.MaxDeflated, true
	case "survivors":
		return statuslist.MaxSurvivors * statuslist.MarkSize, true
	}
	return 0, false
}

// entry reads the data that a header line announces and stores it in x.
func (x *exported) entry(r *bufio.Reader, line string) error {
	parts := strings.Split(strings.TrimSuffix(line, "\n"), " ")
	if len(parts) != 3 {
		return fmt.Errorf("%w: header line", ErrExport)
	}
	kind, name := parts[0], parts[1]
	most, ok := limits(kind)
	size, err := strconv.Atoi(parts[2])
	if !ok || err != nil || size < 0 || size > most {
		return fmt.Errorf("%w: entry %.20q", ErrExport, kind)
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(r, data); err != nil || data[size] != '\n' {
		return fmt.Errorf("%w: entry %s %.64q is cut short", ErrExport, kind, name)
	}
	return x.file(kind, name, data[:size])
}

func (x *exported) file(kind, name string, data []byte) error {
	u := &x.update
	once := func(to *[]byte) error {
		if *to != nil || name != "-" {
			return fmt.Errorf("%w: entry %s", ErrExport, kind)
		}
		*to = data
		return nil
	}
	switch kind {
	case "timestamp":
		return once(&u.Timestamp)
	case "bundle":
		return once(&u.Bundle)
	case "status":
		return once(&u.Status)
	case "root":
		if name != strconv.Itoa(len(u.Roots)+1) || len(u.Roots) >= maxExportRoots {
			return fmt.Errorf("%w: root %.20q out of order", ErrExport, name)
		}
		u.Roots = append(u.Roots, data)
	case "pack":
		if name != strconv.Itoa(len(x.packs)) || len(x.packs) >= maxExportPacks {
			return fmt.Errorf("%w: pack %.20q out of order", ErrExport, name)
		}
		x.packs = append(x.packs, data)
	case "survivors":
		x.survivors = append(x.survivors, data)
	}
	return nil
}
