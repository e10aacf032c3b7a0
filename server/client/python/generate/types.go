package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"
)

// A writer collects the lines of the client.
type writer struct {
	strings.Builder
	inner []inner // objects without a name of their own, to be written after the one that has them
}

// An inner is an object in the body of another one.
type inner struct {
	name   string
	schema *openapi3.Schema
}

func (w *writer) text(s string)                { w.WriteString(s) }
func (w *writer) line(format string, v ...any) { fmt.Fprintf(w, format+"\n", v...) }

// types writes a type for each schema of the contract.
func (w *writer) types(doc *openapi3.T) {
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		s := doc.Components.Schemas[name].Value
		if !isRecord(s) {
			w.line("\n\n%s: TypeAlias = %q", name, w.typeOf(name, &openapi3.SchemaRef{Value: s}))
			continue
		}
		for w.inner = []inner{{name, s}}; len(w.inner) > 0; {
			next := w.inner[0]
			w.inner = w.inner[1:]
			w.record(next)
		}
	}
}

// isRecord reports whether the members of an object have names in the contract.
func isRecord(s *openapi3.Schema) bool {
	return s.Type.Is("object") && s.AdditionalProperties.Schema == nil
}

// record writes the class of an object.
func (w *writer) record(r inner) {
	w.line("\n\nclass %s(TypedDict):", r.name)
	w.about("    ", r.schema.Description)
	names := slices.Sorted(maps.Keys(r.schema.Properties))
	for _, name := range names {
		t := w.typeOf(r.name+capital(name), r.schema.Properties[name])
		if !slices.Contains(r.schema.Required, name) {
			t = "NotRequired[" + t + "]"
		}
		w.line("    %s: %s", name, t)
	}
	if len(names) == 0 && r.schema.Description == "" {
		w.line("    pass")
	}
}

// typeOf returns the type of a schema. name is that of an object without one.
func (w *writer) typeOf(name string, ref *openapi3.SchemaRef) string {
	s := ref.Value
	t := ""
	switch {
	case ref.Ref != "":
		t = ref.Ref[strings.LastIndexByte(ref.Ref, '/')+1:]
	case len(s.OneOf) > 0:
		var all []string
		for _, one := range s.OneOf {
			all = append(all, w.typeOf(name, one))
		}
		t = strings.Join(all, " | ")
	case len(s.Enum) > 0 && s.Type.Is("string"):
		t = literal(s.Enum)
	case s.Type.Is("array"):
		t = "list[" + w.typeOf(name+"Item", s.Items) + "]"
	case s.Type.Is("object") && s.AdditionalProperties.Schema != nil:
		t = "dict[str, " + w.typeOf(name+"Value", s.AdditionalProperties.Schema) + "]"
	case s.Type.Is("object"):
		w.inner, t = append(w.inner, inner{name, s}), name
	default:
		t = map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool"}[strings.Join(s.Type.Slice(), "")]
	}
	if t == "" {
		t = "Any"
	}
	if s.Nullable {
		t += " | None"
	}
	return t
}

// literal returns the type of some words.
func literal(values []any) string {
	var all []string
	for _, v := range values {
		if text, ok := v.(string); ok {
			all = append(all, "'"+text+"'")
		}
	}
	return "Literal[" + strings.Join(all, ", ") + "]"
}

// about writes a text as a docstring.
func (w *writer) about(indent, text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), `"""`, `'''`)
	end := ""
	if strings.Contains(text, "\n") || strings.HasSuffix(text, `"`) {
		end = "\n" + indent
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines[1:] {
		if line != "" {
			lines[i+1] = indent + line
		}
	}
	w.line(`%s"""%s%s"""`, indent, strings.Join(lines, "\n"), end)
}

func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// snake returns the name of a method or a parameter: createStamp becomes create_stamp.
func snake(name string) string {
	var out []rune
	for i, c := range name {
		switch {
		case c == '-':
			c = '_'
		case unicode.IsUpper(c):
			if i > 0 && out[len(out)-1] != '_' {
				out = append(out, '_')
			}
			c = unicode.ToLower(c)
		}
		out = append(out, c)
	}
	if slices.Contains(keywords, string(out)) {
		out = append(out, '_')
	}
	return string(out)
}

// keywords are the words of Python that the contract has as names.
var keywords = []string{"from", "class", "global", "import", "pass"}
