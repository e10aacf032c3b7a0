package frame

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
)

// addModules serves the scripts of an area, and adds its styles to the style sheet. The
// name of a script changes with its bytes.
func (f *Frame) addModules(area string, files fs.FS) error {
	names, err := fs.Glob(files, "assets/*")
	if err != nil {
		return err
	}
	for _, name := range names {
		raw, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		switch base := path.Base(name); {
		case path.Ext(name) == ".js":
			at := hashed(area+"-"+base[:len(base)-len(".js")], raw, ".js")
			f.modules[area+"/"+base] = at
			f.handle("GET "+at, serveBytes("text/javascript; charset=utf-8", raw))
		case path.Ext(name) == ".css" && area != "frame":
			f.style = append(f.style, raw...)
		}
	}
	return nil
}

// serveStyle serves the style sheet.
func (f *Frame) serveStyle() {
	f.handle("GET "+f.styleURL(), serveBytes("text/css; charset=utf-8", f.style))
}

func (f *Frame) styleURL() string { return hashed("console", f.style, ".css") }

// hashed returns the path of a file whose name has a hash of its bytes.
func hashed(name string, raw []byte, ext string) string {
	sum := sha256.Sum256(raw)
	return "/console/assets/" + name + "-" + hex.EncodeToString(sum[:8]) + ext
}

// serveBytes serves a file that never changes under its name.
func serveBytes(kind string, raw []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		_, _ = w.Write(raw)
	}
}
