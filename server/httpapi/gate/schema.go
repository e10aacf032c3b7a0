package gate

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"tcode/sync/wire/strictjson"
)

// A schema is one of the contract (OpenAPI 3.0), with the keywords that its requests use.
type schema struct {
	Ref        string             `yaml:"$ref"`
	Type       string             `yaml:"type"`
	Format     string             `yaml:"format"`
	Nullable   bool               `yaml:"nullable"`
	Enum       []any              `yaml:"enum"`
	Pattern    string             `yaml:"pattern"`
	MinLength  int                `yaml:"minLength"`
	MaxLength  *int               `yaml:"maxLength"`
	Minimum    *float64           `yaml:"minimum"`
	Maximum    *float64           `yaml:"maximum"`
	Items      *schema            `yaml:"items"`
	MinItems   int                `yaml:"minItems"`
	MaxItems   *int               `yaml:"maxItems"`
	Properties map[string]*schema `yaml:"properties"`
	Required   []string           `yaml:"required"`
	Additional additional         `yaml:"additionalProperties"`
	Day        string             `yaml:"x-date"` // see [dayEnd]
	Words      string             `yaml:"x-form"` // of Pattern, for people: "a month such as 2026-11"
	Rest       map[string]any     `yaml:",inline"`

	form  *regexp.Regexp // of Pattern
	ready bool
}

// additional says which members an object may have that are not among its properties.
type additional struct {
	closed bool    // none
	of     *schema // of each; nil: any
}

// UnmarshalYAML reads a bool or a schema.
func (a *additional) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		return n.Decode(&a.of)
	}
	var open bool
	err := n.Decode(&open)
	a.closed = !open
	return err
}

// remarks are the keywords that no value is checked against.
var remarks = []string{"description", "example", "default"}

// formats are those that are checked or need no check: a "double" is any number.
var formats = []string{"", "byte", "uuid", "date-time", "int32", "int64", "double", "uri"}

