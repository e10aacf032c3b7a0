package offline_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline"
)

// frozenNames are the checks in their order, then the gateway's. Programs match
// them, so this list may only grow.
var frozenNames = []string{
	"decode", "header", "issuer_known", "issuer_active", "key_known", "key_window", "key_not_compromised",
	"signature", "issued_not_in_future", "not_test", "status_shard", "status_entry", "status_predates_stamp",
	"not_expired", "freshness", "binding", "record",
}

// frozenCodes are all codes. This list may only grow.
var frozenCodes = []string{
	"algorithm_mismatch", "algorithm_unknown", "binding_appended", "binding_match", "binding_mismatch", "binding_not_checked", "clock_suspect", "compromised_remembered", "document_expired", "header_malformed",
	"issued_after_key", "issued_before_key", "issued_in_future", "issuer_suspended", "issuer_unknown",
	"key_compromised", "key_unknown", "memory_unreadable", "no_expiry", "no_trust_state",
	"not_reached", "not_tcode", "ok", "payload_malformed", "record_differs", "record_unknown",
	"replaced", "revoked", "revoked_remembered", "shard_damaged", "shard_missing", "shard_unreadable",
	"signature_invalid", "stale", "status_ahead", "status_predates_stamp", "status_unknown", "survivor", "survivors_missing",
	"suspended", "test_accepted", "test_document", "text_malformed", "trust_expired", "version_unknown",
}

// constants returns the values of the constants in checks.go whose names start
// with prefix, in the order of the file.
func constants(t *testing.T, prefix string) (values []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "checks.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, prefix) || !ast.IsExported(spec.Names[0].Name) {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, value)
		return true
	})
	return values
}

func TestFrozen(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(frozenNames, constants(t, "Check")); diff != "" {
		t.Errorf("names of checks (-frozen +program):\n%s", diff)
	}
	codes := constants(t, "Code")
	slices.Sort(codes)
	if diff := cmp.Diff(frozenCodes, codes); diff != "" {
		t.Errorf("codes (-frozen +program):\n%s", diff)
	}
	words := []string{offline.Pass, offline.Fail, offline.Skipped, offline.Unknown}
	if diff := cmp.Diff([]string{"pass", "fail", "skipped", "unknown"}, words); diff != "" {
		t.Errorf("statuses (-frozen +program):\n%s", diff)
	}
}

// TestVectorsCoverCodes: every code of a device is in some vector, or in the
// list of codes that a vector cannot produce.
func TestVectorsCoverCodes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for name, raw := range vectors(t) {
		v, err := offline.ParseVector(raw)
		if err != nil {
			t.Fatal(err)
		}
		r, err := v.Run()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var names []string
		for _, c := range r.Checks {
			seen[c.Code] = true
			names = append(names, c.Name)
		}
		if diff := cmp.Diff(frozenNames[:16], names); diff != "" {
			t.Fatalf("%s: checks (-want +got):\n%s", name, diff)
		}
	}
	for _, code := range []string{"shard_unreadable", "memory_unreadable", "record_unknown", "record_differs"} {
		if seen[code] {
			t.Errorf("%s is in a vector", code)
		}
		seen[code] = true
	}
	for _, code := range frozenCodes {
		if !seen[code] {
			t.Errorf("no vector gives %s", code)
		}
	}
}
