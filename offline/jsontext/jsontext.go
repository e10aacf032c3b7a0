// Package jsontext writes JSON for people and programs: with "&", "<" and ">" as they are. Package
// encoding/json alone writes \u0026 for use in HTML, also inside of a MarshalJSON whose encoder
// does not. JSON that is signed or kept by a format of its own is not written by it.
package jsontext

import (
	"bytes"
	"encoding/json"
	"io"
)

// Marshal is json.Marshal.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := Encoder(&b).Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Encoder is json.NewEncoder.
func Encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}
