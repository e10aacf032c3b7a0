package apitest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

// TestStrictBodies: every operation with a body answers a body that two readers
// could understand in two ways with 400, names the place, and stores nothing.
//
//engine:sqlite the form of the request decides, before a row is read
func TestStrictBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ops, tried := operations(), 0
	for _, id := range w.there() {
		op := ops[id]
		if op.body == nil {
			continue
		}
		q := w.ask(id)
		raw, err := json.Marshal(q.Body)
		if err != nil {
			t.Fatal(err)
		}
		before := rows(w.Rig)
		for _, m := range malformed(op, q.Body.(map[string]any), string(raw)) {
			tried++
			q.Body = m.body
			a := w.Do(q)
			errors, _ := a.Body["errors"].(map[string]any)
			named := errors[m.field] != nil || m.field == "" && len(errors) > 0
			if a.StatusCode != http.StatusBadRequest || a.Body["code"] != "VALIDATION_FAILED" || !named {
				t.Errorf("%s, %s: %d %.300s, want 400 with %s named", id, m.what, a.StatusCode, a.Raw, m.field)
			}
		}
		if after := rows(w.Rig); !maps.Equal(before, after) {
			t.Errorf("%s: refused bodies have left something: %v", id, changed(before, after))
		}
	}
	t.Logf("%d malformed bodies", tried)
}

// A mistake is a body that is wrong in one place.
type mistake struct{ what, body, field string } // field: "" for any

// malformed makes one mistake of each kind in each member of a good body.
func malformed(op operation, good map[string]any, raw string) []mistake {
	list := []mistake{
		{"two documents", raw + "{}", "$body"},
		{"something after it", raw + " x", "$body"},
		{"cut short", raw[:len(raw)-1], "$body"},
		{"a list", "[" + raw + "]", "$body"},
		{"a string", `"{}"`, "$body"},
		{"null", "null", "$body"},
		{"too deep", strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), ""},
	}
	return append(list, malformedMembers(op.body, good, "", op.protected, func(object string) string { return object })...)
}

// malformedMembers makes the mistakes in the members of one object, and of the
// objects in it; closed ones have no unknown members. Wrap makes a whole body of the object's
// text.
func malformedMembers(
	schema *openapi3.Schema, good map[string]any, path string, closed bool, wrap func(object string) string,
) (list []mistake) {
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		prop := schema.Properties[name].Value
		rest := maps.Clone(good)
		delete(rest, name)
		others, _ := json.Marshal(rest)
		member := func(text string) string {
			if len(rest) == 0 {
				return wrap("{" + text + "}")
			}
			return wrap("{" + text + "," + string(others[1:]))
		}
		value, _ := json.Marshal(example(prop, good[name]))
		upper := strings.ToUpper(name[:1]) + name[1:]
		field := path + name
		list = append(list,
			mistake{field + " twice", member(fmt.Sprintf("%q:%s,%q:%s", name, value, name, value)), field},
			mistake{field + " in another case", member(fmt.Sprintf("%q:%s", upper, value)), path + upper},
			mistake{field + " of another type", member(fmt.Sprintf("%q:%s", name, otherJSON(prop))), field},
		)
		if prop.Type.Is("string") {
			list = append(list,
				mistake{field + " in no UTF-8", member(fmt.Sprintf("%q:\"\xff\"", name)), field},
				mistake{field + " with half a character", member(fmt.Sprintf(`%q:"\ud800"`, name)), field},
				mistake{field + " with U+0000", member(fmt.Sprintf(`%q:"a\u0000b"`, name)), field},
			)
		}
		if closed {
			list = append(list, mistake{"an unknown member in " + path, member(fmt.Sprintf(`%q:%s,"colour":"red"`, name, value)), path + "colour"})
		}
		if slices.Contains(schema.Required, name) {
			list = append(list, mistake{field + " left out", wrap(string(others)), field}, mistake{field + " null", member(fmt.Sprintf("%q:null", name)), field})
		}
		switch inner := good[name].(type) {
		case map[string]any:
			list = append(list, malformedMembers(prop, inner, field+".", closed, func(object string) string { return member(fmt.Sprintf("%q:%s", name, object)) })...)
		case []any:
			if first, ok := inner[0].(map[string]any); ok {
				list = append(list, malformedMembers(prop.Items.Value, first, field+"[0].", closed, func(object string) string { return member(fmt.Sprintf("%q:[%s]", name, object)) })...)
			}
		}
	}
	return list
}

