package gate

import (
	"bytes"
	"net/http"
)

// A jsonWriter writes an answer in JSON with the negotiated media type in place of the
// application/json that handlers set, and with "&", "<" and ">" as they are: package
// encoding/json writes \u0026 for use in HTML. An answer in another type passes unchanged.
type jsonWriter struct {
	http.ResponseWriter
	mediaType string
	other     bool // the answer is not JSON
	escape    bool // the last byte began an escape
}

func (w *jsonWriter) WriteHeader(status int) {
	h := w.Header()
	switch given := h.Get("Content-Type"); {
	case given != mediaJSON:
		w.other = given != contentType(w.mediaType) // an error is in the media type already
	case w.mediaType != mediaJSON:
		h.Set("Content-Type", contentType(w.mediaType))
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write returns the number of bytes of b that it has written in one form or the other.
func (w *jsonWriter) Write(b []byte) (int, error) {
	if w.other || !w.escape && bytes.IndexByte(b, '\\') < 0 {
		return w.ResponseWriter.Write(b)
	}
	if _, err := w.ResponseWriter.Write(w.plain(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// htmlEscapes are those that package encoding/json writes for characters of HTML.
var htmlEscapes = []struct{ escape, plain string }{{`\u0026`, "&"}, {`\u003c`, "<"}, {`\u003e`, ">"}}

// plain returns JSON without those escapes.
func (w *jsonWriter) plain(b []byte) []byte {
	out := make([]byte, 0, len(b))
next:
	for i := 0; i < len(b); i++ {
		if w.escape || b[i] != '\\' {
			out, w.escape = append(out, b[i]), false
			continue
		}
		for _, e := range htmlEscapes {
			if bytes.HasPrefix(b[i:], []byte(e.escape)) {
				out = append(out, e.plain...)
				i += len(e.escape) - 1
				continue next
			}
		}
		out, w.escape = append(out, b[i]), true
	}
	return out
}

// Unwrap returns the writer for http.ResponseController.
func (w *jsonWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
