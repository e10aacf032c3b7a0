package trustbook

import (
	"fmt"
	"io"
	"maps"

	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// ReadExport reads an export file, as [Book.Export] writes it, without a Book:
// the documents, with all roots from version 1 on, and the survivor lists. It
// checks only the shape of the file, no signature. The error is [ErrExport].
func ReadExport(from io.Reader) (trust.Update, [][]byte, error) {
	x, err := readExport(from)
	for i, raw := range x.packs {
		if err != nil {
			break
		}
		var all []*statuslist.Shard
		if all, err = statuslist.InflateAll(raw, trust.PackShards); err != nil {
			err = fmt.Errorf("%w: pack %d: %w", ErrExport, i, err)
			break
		}
		pack, shards := trust.Unpacked(uint16(i), all)
		x.update.Packs[uint16(i)] = pack
		maps.Copy(x.update.Shards, shards)
	}
	return x.update, x.survivors, err
}