// prepare follows the references in s, and refuses what check does not know. It returns the
// schema to use in place of s.
func (d *document) prepare(s *schema) (*schema, error) {
	if s == nil {
		return nil, nil
	}
	if s.Ref != "" {
		name, _ := strings.CutPrefix(s.Ref, "#/components/schemas/")
		if s = d.Components.Schemas[name]; s == nil || s.Ref != "" {
			return nil, fmt.Errorf("no schema %s", name)
		}
	}
	if s.ready {
		return s, nil
	}
	s.ready = true
	for name := range s.Rest {
		if !slices.Contains(remarks, name) {
			return nil, fmt.Errorf("requests are not checked against the keyword %s", name)
		}
	}
	if !slices.Contains(formats, s.Format) {
		return nil, fmt.Errorf("requests are not checked against the format %s", s.Format)
	}
	for i, v := range s.Enum {
		if n, ok := v.(int); ok {
			s.Enum[i] = float64(n)
		}
	}
	var err error
	if s.Pattern != "" {
		if s.form, err = regexp.Compile(s.Pattern); err != nil {
			return nil, err
		}
		if s.Words == "" {
			return nil, fmt.Errorf("the pattern %s has no x-form", s.Pattern)
		}
	}
	for name, prop := range s.Properties {
		if s.Properties[name], err = d.prepare(prop); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if s.Items, err = d.prepare(s.Items); err != nil {
		return nil, err
	}
	s.Additional.of, err = d.prepare(s.Additional.of)
	return s, err
}

// check adds the errors of value, which is at path, in words of the contract alone. A value
// is one of encoding/json.
func (f Fields) check(path string, value any, s *schema) {
	if s == nil || value == nil && s.Nullable {
		return
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, value) {
		f.Add(path, "must be one of %s", enumWords(s.Enum))
		return
	}
	ok := s.Type == ""
	switch v := value.(type) {
	case nil:
		f.Add(path, "must not be null")
		return
	case bool:
		ok = ok || s.Type == "boolean"
	case float64:
		if ok = ok || s.Type == "number" || s.Type == "integer"; ok {
			f.checkNumber(path, v, s)
		}
	case string:
		if ok = ok || s.Type == "string"; ok {
			f.checkString(path, v, s)
		}
	case []any:
		if ok = ok || s.Type == "array"; ok {
			f.checkList(path, v, s)
		}
	case map[string]any:
		if ok = ok || s.Type == "object"; ok {
			f.checkObject(path, v, s)
		}
	}
	if !ok {
		f.Add(path, "must be %s", typeWords(s))
	}
}

// ranges are those of the formats of whole numbers: from the first, below the second.
var ranges = map[string][2]float64{"int32": {-1 << 31, 1 << 31}, "int64": {-1 << 63, 1 << 63}}

func (f Fields) checkNumber(path string, v float64, s *schema) {
	within, bounded := ranges[s.Format]
	outside := bounded && (v < within[0] || v >= within[1])
	if s.Type == "integer" && (v != math.Trunc(v) || outside) {
		f.Add(path, "must be %s", typeWords(s))
	}
	if s.Minimum != nil && v < *s.Minimum {
		f.Add(path, "must be at least %s", digits(*s.Minimum))
	}
	if s.Maximum != nil && v > *s.Maximum {
		f.Add(path, "must be at most %s", digits(*s.Maximum))
	}
}

// digits writes a number without an exponent.
func digits(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// number writes a number of things.
func number(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// checkString leaves strings of Base64 to the converter, because they may have megabytes.
func (f Fields) checkString(path, v string, s *schema) {
	if s.MinLength > 0 || s.MaxLength != nil {
		switch n := utf8.RuneCountInString(v); {
		case s.MinLength == 1 && n == 0:
			f.Add(path, "must not be empty")
		case n < s.MinLength:
			f.Add(path, "must have at least %s", number(s.MinLength, "character"))
		case s.MaxLength != nil && n > *s.MaxLength:
			f.Add(path, "must have at most %s", number(*s.MaxLength, "character"))
		}
	}
	if s.form != nil && !s.form.MatchString(v) {
		f.Add(path, "must be %s", s.Words)
	}
	ok := true
	switch s.Format {
	case "uuid":
		ok = uuidForm.MatchString(v)
	case "date-time":
		_, err := time.Parse(time.RFC3339, v)
		ok = err == nil
	}
	if !ok {
		f.Add(path, "must be %s", typeWords(s))
	}
}

func (f Fields) checkList(path string, list []any, s *schema) {
	if len(list) < s.MinItems {
		f.Add(path, "must have at least %s", number(s.MinItems, "item"))
	}
	if s.MaxItems != nil && len(list) > *s.MaxItems {
		f.Add(path, "must have at most %s", number(*s.MaxItems, "item"))
	}
	for i, v := range list {
		f.check(strictjson.Index(path, i), v, s.Items)
	}
}

// checkObject leaves unknown members to the converter.
func (f Fields) checkObject(path string, members map[string]any, s *schema) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		f.check(strictjson.Join(path, name), members[name], property(s, name))
	}
	for _, name := range s.Required {
		if _, ok := members[name]; !ok {
			f.Add(strictjson.Join(path, name), "is required")
		}
	}
}

// enumWords joins the values of an enum, other than null.
func enumWords(values []any) string {
	var words []string
	for _, v := range values {
		if n, ok := v.(float64); ok {
			words = append(words, digits(n))
		} else if v != nil {
			words = append(words, fmt.Sprint(v))
		}
	}
	return strings.Join(words, ", ")
}

// objectWords names an object of a schema and the members that it must have.
func objectWords(s *schema) string {
	if len(s.Required) == 0 {
		return "an object"
	}
	return "an object with " + strings.Join(s.Required, ", ")
}

// listWords names a list of a schema and its items.
func listWords(items *schema) string {
	switch {
	case items == nil:
	case items.Type == "object" && len(items.Required) > 0:
		return "a list of {" + strings.Join(items.Required, ", ") + "}"
	case items.Type == "object":
		return "a list of objects"
	case items.Type == "string":
		return "a list of strings"
	}
	return "a list"
}

// typeWords names the type and format of a schema for people.
func typeWords(s *schema) string {
	switch s.Format {
	case "uuid":
		return "a UUID"
	case "date-time":
		return "a time as in RFC 3339, such as 2026-01-31T09:30:00Z, or a day such as 2026-01-31"
	case "byte":
		return "a string of Base64"
	}
	switch s.Type {
	case "integer":
		return "a whole number"
	case "array":
		return listWords(s.Items)
	case "object":
		return objectWords(s)
	case "boolean":
		return "true or false"
	}
	return "a " + s.Type
}
