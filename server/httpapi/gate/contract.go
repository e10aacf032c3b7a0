package gate

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"tcode/server/httpapi/api"
	"tcode/server/tenant"
)

// mediaJSON is the media type under which the contract describes a body.
const mediaJSON = "application/json"

// The places of parameters.
const (
	inPath   = "path"
	inQuery  = "query"
	inHeader = "header"
)

// A document is the contract as it is written, as far as the gate reads it.
type document struct {
	Security   []map[string][]string
	Paths      map[string]*pathItem
	Components struct {
		Schemas       map[string]*schema
		Parameters    map[string]*parameter
		RequestBodies map[string]*requestBody `yaml:"requestBodies"`
	}
}

// A pathItem is the operations of one path.
type pathItem struct {
	Parameters                    []*parameter
	Get, Put, Post, Patch, Delete *written
}

// methods returns the operations by method.
func (p *pathItem) methods() map[string]*written {
	all := map[string]*written{
		http.MethodGet: p.Get, http.MethodPut: p.Put, http.MethodPost: p.Post,
		http.MethodPatch: p.Patch, http.MethodDelete: p.Delete,
	}
	maps.DeleteFunc(all, func(_ string, op *written) bool { return op == nil })
	return all
}

// A written operation is one of the document.
type written struct {
	ID         string `yaml:"operationId"`
	Scope      string `yaml:"x-scope"`
	Tags       []string
	Parameters []*parameter
	Body       *requestBody `yaml:"requestBody"`
	Security   *[]map[string][]string
	Responses  map[string]struct{ Content map[string]any }
}

// A parameter is one of a path, a query or a header.
type parameter struct {
	Ref    string `yaml:"$ref"`
	Name   string
	In     string // path, query or header
	Schema *schema
}

// A requestBody is the body of an operation.
type requestBody struct {
	Ref      string `yaml:"$ref"`
	Required bool
	Content  map[string]struct{ Schema *schema }
}

// A route is a method and Echo's pattern of a path.
type route struct{ method, path string }

// An operation is one route as the contract and its handler describe it.
type operation struct {
	Route
	id         string
	params     []*parameter
	query      map[string]string // lower case to the name in the contract
	body       *schema           // nil: the operation takes none
	bodyNeeded bool
	protected  bool         // needs an API key
	scope      tenant.Scope // that the key must have, if there is one; "": any key
	negotiated bool         // answers in the media type that Accept asks for
	answers    []string     // the media types of success, best first: the JSON types and any others
	limited    bool         // a rate limit applies
	upload     bool         // takes a PDF
	pdf        string       // the member that holds it
	spooled    []string     // members of the body that are files
	item       string       // the kind of its requests, see [contain]
	slow       bool         // takes files that are large for a slow line
}

// source is the embedded contract, parsed once: tests start many gateways in a process.
// Nothing changes it after its first use.
var source = sync.OnceValues(func() (*document, error) {
	doc := &document{}
	if err := yaml.Unmarshal(api.YAML, doc); err != nil {
		return nil, err
	}
	for path, item := range doc.Paths {
		if err := doc.prepareAll(item.Parameters, nil); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, op := range item.methods() {
			if err := doc.prepareAll(op.Parameters, &op.Body); err != nil {
				return nil, fmt.Errorf("%s: %w", op.ID, err)
			}
		}
	}
	return doc, nil
})

// prepareAll follows the references in parameters and a body.
func (d *document) prepareAll(params []*parameter, body **requestBody) error {
	var err error
	for i, p := range params {
		if name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
			p = d.Components.Parameters[name]
		}
		if p == nil || p.Name == "" || p.Schema == nil {
			return fmt.Errorf("parameter %d is not described", i)
		}
		if p.Schema, err = d.prepare(p.Schema); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		params[i] = p
	}
	if body == nil || *body == nil {
		return nil
	}
	if name, ok := strings.CutPrefix((*body).Ref, "#/components/requestBodies/"); ok {
		*body = d.Components.RequestBodies[name]
	}
	content := (*body).Content[mediaJSON]
	if content.Schema, err = d.prepare(content.Schema); err != nil {
		return err
	}
	(*body).Content[mediaJSON] = content
	return nil
}

// loadContract returns the operations of the contract by route, and checks that it has each
// that conf describes.
func loadContract(conf Config) (map[route]*operation, error) {
	doc, err := source()
	if err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	ops, known := map[route]*operation{}, map[string]bool{}
	for path, item := range doc.Paths {
		for method, op := range item.methods() {
			known[op.ID] = true
			o := newOperation(conf, doc, item, op)
			if o.scope, err = scopeOf(op, o.protected); err != nil {
				return nil, err
			}
			ops[route{method, echoPath(path)}] = o
		}
	}
	for id := range conf.Routes {
		if !known[id] {
			return nil, fmt.Errorf("openapi.yaml has no operation %s", id)
		}
	}
	return ops, nil
}

// scopeOf returns the scope that the contract names for an operation. Each that needs a key
// must have one.
func scopeOf(op *written, protected bool) (tenant.Scope, error) {
	scope, ok := tenant.ParseScope(op.Scope)
	if op.Scope == "" && !protected {
		return "", nil
	}
	if !ok {
		return "", fmt.Errorf("openapi.yaml: operation %s needs a key, and its x-scope is %q: want one of %v",
			op.ID, op.Scope, tenant.Scopes())
	}
	return scope, nil
}

func newOperation(conf Config, doc *document, item *pathItem, op *written) *operation {
	o := &operation{
		Route: conf.Routes[op.ID], id: op.ID, item: "request-" + op.ID,
		params: slices.Concat(item.Parameters, op.Parameters), query: map[string]string{},
	}
	for _, p := range o.params {
		if p.In == inQuery {
			o.query[strings.ToLower(p.Name)] = p.Name
		}
	}
	if op.Body != nil {
		o.bodyNeeded = op.Body.Required
		o.body = op.Body.Content[mediaJSON].Schema
		_, o.upload = o.body.Properties[conf.PDF]
		o.pdf = conf.PDF
		for name := range o.body.Properties {
			if _, ok := conf.Files[name]; ok {
				o.spooled = append(o.spooled, name)
			}
		}
	}
	security := doc.Security
	if op.Security != nil {
		security = *op.Security
	}
	// "{}": a key is optional.
	o.protected = !slices.ContainsFunc(security, func(need map[string][]string) bool { return len(need) == 0 })
	o.Open = o.Open && !o.protected
	_, o.negotiated = op.Responses["406"]
	o.answers = answerTypes[:]
	for _, other := range otherTypes {
		if _, ok := op.Responses["200"].Content[other]; ok {
			o.answers = append(o.answers[:len(o.answers):len(o.answers)], other)
		}
	}
	o.slow = len(o.spooled) > 0
	_, o.limited = op.Responses["429"]
	return o
}

// echoPath turns /a/{b} into /a/:b.
func echoPath(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}
