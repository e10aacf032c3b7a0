package gate

import (
	"maps"
	"slices"
	"strings"

	"tcode/sync/wire/strictjson"
)

// repair returns a value of s in which a good one stands for each that bad names, so that
// rules can be checked that no schema can express. What they find at such a place does not
// count, see [Fields.addRules].
func repair(path string, value any, s *schema, bad Fields) any {
	switch v := value.(type) {
	case map[string]any:
		if s == nil || s.Type != "object" {
			break
		}
		out := make(map[string]any, len(v))
		for name, inner := range v {
			out[name] = repair(strictjson.Join(path, name), inner, property(s, name), bad)
		}
		return out
	case []any:
		if s == nil || s.Type != "array" {
			break
		}
		out := make([]any, 0, len(v))
		for i, inner := range v {
			out = append(out, repair(strictjson.Index(path, i), inner, s.Items, bad))
		}
		return out
	}
	if s != nil && bad[path] != nil {
		return sample(s)
	}
	return value
}

// sample returns a value of s.
func sample(s *schema) any {
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Format == "uuid":
		return "00000000-0000-0000-0000-000000000000"
	case s.Format == "date-time":
		return "2000-01-01T00:00:00Z"
	case s.Format == "byte":
		return standIn
	}
	switch s.Type {
	case "number", "integer":
		if s.Minimum != nil {
			return *s.Minimum
		}
		return 0
	case "boolean":
		return false
	case "array":
		return []any{}
	case "object":
		return map[string]any{}
	}
	return strings.Repeat("x", max(s.MinLength, 1))
}

// addRules adds the errors that rules found in a repaired body. It leaves out those at, in and
// around a place that has an error already, and those of the body as a whole.
func (f Fields) addRules(found map[string][]string) {
	before := slices.Collect(maps.Keys(f))
	for path, messages := range found {
		near := func(other string) bool { return within(path, other) || within(other, path) }
		if path == BodyPath || slices.ContainsFunc(before, near) {
			continue
		}
		for _, m := range messages {
			f.Add(path, "%s", m)
		}
	}
}

// within reports whether path is a place or is in it.
func within(path, place string) bool {
	rest, ok := strings.CutPrefix(path, place)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
