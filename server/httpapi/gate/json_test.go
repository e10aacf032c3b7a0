package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestJSONWriter: JSON keeps its meaning, and has no escape for HTML, wherever it is cut.
func TestJSONWriter(t *testing.T) {
	t.Parallel()
	value := map[string]string{"url": "https://x/?a=1&b=<2>", `\u0026`: `\\u0026 \`, "&": "\\\u2028\n\"&\""}
	var doc bytes.Buffer
	if err := json.NewEncoder(&doc).Encode(value); err != nil {
		t.Fatal(err)
	}
	for cut := range doc.Len() {
		out := httptest.NewRecorder()
		w := &jsonWriter{ResponseWriter: out, mediaType: mediaJSON}
		w.Header().Set("Content-Type", mediaJSON)
		w.WriteHeader(200)
		for _, part := range [][]byte{doc.Bytes()[:cut], doc.Bytes()[cut:]} {
			if n, err := w.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		var got map[string]string
		if err := json.Unmarshal(out.Body.Bytes(), &got); err != nil || fmt.Sprint(got) != fmt.Sprint(value) {
			t.Errorf("cut at %d: %v, %s", cut, err, out.Body)
		}
		if cut == 0 && (!strings.Contains(out.Body.String(), "?a=1&b=<2>") || strings.Contains(out.Body.String(), `"\u0026"`)) {
			t.Errorf("escaped: %s", out.Body)
		}
	}
	other := httptest.NewRecorder()
	w := &jsonWriter{ResponseWriter: other, mediaType: mediaJSON}
	w.Header().Set("Content-Type", "application/zip")
	w.WriteHeader(200)
	w.Write(doc.Bytes())
	if !bytes.Equal(other.Body.Bytes(), doc.Bytes()) {
		t.Error("another type is changed")
	}
}
