package cache

import (
	"io"

	"tcode/offline/trust"
)

// ReadExport reads an export file as [Cache.Export] writes it, without a cache:
// the documents, with all roots from version 1 on, and the survivor lists.
// Nothing is verified but the file's own shape; the error is [ErrExport].
func ReadExport(from io.Reader) (trust.Update, [][]byte, error) {
	x, err := readExport(from)
	return x.update, x.survivors, err
}
