package gate

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"tcode/server/fault"
	"tcode/sync/wire/strictjson"
)

// A body is a request body, checked against the contract.
type body struct {
	ignored []string // paths of unknown members
	text    []byte   // in the contract's forms; nil: it has them already
	value   any
	bad     Fields
}

// checkBody parses the body of a request to o and checks it.
func (o *operation) checkBody(parse func() (strictjson.Node, error)) (b body) {
	root, err := parse()
	switch {
	case errors.Is(err, strictjson.ErrEmpty):
		return body{bad: Fields{BodyPath: {"is empty: send JSON, " + objectWords(o.body)}}}
	case err != nil:
		return body{bad: strictjson.Problems(err)}
	}
	c := converter{bad: Fields{}, strict: o.protected}
	b = body{value: c.convert("", root, o.body), bad: c.bad, ignored: c.ignored}
	b.bad.check("", b.value, o.body)
	if c.changed && len(b.bad) == 0 {
		if b.text, err = json.Marshal(b.value); err != nil {
			b.bad.Add("", "cannot be understood")
		}
	}
	return b
}

// A converter turns a parsed body into the values that [Fields.check] knows. It finds
// the other errors: unknown members, names in the wrong case, invalid Base64.
type converter struct {
	bad     Fields
	ignored []string
	strict  bool // unknown members are errors
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
			c.bad.Add(inner, "is unknown; did you mean %s? Names are case-sensitive", twin(s, member.Name))
		case s != nil && s.Properties != nil && (c.strict || s.Additional.closed):
			c.unknown(inner, member.Name, s)
		default:
			c.ignored = append(c.ignored, inner)
		}
	}
	return m
}

// unknown adds the error of a member of an object that s does not have.
func (c *converter) unknown(path, name string, s *schema) {
	switch near := fault.Nearest(slices.Collect(maps.Keys(s.Properties)), name); {
	case len(c.bad) >= maxErrorFields: // no answer has more
	case near != "":
		c.bad.Add(path, "is unknown; did you mean %s?", near)
	default:
		c.bad.Add(path, "is unknown: leave it out")
	}
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
