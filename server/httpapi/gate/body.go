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
	"time"

	"github.com/labstack/echo/v4"

	"tcode/server/fault"
	"tcode/sync/wire/strictjson"
)

// readBody returns the body of r, inflated, or a TooLarge fault if that is
// longer than limit bytes: a small gzip body must not become a large request.
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

// readPacked returns the body of r as it is sent, limit bytes at most, and the
// function that unpacks it. It returns the same faults as readBody.
func readPacked(w http.ResponseWriter, r *http.Request, limit int64) (body []byte, unpack func([]byte) ([]byte, error), err error) {
	packed, err := isPacked(r)
	if err != nil {
		return nil, nil, err
	}
	control := http.NewResponseController(w)
	// If the connection has no deadlines, the time-outs of the server apply.
	_ = control.SetReadDeadline(time.Now().Add(packedTime))
	body, err = readAll(http.MaxBytesReader(w, r.Body, limit), r.ContentLength, limit)
	if err == nil {
		_ = control.SetReadDeadline(time.Time{}) // the body is here, and the next request has its own
	}
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

// inflate returns the inflated gzip data. It inflates twice, the first time only
// to measure the length, so that it allocates no buffer of limit bytes for data
// that is longer.
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

// firstBuffer is the largest buffer for a body of which nothing has arrived, in bytes.
const firstBuffer = 16 << 10

// readAll reads up to limit bytes; expected is the number of bytes that the client promises, or
// negative if it is not known. The buffer grows with what arrives.
func readAll(body io.Reader, expected, limit int64) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, min(max(expected, 0), limit, firstBuffer)+bytes.MinRead))
	n, err := b.ReadFrom(io.LimitReader(body, limit+1))
	switch {
	case err != nil:
		return nil, bodyFault(err, limit)
	case n > limit:
		return nil, tooLarge(limit)
	}
	return b.Bytes(), nil
}

// bodyFault returns a fault that says why a body could not be read.
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
// unknown members, which it ignores, the body in the contract's forms, nil if it has
// them already, and its value.
func checkBody(parse func() (strictjson.Node, error), s *schema) (
	ignored []string, body []byte, value any, bad Fields,
) {
	root, err := parse()
	if err != nil {
		return nil, nil, nil, strictjson.Problems(err)
	}
	c := converter{bad: Fields{}}
	value = c.convert("", root, s)
	c.bad.check("", value, s)
	if c.changed && len(c.bad) == 0 {
		if body, err = json.Marshal(value); err != nil {
			c.bad.Add("", "cannot be understood")
		}
	}
	return c.ignored, body, value, c.bad
}

// A converter turns a parsed body into the values that [Fields.check] knows. It finds
// the other errors: unknown members, names in the wrong case, invalid Base64.
type converter struct {
	bad     Fields
	ignored []string
	changed bool // a value has another form in the contract
}

func (c *converter) convert(path string, n strictjson.Node, s *schema) any {
	switch n.Kind {
	case strictjson.Bool:
		return n.True
	case strictjson.Number:
		v, ok := n.Float()
		if !ok {
			c.bad.Add(path, "is out of range")
			return 0.0
		}
		if s != nil && s.Type == "integer" && v == math.Trunc(v) && bytes.ContainsAny(n.Bytes(), ".eE") {
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
		form := standard(text, s)
		c.changed = c.changed || form != text
		return form
	case strictjson.Array:
		var item *schema
		if s != nil {
			item = s.Items
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

func (c *converter) object(path string, n strictjson.Node, s *schema) map[string]any {
	m := make(map[string]any, len(n.Members))
	for _, member := range n.Members {
		inner := strictjson.Join(path, member.Name)
		switch prop := property(s, member.Name); {
		case prop != nil && member.Value.Kind == strictjson.Null && !prop.Nullable && !slices.Contains(s.Required, member.Name):
			// Many clients send null for a member that they do not set.
		case prop != nil:
			m[member.Name] = c.convert(inner, member.Value, prop)
		case twin(s, member.Name) != "":
			c.bad.Add(inner, "is not known, %s is: names are case-sensitive", twin(s, member.Name))
		case s != nil && s.Additional.closed:
			c.bad.Add(inner, "is not known")
		default:
			c.ignored = append(c.ignored, inner)
		}
	}
	return m
}

// property returns the schema of a member of s, nil if s has no such member.
func property(s *schema, name string) *schema {
	if s == nil {
		return nil
	}
	if prop, ok := s.Properties[name]; ok {
		return prop
	}
	return s.Additional.of
}

// twin returns the known name that name differs from in case only.
func twin(s *schema, name string) string {
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

// base64 checks a string as encoding/json decodes it, only stricter: no line
// breaks, full padding, no stray bits. The value can have megabytes, and no later
// check reads it, so base64 returns a stand-in.
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

// standIn is a string of Base64, for a value of any length.
const standIn = "AAAA"

// binder passes the checked body to the generated code. It replaces Echo's
// binder, which would read queries and forms too.
type binder struct{}

// Bind decodes the body of the call into v; io.EOF says that there is none.
func (binder) Bind(v any, c echo.Context) error {
	body := CallOf(c.Request().Context()).Body
	if len(body) == 0 {
		return io.EOF
	}
	if err := json.Unmarshal(body, v); err != nil {
		// The contract allows a value that our types cannot hold: our mistake.
		return fault.New(fault.Invalid, fault.CodeValidationFailed, "the request body cannot be understood").WithErr(err)
	}
	return nil
}
