//go:build !windows || nodynamic

package raster

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	_ "unsafe" // for go:linkname

	_ "github.com/gen2brain/avif" // holds the module
	_ "github.com/gen2brain/heic" // holds the module
)

// hasHEIF says that this build has the decoders of HEIC and AVIF.
const hasHEIF = true

// heicWasm and avifWasm are the decoders as the two modules embed them, compressed. Their own functions decode with as
// much memory as WebAssembly can have, and in the process that calls them.
//
//go:linkname heicWasm github.com/gen2brain/heic.heifWasm
var heicWasm []byte

//go:linkname avifWasm github.com/gen2brain/avif.decodeWasm
var avifWasm []byte

// heicModule and avifModule return the decoders' bytes.
func heicModule() ([]byte, error) { return expand("heic", heicWasm) }

func avifModule() ([]byte, error) { return expand("avif", avifWasm) }

func expand(name string, packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("the module of gen2brain/%s: %w", name, err)
	}
	wasm, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("the module of gen2brain/%s: %w", name, err)
	}
	return wasm, nil
}
