package gate

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"tcode/sync/wire/strictjson"
)

// BodyPath is the path of the body itself.
const BodyPath = "$body"

// Fields collects the errors of a request by field path.
type Fields map[string][]string

// Add adds an error at a path, "" for the body itself.
func (f Fields) Add(path, format string, args ...any) {
	if path == "" {
		path = BodyPath
	}
	if message := fmt.Sprintf(format, args...); !slices.Contains(f[path], message) {
		f[path] = append(f[path], message)
	}
}

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// schemaOptions returns the options for checks against the contract. kin-openapi
// does not check a uuid by default, and it checks a "byte" with a regexp over
// megabytes, so the converter checks Base64 instead.
var schemaOptions = sync.OnceValue(func() []openapi3.SchemaValidationOption {
	ok := openapi3.NewCallbackValidator(func(string) error { return nil })
	uuid := openapi3.NewCallbackValidator(func(s string) error {
		if !uuidForm.MatchString(s) {
			return errors.New("not a uuid")
		}
		return nil
	})
	dateTime := openapi3.NewCallbackValidator(func(s string) error {
		_, err := time.Parse(time.RFC3339, s)
		return err
	})
	return []openapi3.SchemaValidationOption{
		openapi3.VisitAsRequest(), openapi3.MultiErrors(), openapi3.EnableFormatValidation(),
		openapi3.WithStringFormatValidator("byte", ok),
		openapi3.WithStringFormatValidator("uuid", uuid),
		openapi3.WithStringFormatValidator("date-time", dateTime),
	}
})

// check adds the errors of value, which is at path.
func (f Fields) check(path string, value any, schema *openapi3.Schema, opts []openapi3.SchemaValidationOption) {
	if _, ok := value.(string); ok && anyText(schema) {
		return
	}
	f.collect(path, schema.VisitJSON(value, opts...))
}

// anyText reports whether a schema allows every string, as those of the references
// and hashes of look-ups do.
func anyText(s *openapi3.Schema) bool {
	return s.Type.Is("string") && s.Format == "" && s.Pattern == "" && s.MinLength == 0 && s.MaxLength == nil && len(s.Enum) == 0
}

// collect splits an error of kin-openapi into single messages. The messages are
// ours: those of kin-openapi may quote the client's value.
func (f Fields) collect(path string, err error) {
	var many openapi3.MultiError
	var one *openapi3.SchemaError
	switch {
	case err == nil:
	case errors.As(err, &many):
		for _, err := range many {
			f.collect(path, err)
		}
	case errors.As(err, &one):
		for _, step := range one.JSONPointer() {
			if i, err := parseIndex(step); err == nil {
				path = strictjson.Index(path, i)
			} else {
				path = strictjson.Join(path, step)
			}
		}
		f.Add(path, "%s", message(one))
	default:
		f.Add(path, "is not valid")
	}
}

// parseIndex reads a step of a JSON pointer as an array index. No name in our
// contract consists of digits.
func parseIndex(step string) (int, error) {
	var i int
	if strings.Trim(step, "0123456789") != "" {
		return 0, errors.New("not an index")
	}
	_, err := fmt.Sscanf(step, "%d", &i)
	return i, err
}

// message describes an error in words of the contract alone.
func message(e *openapi3.SchemaError) string {
	s := e.Schema
	switch e.SchemaField {
	case "required":
		return "is required"
	case "nullable":
		return "must not be null"
	case "type":
		return "must be " + typeWords(s)
	case "enum":
		var words []string
		for _, v := range s.Enum {
			if v != nil {
				words = append(words, fmt.Sprint(v))
			}
		}
		return "must be one of " + strings.Join(words, ", ")
	case "minLength":
		if s.MinLength == 1 {
			return "must not be empty"
		}
		return fmt.Sprintf("must have at least %d characters", s.MinLength)
	case "maxLength":
		return fmt.Sprintf("must have at most %d characters", *s.MaxLength)
	case "minItems":
		return fmt.Sprintf("must have at least %d items", s.MinItems)
	case "maxItems":
		return fmt.Sprintf("must have at most %d items", *s.MaxItems)
	case "minimum":
		return fmt.Sprintf("must be at least %v", *s.Min)
	case "maximum":
		return fmt.Sprintf("must be at most %v", *s.Max)
	case "format":
		return "must be " + typeWords(s)
	case "pattern":
		return "does not have the right form"
	}
	return "is not valid"
}

// typeWords names the type and format of a schema for people.
func typeWords(s *openapi3.Schema) string {
	switch s.Format {
	case "uuid":
		return "a UUID"
	case "date-time":
		return "a time as in RFC 3339, such as 2026-01-31T09:30:00Z, or a day such as 2026-01-31"
	case "byte":
		return "a string of Base64"
	}
	switch {
	case s.Type.Is("integer"):
		return "a whole number"
	case s.Type.Is("array"):
		return "a list"
	case s.Type.Is("object"):
		return "an object"
	case s.Type.Is("boolean"):
		return "true or false"
	}
	return "a " + strings.Join(s.Type.Slice(), " or ")
}
