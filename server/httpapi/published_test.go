package httpapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"tcode/server/httpapi"
	"tcode/server/httpapi/api"
)

// TestPublished: the contract is published as OpenAPI 3.1, with its webhooks, and both of
// its forms say the same. No keyword of 3.0 is left, and nothing else has changed.
func TestPublished(t *testing.T) {
	t.Parallel()
	text, data, err := httpapi.Published()
	if err != nil {
		t.Fatal(err)
	}
	var fromYAML, fromJSON, written map[string]any
	for _, err := range []error{yaml.Unmarshal(text, &fromYAML), json.Unmarshal(data, &fromJSON), yaml.Unmarshal(api.YAML, &written)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(plain(t, fromYAML), any(fromJSON)); diff != "" {
		t.Errorf("openapi.yaml and openapi.json differ (-yaml +json):\n%s", diff)
	}
	if len(fromJSON["webhooks"].(map[string]any)) == 0 || fromJSON["openapi"] != "3.1.0" {
		t.Errorf("openapi %v with %d members", fromJSON["openapi"], len(fromJSON))
	}
	for _, word := range []string{"nullable", "x-webhooks", "format: byte"} {
		if strings.Contains(string(text), word+":") || strings.Contains(string(text), word+",") {
			t.Errorf("%s is still there", word)
		}
	}
	downgraded := plain(t, downgrade(fromYAML)).(map[string]any)
	downgraded["openapi"], downgraded["x-webhooks"] = "3.0.3", downgraded["webhooks"]
	delete(downgraded, "webhooks")
	if diff := cmp.Diff(plain(t, written), any(downgraded)); diff != "" {
		t.Errorf("published beside the source (-source +published):\n%s", diff)
	}
}

// plain returns a value as JSON has it.
func plain(t *testing.T, v any) (out any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// downgrade writes types that may be null, and Base64, as OpenAPI 3.0 does.
func downgrade(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = downgrade(member)
		}
		if types, ok := v["type"].([]any); ok && len(types) == 2 && slices.Contains(types, any("null")) {
			v["type"], v["nullable"] = types[0], true
		}
		if v["contentEncoding"] == "base64" {
			delete(v, "contentEncoding")
			v["format"] = "byte"
		}
	case []any:
		for i := range v {
			v[i] = downgrade(v[i])
		}
	}
	return v
}
