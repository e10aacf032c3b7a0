package gate

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"tcode/server/httpapi/api"
	"tcode/server/tenant"
)

// A contract is openapi.yaml, indexed by route.
type contract struct {
	doc *openapi3.T
	ops map[route]*operation
}

// A route is a method and Echo's pattern of a path.
type route struct{ method, path string }

// An operation is one route as the contract and its handler describe it.
type operation struct {
	Route
	id         string
	params     []*openapi3.Parameter
	query      map[string]string // lower case to the name in the contract
	body       *openapi3.Schema  // nil: the operation takes none
	bodyNeeded bool
	protected  bool         // needs an API key
	scope      tenant.Scope // that the key must have, if there is one; "": any key
	negotiated bool         // answers in the media type that Accept asks for
	answers    []string     // the media types of success, best first: the JSON types and any others
	limited    bool         // a rate limit applies
	upload     bool         // takes a PDF
	pdf        string       // the member that holds it
	spooled    []string     // members of the body that are files
	slow       bool         // transfers files that are large for a slow line
}

// document is the embedded contract, parsed once: tests start many gateways in a
// process. Nothing changes it.
var document = sync.OnceValues(func() (*openapi3.T, error) {
	return openapi3.NewLoader().LoadFromData(api.YAML)
})

// loadContract reads the contract and checks that it has every operation that conf
// describes.
func loadContract(conf Config) (*contract, error) {
	doc, err := document()
	if err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	c := &contract{doc: doc, ops: map[route]*operation{}}
	known := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			known[op.OperationID] = true
			o := newOperation(conf, doc, item, op)
			if o.scope, err = scopeOf(op, o.protected); err != nil {
				return nil, err
			}
			c.ops[route{method, echoPath(path)}] = o
		}
	}
	for id := range conf.Routes {
		if !known[id] {
			return nil, fmt.Errorf("openapi.yaml has no operation %s", id)
		}
	}
	return c, nil
}

// scopeOf returns the scope that the contract names for an operation. Each that needs a key
// must have one.
func scopeOf(op *openapi3.Operation, protected bool) (tenant.Scope, error) {
	word, _ := op.Extensions["x-scope"].(string)
	scope, ok := tenant.ParseScope(word)
	if word == "" && !protected {
		return "", nil
	}
	if !ok {
		return "", fmt.Errorf("openapi.yaml: operation %s needs a key, and its x-scope is %q: want one of %v", op.OperationID, word, tenant.Scopes())
	}
	return scope, nil
}

func newOperation(conf Config, doc *openapi3.T, item *openapi3.PathItem, op *openapi3.Operation) *operation {
	o := &operation{Route: conf.Routes[op.OperationID], id: op.OperationID, query: map[string]string{}}
	for _, refs := range []openapi3.Parameters{item.Parameters, op.Parameters} {
		for _, ref := range refs {
			o.params = append(o.params, ref.Value)
			if ref.Value.In == openapi3.ParameterInQuery {
				o.query[strings.ToLower(ref.Value.Name)] = ref.Value.Name
			}
		}
	}
	if op.RequestBody != nil {
		body := op.RequestBody.Value
		o.bodyNeeded = body.Required
		o.body = body.Content.Get("application/json").Schema.Value
		_, o.upload = o.body.Properties[conf.PDF]
		o.pdf = conf.PDF
		for name := range o.body.Properties {
			if _, ok := conf.Files[name]; ok {
				o.spooled = append(o.spooled, name)
			}
		}
	}
	security := op.Security
	if security == nil {
		security = &doc.Security
	}
	o.protected = true
	for _, need := range *security {
		if len(need) == 0 {
			o.protected = false // "{}": a key is optional
		}
	}
	o.Open = o.Open && !o.protected
	o.negotiated = op.Responses.Status(406) != nil
	o.answers = answerTypes[:]
	if ok := op.Responses.Status(200); ok != nil {
		for _, other := range otherTypes {
			if ok.Value.Content[other] != nil {
				o.answers = append(o.answers[:len(o.answers):len(o.answers)], other)
			}
		}
	}
	o.slow = len(o.spooled) > 0 || slices.Contains(op.Tags, "bulk-files")
	o.limited = op.Responses.Status(429) != nil
	return o
}

// echoPath turns /a/{b} into /a/:b.
func echoPath(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}
