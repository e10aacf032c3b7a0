package apitest

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// wrongByRule are values that fit the schemas of the contract and no rule of the gateway, by the
// name of the member.
var wrongByRule = map[string]any{
	"documentTypeCode": "NOPE", "suggestedDocType": "NOPE", "recipientEmail": "ada", "expiresAt": "2001-01-01T00:00:00Z",
	"scheduledFor": "2149-01-01T00:00:00Z", "pdf": base64.StdEncoding.EncodeToString([]byte("no PDF")),
	"url": "ftp://example.org", "events": []any{"nope"}, "customPages": "x", "caption.text": "\U000f0000", "validityUnit": "days",
	"issuanceTemplateId": anonymous,
}

// TestAllWrong: one answer names every member of a body of which every member is wrong. The
// first body has values that fit the schema and no rule, where there are such, and the second
// has the wrong types.
//
//engine:sqlite the form of the request decides
func TestAllWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bodies, ruled := 0, 0
	for _, id := range w.there() {
		op := operations()[id]
		if op.body == nil {
			continue
		}
		for _, byRule := range []bool{true, false} {
			q := w.ask(id)
			wrong := allWrong{byRule: byRule}
			body := wrong.object(op.body, q.Body.(map[string]any), "")
			if len(wrong.ruled) > 0 && len(wrong.ruled) == len(wrong.paths) {
				body["colour"], wrong.paths = 1, append(wrong.paths, "colour") // the schema finds something, too
			}
			q.Body = body
			a := w.WantCode(w.Do(q), 400, "VALIDATION_FAILED")
			errors := a.Body["errors"].(map[string]any)
			for _, path := range wrong.paths {
				if errors[path] == nil && (byRule || !strings.HasPrefix(path, "items[")) {
					text, _ := json.Marshal(q.Body)
					t.Errorf("%s: nothing about %s: %s\n%.600s", id, path, a.Raw, text)
				}
			}
			bodies, ruled = bodies+1, ruled+len(wrong.ruled)
		}
	}
	if bodies < 70 || ruled < 20 {
		t.Errorf("%d bodies with %d members that rules refuse", bodies, ruled)
	}
}

// An allWrong makes a body and notes the paths of its wrong members.
type allWrong struct {
	byRule       bool
	paths, ruled []string
}

func (w *allWrong) object(s *openapi3.Schema, good map[string]any, path string) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		out[name] = w.value(s.Properties[name].Value, good[name], name, path+name)
	}
	return out
}

func (w *allWrong) value(s *openapi3.Schema, good any, name, path string) any {
	switch inner := good.(type) {
	case map[string]any:
		return w.object(s, inner, path+".")
	case []any:
		if first, ok := inner[0].(map[string]any); ok {
			return []any{w.object(s.Items.Value, first, path+"[0].")}
		}
	}
	w.paths = append(w.paths, path)
	if v, ok := wrongByRule[name]; ok && w.byRule {
		w.ruled = append(w.ruled, path)
		return v
	}
	var other any
	_ = json.Unmarshal([]byte(otherJSON(s)), &other)
	return other
}
