package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"tcode/server/httpapi/api"
)

// Contract is openapi.yaml.
var Contract = sync.OnceValues(func() (*openapi3.T, error) {
	return openapi3.NewLoader().LoadFromData(api.YAML)
})

var finder = sync.OnceValues(func() (routers.Router, error) {
	doc, err := Contract()
	if err != nil {
		return nil, err
	}
	for _, file := range []string{"text/html", "text/csv", "application/zip"} {
		openapi3filter.RegisterBodyDecoder(file, openapi3filter.FileBodyDecoder)
	}
	return legacy.NewRouter(doc)
})

// A recorder is the transport of the whole test program: it holds every answer
// of every gateway against the contract, for each caller, and keeps one answer of
// each form.
type recorder struct {
	next http.RoundTripper

	mu     sync.Mutex
	hosts  map[string]bool     // of gateways
	forms  map[string]recorded // by operation, status and shape
	faults []string
	count  int
}

// recorded is an answer of the contract in JSON.
type recorded struct {
	operation string // and status
	schema    *openapi3.Schema
	body      any
}

var record = &recorder{next: http.DefaultTransport, hosts: map[string]bool{}, forms: map[string]recorded{}}

// Watch has the recorder check the answers of the gateway at host, which is a
// name or an address with a port.
func Watch(host string) {
	record.mu.Lock()
	defer record.mu.Unlock()
	record.hosts[host] = true
}

// RoundTrip does the request. The body of a gateway's answer is a
// [checkedBody].
func (t *recorder) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.next.RoundTrip(r)
	t.mu.Lock()
	ours := t.hosts[r.URL.Host]
	t.mu.Unlock()
	if err != nil || !ours || r.Method == http.MethodHead {
		return res, err
	}
	raw, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil {
		return nil, err
	}
	wrong := t.check(r, res, raw)
	if wrong != nil {
		t.mu.Lock()
		t.faults = append(t.faults, wrong.Error())
		t.mu.Unlock()
	}
	res.Body = &checkedBody{Reader: bytes.NewReader(raw), wrong: wrong}
	return res, nil
}

// A checkedBody is the body of an answer that was compared with the contract.
type checkedBody struct {
	io.Reader
	wrong error
}

// Close does nothing: the connection is free already.
func (*checkedBody) Close() error { return nil }

// check holds one answer against the contract and keeps it.
func (t *recorder) check(r *http.Request, res *http.Response, raw []byte) error {
	router, err := finder()
	if err != nil {
		return err
	}
	var body any
	isJSON := json.Unmarshal(raw, &body) == nil
	if res.StatusCode >= 400 {
		m, _ := body.(map[string]any)
		page := strings.HasPrefix(res.Header.Get("Content-Type"), "text/html")
		if !page && (m["status"] != float64(res.StatusCode) || m["traceId"] != res.Header.Get("TCode-Trace-Id") || m["traceId"] == "") {
			return fmt.Errorf("%s %s: error body %.300s does not fit the answer %d", r.Method, r.URL.Path, raw, res.StatusCode)
		}
	}
	route, params, err := router.FindRoute(httptest.NewRequest(r.Method, r.URL.EscapedPath(), nil))
	// The finder also takes an address with a slash at its end, which the gateway does not.
	if slash := strings.HasSuffix(r.URL.Path, "/"); err != nil || slash && !strings.HasSuffix(route.Path, "/") {
		return t.checkElsewhere(r, res, body)
	}
	h := res.Header.Clone()
	if kind, _, _ := strings.Cut(h.Get("Content-Type"), ";"); isJSON && (kind == "text/json" || kind == "text/plain" && route.Operation.Responses.Status(http.StatusNotAcceptable) != nil) {
		h.Set("Content-Type", "application/json") // kin-openapi reads text/plain as one string
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: httptest.NewRequest(r.Method, r.URL.EscapedPath(), nil), PathParams: params, Route: route,
		},
		Status: res.StatusCode, Header: h, Body: io.NopCloser(bytes.NewReader(raw)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
	if err != nil {
		return fmt.Errorf("%s %s answers %d, which is not in the contract: %w\n%.500s", r.Method, route.Path, res.StatusCode, err, raw)
	}
	content := route.Operation.Responses.Status(res.StatusCode).Value.Content["application/json"]
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count++; isJSON && content != nil {
		name := fmt.Sprintf("%s %d", route.Operation.OperationID, res.StatusCode)
		t.forms[name+" "+shape(body)] = recorded{name, content.Schema.Value, body}
	}
	return nil
}

// checkElsewhere: where nothing is, there is still the error body.
func (t *recorder) checkElsewhere(r *http.Request, res *http.Response, body any) error {
	page := r.URL.Path == "/d" || strings.HasPrefix(r.URL.Path, "/d/") || strings.HasPrefix(r.URL.Path, "/console")
	if res.StatusCode < 400 || page && strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		return nil
	}
	doc, err := Contract()
	if err != nil {
		return err
	}
	if err := doc.Components.Schemas["Error"].Value.VisitJSON(body); err != nil {
		return fmt.Errorf("%s %s answers %d, and no Error: %w", r.Method, r.URL.Path, res.StatusCode, err)
	}
	return nil
}