// example returns a value that a member may have.
func example(s *openapi3.Schema, used any) any {
	switch {
	case used != nil:
		return used
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type.Is("number"), s.Type.Is("integer"):
		return 1
	case s.Type.Is("boolean"):
		return true
	case s.Type.Is("array"):
		return []any{}
	case s.Type.Is("object"):
		return map[string]any{}
	case s.Format == "uuid":
		return anonymous
	}
	return "a"
}

// otherJSON returns a value that a member cannot have.
func otherJSON(s *openapi3.Schema) string {
	if s.Type.Is("array") || s.Type.Is("object") {
		return `"a"`
	}
	return `[{}]`
}

// rows counts the rows of each table, other than those that the gateway writes by
// itself.
func rows(r *harness.Rig) map[string]int {
	r.T.Helper()
	db := storetest.Raw(r.T, r.Dir)
	tables := `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
	if r.Engine == storetest.Postgres {
		tables = `SELECT tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`
	}
	names, err := db.QueryContext(r.T.Context(), tables)
	if err != nil {
		r.T.Fatal(err)
	}
	defer names.Close()
	counts := map[string]int{}
	for names.Next() {
		var name string
		if err := names.Scan(&name); err != nil {
			r.T.Fatal(err)
		}
		counts[name] = 0
	}
	for name := range counts {
		var n int
		if err := db.QueryRowContext(r.T.Context(), "SELECT count(*) FROM "+strconv.Quote(name)).Scan(&n); err != nil {
			r.T.Fatal(err)
		}
		counts[name] = n
	}
	for _, own := range []string{"trust_objects", "trust_head", "verifications", "status_shards", "packs", "status_delta", "restores", "usage_months", "work_begun"} {
		delete(counts, own)
	}
	return counts
}

// TestUnknownMembers: an operation that needs a key refuses unknown members, and names the
// member that is likely meant. The others ignore them, and name them in a header of the answer.
//
//engine:sqlite the form of the request decides, before a row is read
func TestUnknownMembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	strict, lenient := 0, 0
	for _, id := range w.there() {
		op := operations()[id]
		if op.body == nil {
			continue
		}
		q := w.ask(id)
		body := q.Body.(map[string]any)
		body["colour"] = map[string]any{"hue": 1}
		if !op.protected {
			lenient++
			a := w.Do(q)
			if got := a.Header.Get("X-Ignored-Properties"); a.StatusCode >= 300 || got != "colour" {
				t.Errorf("%s: %d, X-Ignored-Properties %q: %s", id, a.StatusCode, got, a.Raw)
			}
			continue
		}
		strict++
		for _, name := range slices.Sorted(maps.Keys(op.body.Properties)) {
			body[name+"_"] = body[name]
		}
		a := w.WantCode(w.Do(q), 400, "VALIDATION_FAILED")
		errors := a.Body["errors"].(map[string]any)
		if len(errors) != 1+len(op.body.Properties) || errors["colour"] == nil {
			t.Errorf("%s: %s", id, a.Raw)
		}
		for name := range op.body.Properties {
			want := "is unknown; did you mean " + name + "?"
			if said, _ := errors[name+"_"].([]any); len(said) != 1 || said[0] != want {
				t.Errorf("%s, %s_: %v, want %q", id, name, said, want)
			}
		}
	}
	if strict < 25 || lenient < 4 {
		t.Errorf("%d strict and %d lenient bodies", strict, lenient)
	}
}

// TestByteOrderMark: every operation with a body takes one that begins with a byte order mark,
// as PowerShell and .NET write it, and has a line end after it.
//
//engine:sqlite the form of the request decides, before a row is read
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range w.there() {
		if operations()[id].body == nil {
			continue
		}
		q := w.ask(id)
		raw, err := json.Marshal(q.Body)
		must(t, err)
		if q.Body = "\ufeff" + string(raw) + "\r\n"; id == "syncScans" {
			q.Body = pack(q.Body.(string))
			q.Header = http.Header{"Content-Encoding": {"gzip"}}
		}
		if a := w.Do(q); a.StatusCode >= 300 {
			t.Errorf("%s: %d %s", id, a.StatusCode, a.Raw)
		}
	}
}

// pack returns s in gzip.
func pack(s string) []byte {
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	io.WriteString(zw, s)
	zw.Close()
	return b.Bytes()
}

// changed names the tables whose counts differ.
func changed(before, after map[string]int) (list []string) {
	for name, n := range after {
		if before[name] != n {
			list = append(list, fmt.Sprintf("%s %d to %d", name, before[name], n))
		}
	}
	return list
}

// TestBomb: every operation with a body refuses 10 GiB of zeros in some megabytes
// of gzip, before they take memory.
//
//engine:sqlite the measured gateway runs on SQLite
func TestBomb(t *testing.T) {
	t.Parallel()
	r, cmd, _ := harness.StartProcess(t)
	w, pid := bare(r), cmd.Process.Pid
	w.Key = r.Tenant("ACME01")
	bomb := zeros(t, 10<<30)
	t.Logf("%d bytes of gzip", len(bomb))
	w.Want(w.Post("", "/v1/tcode/verify", strings.Repeat(" ", 1<<20)), http.StatusRequestEntityTooLarge)
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil { // the peak begins again
		unmeasured(t, err)
	}
	before, stored := residentPeak(t, pid), rows(w.Rig)
	for _, id := range ids(operations()) {
		op := operations()[id]
		if op.body == nil {
			continue
		}
		q := harness.Request{Method: op.method, Path: fill(op.path, anonymous), Body: bomb, Header: http.Header{"Content-Encoding": {"gzip"}}}
		if op.protected {
			q.Key = w.Key
		}
		if a := w.Do(q); a.StatusCode != http.StatusRequestEntityTooLarge || a.Body["code"] != "PAYLOAD_TOO_LARGE" {
			t.Errorf("%s: %d %.300s", id, a.StatusCode, a.Raw)
		}
	}
	grown := residentPeak(t, pid) - before
	if grown >= 32<<20 {
		t.Errorf("the gateway's peak memory grew by %d MiB", grown>>20)
	}
	t.Logf("peak memory grew by %d KiB", grown>>10)
	if after := rows(w.Rig); !maps.Equal(stored, after) {
		t.Errorf("something was stored: %v, before %v", after, stored)
	}
}

// zeros returns gzip that inflates to n zero bytes: one member after another, which
// a reader reads as one file (RFC 1952 section 2.2).
func zeros(t *testing.T, n int) []byte {
	t.Helper()
	const member = 64 << 20
	var b bytes.Buffer
	zw, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err == nil {
		_, err = io.CopyN(zw, zeroReader{}, member)
	}
	if err == nil {
		err = zw.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Repeat(b.Bytes(), n/member)
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// unmeasured skips a test that needs Linux's /proc, or fails it in CI, where all
// tests must run.
func unmeasured(t *testing.T, err error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("cannot measure memory: %v", err)
	}
	t.Skipf("cannot measure memory here: %v", err)
}

// residentPeak returns the peak memory of a process so far, in bytes.
func residentPeak(t *testing.T, pid int) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		unmeasured(t, err)
	}
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	var kib int
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
