package gate

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"

	"tcode/server/fault"
	"tcode/sync/wire/strictjson"
)

// readBody returns the body of r, inflated, or a TooLarge fault if that is
// longer than limit bytes: a small gzip must not become a large request.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	packed, err := isPacked(r)
	if err != nil {
		return nil, err
	}
	body := http.MaxBytesReader(w, r.Body, limit)
	if packed {
		return inflate(body, limit)
	}
	return readAll(body, r.ContentLength, limit)
}

// readPacked returns the body of r as it is sent, limit bytes at most, and what
// unpacks it, with the faults of readBody.
func readPacked(w http.ResponseWriter, r *http.Request, limit int64) (body []byte, unpack func([]byte) ([]byte, error), err error) {
	packed, err := isPacked(r)
	if err != nil {
		return nil, nil, err
	}
	body, err = readAll(http.MaxBytesReader(w, r.Body, limit), r.ContentLength, limit)
	if packed {
		unpack = func(body []byte) ([]byte, error) { return inflate(bytes.NewReader(body), limit) }
	} else {
		unpack = func(body []byte) ([]byte, error) { return body, nil }
	}
	return body, unpack, err
}

// isPacked reports whether the body of r is gzip data.
func isPacked(r *http.Request) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))) {
	case "", "identity":
		return false, nil
	case "gzip":
		return true, nil
	}
	return false, badEncoding()
}

func badEncoding() error {
	return fault.New(fault.UnsupportedMedia, fault.CodeUnsupportedMediaType, "Content-Encoding must be gzip or absent")
}

// inflate returns what the gzip data inflates to. It does so twice, the first
// time only to see how long that is: nothing as large as the limit is held for
// data that turns out to be longer.
func inflate(body io.Reader, limit int64) ([]byte, error) {
	var packed bytes.Buffer
	zr, err := gzip.NewReader(io.TeeReader(body, &packed))
	if errors.Is(err, io.EOF) {
		return nil, nil // no body at all
	}
	if err != nil {
		return nil, bodyFault(err, limit)
	}
	n, err := io.Copy(io.Discard, io.LimitReader(zr, limit+1))
	switch {
	case err != nil:
		return nil, bodyFault(err, limit)
	case n > limit:
		return nil, tooLarge(limit)
	}
	if zr, err = gzip.NewReader(&packed); err != nil {
		return nil, bodyFault(err, limit)
	}
	return readAll(zr, n, limit)
}

// readAll reads up to limit bytes; expected is how many there should be, or
// negative.
func readAll(body io.Reader, expected, limit int64) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, min(max(expected, 0), limit)+bytes.MinRead))
	n, err := b.ReadFrom(io.LimitReader(body, limit+1))
	switch {
	case err != nil:
		return nil, bodyFault(err, limit)
	case n > limit:
		return nil, tooLarge(limit)
	}
	return b.Bytes(), nil
}

// bodyFault tells why a body could not be read.
func bodyFault(err error, limit int64) error {
	var big *http.MaxBytesError
	if errors.As(err, &big) {
		return tooLarge(limit)
	}
	return fault.New(fault.Invalid, fault.CodeValidationFailed, "the request body cannot be read").
		WithField("$body", "cannot be read to its end").WithErr(err)
}

func tooLarge(limit int64) error {
	return fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "the request body is larger than %d bytes, inflated", limit)
}

// checkBody parses a body and checks it against schema. It returns the paths of
// members that are not known and that are therefore ignored.
func checkBody(parse func() (strictjson.Node, error), schema *openapi3.Schema, opts []openapi3.SchemaValidationOption) (ignored []string, bad Fields) {
	root, err := parse()
	if err != nil {
		return nil, strictjson.Problems(err)
	}
	c := converter{bad: Fields{}}
	value := c.convert("", root, schema)
	c.bad.check("", value, schema, opts)
	return c.ignored, c.bad
}

// A converter turns a parsed body into what kin-openapi checks, and finds on
// the way what it does not: unknown members, names in the wrong case, Base64.
type converter struct {
	bad     Fields
	ignored []string
}