// shape names which members a value has and which of them are null.
func shape(v any) string {
	switch v := v.(type) {
	case nil:
		return "0"
	case map[string]any:
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(name + ":" + shape(v[name]) + ",")
		}
		return "{" + b.String() + "}"
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		return "[" + shape(v[0]) + "]"
	}
	return "x"
}

// report says what was wrong with any answer, and whether the contract would
// have noticed: each recorded answer with a member dropped, one added or one
// retyped must fail.
func (t *recorder) report(w io.Writer) (ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.faults {
		fmt.Fprintln(w, "not in the contract:", f)
	}
	kinds, mutants, survivors := map[string]bool{}, 0, map[string]bool{}
	for _, a := range t.forms {
		kinds[a.operation] = true
		mutate(a.body, "", func(path, how string) {
			mutants++
			if a.schema.VisitJSON(a.body) == nil {
				survivors[fmt.Sprintf("%s: %s %s", a.operation, path, how)] = true
			}
		})
	}
	for _, s := range slices.Sorted(maps.Keys(survivors)) {
		fmt.Fprintln(w, "the contract does not notice:", s)
	}
	fmt.Fprintf(w, "%d answers compared with the contract, %d not in it; %d operations and statuses in %d forms, %d mutants, %d unnoticed\n",
		t.count, len(t.faults), len(kinds), len(t.forms), mutants, len(survivors))
	return len(t.faults) == 0 && len(survivors) == 0
}

// freeNames are objects whose members have names of their own.
var freeNames = map[string]bool{"errors": true, "names": true, "documentTypeNames": true, "details": true}

// mutate changes v in one place after another, calls try with each change and
// takes it back.
func mutate(v any, path string, try func(path, how string)) {
	switch v := v.(type) {
	case map[string]any:
		free := freeNames[path[strings.LastIndexByte(path, '.')+1:]]
		names := slices.Sorted(maps.Keys(v))
		for _, name := range names {
			old, inner := v[name], path+"."+name
			if !free {
				delete(v, name)
				try(inner, "dropped")
			}
			v[name] = otherType(old)
			try(inner, "retyped")
			v[name] = old
			mutate(old, inner, try)
		}
		v["addedMember"] = map[string]any{"a": 1.0}
		try(path, "with one more")
		delete(v, "addedMember")
	case []any:
		for i := range min(len(v), 2) {
			old := v[i]
			v[i] = otherType(old)
			try(fmt.Sprintf("%s[%d]", path, i), "retyped")
			v[i] = old
			mutate(old, fmt.Sprintf("%s[%d]", path, i), try)
		}
	}
}

// otherType returns a value of a type that v could not be of instead.
func otherType(v any) any {
	switch v.(type) {
	case string, nil:
		return []any{map[string]any{"a": 1.0}}
	case []any:
		return map[string]any{"a": 1.0}
	}
	return "a"
}
