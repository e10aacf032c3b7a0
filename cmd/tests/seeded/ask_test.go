//go:build linux

package seeded_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tcode/cmd/internal/world"
)

// parameter is one in a path.
var parameter = regexp.MustCompile(`\{(\w+)\}`)

// ask makes the request that the contract has as the example of an operation.
func ask(t *testing.T, operation string) func(g *gateway, _ context.Context) int {
	t.Helper()
	if operation == "createStamp" {
		return stamps
	}
	op := operations(t)[operation]
	examples := map[string]string{"version": "1", "sha256": strings.Repeat("0", 64), "file": "x"}
	for _, q := range slices.Concat(op.item.Parameters, op.Parameters) {
		if q.Value.Example != nil {
			examples[q.Value.Name] = fmt.Sprint(q.Value.Example)
		}
	}
	path := parameter.ReplaceAllStringFunc(op.path, func(name string) string {
		return examples[strings.Trim(name, "{}")]
	})
	if operation == "getTrustTime" {
		path += "?nonce=" + strings.Repeat("0", 64)
	}
	var body any
	if op.RequestBody != nil {
		body = exampleOf(op.RequestBody.Value.Content["application/json"])
	}
	return func(g *gateway, _ context.Context) int {
		return statusOf(g.send(op.method, path, body))
	}
}

// exampleOf returns an example of a body.
func exampleOf(m *openapi3.MediaType) any {
	if m.Example != nil {
		return m.Example
	}
	for _, name := range slices.Sorted(maps.Keys(m.Examples)) {
		return m.Examples[name].Value.Value
	}
	return map[string]any{}
}

// stampBody is the request for a stamp.
func stampBody(t *testing.T) map[string]any {
	t.Helper()
	pdf := world.Base64(diploma(t))
	return map[string]any{"name": "Diploma", "documentTypeCode": "DIP", "pdf": pdf}
}
