package apitest

import (
	"maps"
	"slices"
	"sort"

	"github.com/getkin/kin-openapi/openapi3"

	"tcode/server/internal/harness"
	"tcode/server/tenant"
)

// operations returns the contract's operations by id.
func operations() map[string]operation {
	doc, err := harness.Contract()
	if err != nil {
		panic(err)
	}
	ops := map[string]operation{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			o := operation{Operation: op, method: method, path: path, protected: op.Security == nil}
			o.params = append(slices.Clone(item.Parameters), op.Parameters...)
			if op.RequestBody != nil {
				o.body = op.RequestBody.Value.Content["application/json"].Schema.Value
			}
			ops[op.OperationID] = o
		}
	}
	return ops
}

// An operation is one of the contract's.
type operation struct {
	*openapi3.Operation
	method, path string
	protected    bool
	params       openapi3.Parameters
	body         *openapi3.Schema // nil: has none
}

// scope returns the scope that the operation's keys need, "" if it names none.
func (o operation) scope() tenant.Scope {
	word, _ := o.Extensions["x-scope"].(string)
	return tenant.Scope(word)
}

// ids returns the operations in a fixed order.
func ids(ops map[string]operation) []string {
	list := slices.Collect(maps.Keys(ops))
	sort.Strings(list)
	return list
}
