package apitest

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tcode/server/internal/harness"
)

// blanked are the headers with a different value in each answer.
var blanked = []string{"Date", "Tcode-Trace-Id", "Traceresponse", "Ratelimit", "Ratelimit-Policy"}

var traceMember = regexp.MustCompile(`"traceId":"[0-9a-f]{32}"`)

// face returns all contents of an answer, without the values that differ each time.
func face(a harness.Answer) string {
	h := a.Header.Clone()
	for _, name := range blanked {
		h.Del(name)
	}
	var b strings.Builder
	fmt.Fprintln(&b, a.StatusCode)
	for _, name := range slices.Sorted(maps.Keys(h)) {
		fmt.Fprintln(&b, name, h[name])
	}
	b.Write(traceMember.ReplaceAll(a.Raw, nil))
	return b.String()
}

// TestStrangers: a gateway answers a request with the id of another tenant's
// record, in the path, the query or the body, as one with an id that no record
// has. The request changes nothing.
func TestStrangers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stranger := w.Tenant("OTHER1")
	ops := operations()
	tried := 0
	for _, id := range w.there() {
		op := ops[id]
		if !op.protected {
			continue
		}
		for _, way := range w.waysToName(id) {
			tried++
			theirs, ours := way.ask(way.id), way.ask(way.nobodys())
			theirs.Key, ours.Key = stranger, stranger
			before := w.look(id, way.id)
			a, b := w.Do(theirs), w.Do(ours)
			if got, want := face(a), face(b); got != want {
				t.Errorf("%s by its %s: another tenant's id answers\n%s\nan unknown one\n%s", id, way.name, got, want)
			}
			if strings.Contains(string(a.Raw), way.id) || strings.Contains(string(b.Raw), way.nobodys()) {
				t.Errorf("%s by its %s: the answer repeats the id: %s", id, way.name, a.Raw)
			}
			if after := w.look(id, way.id); after != before {
				t.Errorf("%s by its %s: the record was changed by a stranger:\n%s\nwas\n%s", id, way.name, after, before)
			}
		}
	}
	if tried < 10 {
		t.Errorf("only %d ways to name a record were tried", tried)
	}
	t.Logf("%d ways to name another tenant's record", tried)
}

// A way is one place of a record's id in an operation's request.
type way struct {
	name string
	id   string // of a record of ACME01
	ask  func(id string) harness.Request
}

// nobodys returns an id of the same form that no record has.
func (w way) nobodys() string {
	if len(w.id) == len("nobody00") { // the prefix of a key
		return "nobody00"
	}
	return anonymous
}

// waysToName finds the ways in the contract: path parameters, and UUIDs of queries
// and bodies.
func (w *world) waysToName(id string) (ways []way) {
	w.T.Helper()
	op := operations()[id]
	q := w.ask(id)
	for _, p := range op.params {
		switch {
		case p.Value.In == "path":
			at := slices.Index(strings.Split(op.path, "/"), "{"+p.Value.Name+"}")
			ways = append(ways, way{"path's " + p.Value.Name, strings.Split(q.Path, "/")[at], func(id string) harness.Request {
				r := q
				segments := strings.Split(q.Path, "/")
				segments[at] = id
				r.Path = strings.Join(segments, "/")
				return r
			}})
		case p.Value.In == "query" && p.Value.Schema.Value.Format == "uuid":
			ways = append(ways, way{p.Value.Name, w.recordFor(op, p.Value.Name), func(id string) harness.Request {
				r := q
				r.Path += "?" + p.Value.Name + "=" + id
				return r
			}})
		}
	}
	if op.body == nil {
		return ways
	}
	for name, schema := range op.body.Properties {
		record := w.recordFor(op, name)
		if schema.Value.Format != "uuid" || record == "" {
			continue
		}
		ways = append(ways, way{"body's " + name, record, func(id string) harness.Request {
			r := q
			b := maps.Clone(r.Body.(map[string]any))
			delete(b, "externalId") // or the second would be a duplicate of the first
			b[name] = id
			r.Body = b
			if strings.Contains(op.path, "{") { // no record of ACME01, which the gateway would refuse first
				r.Path = fill(op.path, anonymous)
			}
			return r
		}})
	}
	return ways
}

// recordFor returns the id of a record of ACME01 for a parameter or member of that
// name, or "" if there is none.
func (w *world) recordFor(op operation, name string) string {
	w.T.Helper()
	switch {
	case strings.HasPrefix(op.path, "/v1/trust/") && strings.EqualFold(name, "templateId"):
		return w.Trust
	case strings.EqualFold(name, "placementTemplateId") && w.exists("createPlacementTemplate"):
		return w.Made(placementPath, placementBody())
	case strings.EqualFold(name, "tdocTemplateId"):
		return w.Tdoc
	case strings.EqualFold(name, "TemplateId"):
		if w.Tdoc != "" {
			return w.Tdoc
		}
		return w.Standing.Id.String()
	}
	return ""
}

// look returns the record of an operation as its own tenant sees it.
func (w *world) look(operation, id string) string {
	for _, collection := range []string{"/v1/tcode/stamps/", placementPath + "/", tdocPath + "/", harness.DocumentsPath + "/", harness.TrustTemplatesPath + "/", stampJobsPath + "/", documentJobsPath + "/", webhooksPath + "/", keysPath + "/", devicesPath + "/"} {
		if strings.HasPrefix(operations()[operation].path, collection) && strings.Contains(operations()[operation].path, "{") {
			return face(w.Do(harness.Request{Method: http.MethodGet, Path: collection + id, Key: w.Key}))
		}
	}
	return ""
}

// TestStrangersCollide: a unique value is unique within a tenant only.
func TestStrangersCollide(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stranger := w.Tenant("OTHER1")
	q := harness.Request{Method: "POST", Path: "/v1/tcode/stamps", Body: harness.StampBody("one", "externalId", "the same"), Header: http.Header{"Idempotency-Key": {"the same"}}}
	for _, key := range []string{w.Key, stranger} {
		q.Key = key
		if a := w.Want(w.Do(q), http.StatusCreated); a.Header.Get("Idempotent-Replayed") != "" {
			t.Error("another tenant's Idempotency-Key was answered")
		}
	}
}
