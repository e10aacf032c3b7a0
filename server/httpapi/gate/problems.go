package gate

import (
	"fmt"
	"slices"
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
