package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// A call is an operation as a method.
type call struct {
	method, path string
	op           *openapi3.Operation
	params       []*openapi3.Parameter
}

// client writes the class with a method for each operation.
func (w *writer) client(doc *openapi3.T) {
	w.line("\n\nclass Client(_Calls):")
	w.about("    ", "The calls of a gateway. A key is needed for all but verification and public data.")
	var calls []call
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if slices.Contains(op.Tags, "pages") || slices.Contains(op.Tags, "files") {
				continue // for browsers, and fetch
			}
			c := call{method: method, path: path, op: op}
			for _, refs := range []openapi3.Parameters{item.Parameters, op.Parameters} {
				for _, ref := range refs {
					c.params = append(c.params, ref.Value)
				}
			}
			calls = append(calls, c)
		}
	}
	slices.SortFunc(calls, func(a, b call) int { return strings.Compare(a.op.OperationID, b.op.OperationID) })
	for _, c := range calls {
		w.call(c)
	}
}

// call writes one method.
func (w *writer) call(c call) {
	first, named := []string{"self"}, []string{}
	query, headers := []string{}, []string{}
	path := c.path
	for _, p := range c.params {
		name := snake(p.Name)
		t := w.typeOf("", p.Schema)
		switch p.In {
		case openapi3.ParameterInPath:
			first = append(first, name+": "+t)
			path = strings.ReplaceAll(path, "{"+p.Name+"}", "{_at("+name+")}")
			continue
		case openapi3.ParameterInQuery:
			query = append(query, fmt.Sprintf("%q: %s", p.Name, name))
		case openapi3.ParameterInHeader:
			headers = append(headers, fmt.Sprintf("%q: %s", p.Name, name))
		}
		if p.Required {
			named = append(named, name+": "+t)
		} else {
			named = append(named, name+": "+t+" | None = None")
		}
	}
	body := ""
	if c.op.RequestBody != nil {
		t := w.typeOf("", c.op.RequestBody.Value.Content.Get("application/json").Schema)
		body = ", body"
		if c.op.RequestBody.Value.Required {
			first = append(first, "body: "+t)
		} else {
			first = append(first, "body: "+t+" | None = None")
		}
	}
	if len(named) > 0 {
		first = append(append(first, "*"), named...)
	}
	accept, result := answer(w, c.op)
	w.line("\n    def %s(%s) -> %s:", snake(c.op.OperationID), strings.Join(first, ", "), result)
	w.about("        ", strings.TrimSpace(c.op.Summary+".\n\n"+c.op.Description))
	if strings.Contains(path, "{") {
		path = `f"` + path + `"`
	} else {
		path = `"` + path + `"`
	}
	send := fmt.Sprintf("self._call(%q, %s, %q, {%s}, {%s}%s)", c.method, path, accept, strings.Join(query, ", "), strings.Join(headers, ", "), body)
	switch result {
	case "None":
		w.line("        %s", send)
	case "bytes":
		w.line("        return %s", send)
	default:
		w.line("        return cast(%s, json.loads(%s))", result, send)
	}
}

// answer returns the media type and the type of an operation's success.
func answer(w *writer, op *openapi3.Operation) (accept, result string) {
	for _, status := range []int{http.StatusOK, http.StatusCreated} {
		ok := op.Responses.Status(status)
		if ok == nil {
			continue
		}
		if media := ok.Value.Content["application/json"]; media != nil {
			return "application/json", w.typeOf("", media.Schema)
		}
		return strings.Join(slices.Sorted(maps.Keys(ok.Value.Content)), ", "), "bytes"
	}
	return "application/json", "None"
}