func (c *converter) convert(path string, n strictjson.Node, s *openapi3.Schema) any {
	switch n.Kind {
	case strictjson.Bool:
		return n.True
	case strictjson.Number:
		v, ok := n.Float()
		if !ok {
			c.bad.Add(path, "is out of range")
			return 0.0
		}
		if s != nil && s.Type.Is("integer") && v == math.Trunc(v) && bytes.ContainsAny(n.Bytes(), ".eE") {
			c.bad.Add(path, "must be a whole number, written without a point or exponent")
		}
		return v
	case strictjson.String:
		if s != nil && s.Format == "byte" {
			return c.base64(path, n)
		}
		text := n.Text()
		if strings.IndexByte(text, 0) >= 0 {
			c.bad.Add(path, "must not contain U+0000") // not every database can hold it
		}
		return text
	case strictjson.Array:
		var item *openapi3.Schema
		if s != nil && s.Items != nil {
			item = s.Items.Value
		}
		list := make([]any, 0, len(n.Items))
		for i, v := range n.Items {
			list = append(list, c.convert(strictjson.Index(path, i), v, item))
		}
		return list
	case strictjson.Object:
		return c.object(path, n, s)
	}
	return nil
}

func (c *converter) object(path string, n strictjson.Node, s *openapi3.Schema) map[string]any {
	m := make(map[string]any, len(n.Members))
	for _, member := range n.Members {
		inner := strictjson.Join(path, member.Name)
		switch prop := property(s, member.Name); {
		case prop != nil && member.Value.Kind == strictjson.Null && !prop.Nullable && !slices.Contains(s.Required, member.Name):
			// Many clients send null for what they leave out.
		case prop != nil:
			m[member.Name] = c.convert(inner, member.Value, prop)
		case twin(s, member.Name) != "":
			c.bad.Add(inner, "is not known, %s is: names are case-sensitive", twin(s, member.Name))
		case s != nil && s.AdditionalProperties.Has != nil && !*s.AdditionalProperties.Has:
			c.bad.Add(inner, "is not known")
		default:
			c.ignored = append(c.ignored, inner)
		}
	}
	return m
}

// property returns the schema of a member of s, nil if s does not know it.
func property(s *openapi3.Schema, name string) *openapi3.Schema {
	if s == nil {
		return nil
	}
	if ref, ok := s.Properties[name]; ok {
		return ref.Value
	}
	if s.AdditionalProperties.Schema != nil {
		return s.AdditionalProperties.Schema.Value
	}
	return nil
}

// twin returns the known name that name differs from in case only.
func twin(s *openapi3.Schema, name string) string {
	if s == nil {
		return ""
	}
	for known := range s.Properties {
		if strings.EqualFold(known, name) {
			return known
		}
	}
	return ""
}

// base64 checks a string as encoding/json will decode it, only stricter: no
// line breaks, full padding, no stray bits. The value itself can be megabytes
// and is not looked at again, so a stand-in is returned.
func (c *converter) base64(path string, n strictjson.Node) string {
	b := n.Bytes()
	if len(b) == 0 {
		c.bad.Add(path, "must not be empty")
		return ""
	}
	if bytes.ContainsAny(b, "\r\n") {
		c.bad.Add(path, "must be Base64 without line breaks")
		return standIn
	}
	if _, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding.Strict(), bytes.NewReader(b))); err != nil {
		c.bad.Add(path, "must be Base64 with padding (RFC 4648 section 4)")
	}
	return standIn
}

// standIn is a string of Base64, whatever was sent.
const standIn = "AAAA"

// binder hands the checked body to the generated code, in place of Echo's own
// that would look at queries and forms too.
type binder struct{}

// Bind decodes the body of the call into v; io.EOF says that there is none.
func (binder) Bind(v any, c echo.Context) error {
	body := CallOf(c.Request().Context()).Body
	if len(body) == 0 {
		return io.EOF
	}
	if err := json.Unmarshal(body, v); err != nil {
		// The contract allows what our types do not hold: a fault of ours.
		return fault.New(fault.Invalid, fault.CodeValidationFailed, "the request body cannot be understood").WithErr(err)
	}
	return nil
}
