package webhook_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tcode/server/outbound/webhook"
)

// A contract has the schema of each event's body in openapi.yaml.
type contract map[string]*openapi3.Schema

// contracted returns the events of the contract.
func contracted(t *testing.T) contract {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("../../httpapi/api/openapi.yaml")
	must(t, err)
	text, err := json.Marshal(doc.Extensions["x-webhooks"])
	must(t, err)
	var events map[string]struct {
		Post struct {
			RequestBody struct {
				Content map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					}
					Example map[string]any
				}
			}
		}
	}
	must(t, json.Unmarshal(text, &events))
	all := contract{}
	for name, e := range events {
		media := e.Post.RequestBody.Content["application/json"]
		schema := doc.Components.Schemas[media.Schema.Ref[len("#/components/schemas/"):]].Value
		all[name] = schema
		if err := fits(schema, media.Example, "example"); err != nil || media.Example["type"] != name {
			t.Errorf("the example of %s, of type %v: %v", name, media.Example["type"], err)
		}
	}
	return all
}

// fits reports whether a body has the members of its schema and no others.
func fits(s *openapi3.Schema, v any, at string) error {
	if err := s.VisitJSON(v, openapi3.EnableFormatValidation()); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			ref := s.Properties[name]
			if ref == nil {
				return fmt.Errorf("%s.%s is not in the contract", at, name)
			}
			if err := fits(ref.Value, member, at+"."+name); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range v {
			if err := fits(s.Items.Value, item, at+"[]"); err != nil {
				return err
			}
		}
	}
	return nil
}

// check compares the body of an event with its schema.
func (c contract) check(t *testing.T, typ string, body []byte) {
	t.Helper()
	var v any
	must(t, json.Unmarshal(body, &v))
	if c[typ] == nil {
		t.Errorf("openapi.yaml has no event %s", typ)
	} else if err := fits(c[typ], v, typ); err != nil {
		t.Errorf("%v\n%s", err, body)
	}
}

// TestContract: openapi.yaml has every event that there is, and no other.
func TestContract(t *testing.T) {
	t.Parallel()
	want := []string{string(webhook.Ping)}
	for _, typ := range webhook.EventTypes() {
		want = append(want, string(typ))
	}
	slices.Sort(want)
	c := contracted(t)
	if got := slices.Sorted(maps.Keys(c)); !slices.Equal(got, want) {
		t.Errorf("events of openapi.yaml %q, want %q", got, want)
	}
	ping, err := webhook.Event{ID: "01a1fbfb-4c10-7d3a-9a2e-5f0b7c1d2e45", Type: webhook.Ping, CreatedAt: now, TenantReference: acme}.Body()
	must(t, err)
	c.check(t, string(webhook.Ping), []byte(ping))
}
