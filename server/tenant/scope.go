package tenant

import (
	"slices"
	"strings"

	"tcode/server/fault"
)

// A Scope is a part of the API that a key opens. The contract names the scope of each
// operation that needs a key.
type Scope string

// The scopes. The words are in the database, in the contract and on the command line.
const (
	ScopeStamp   Scope = "stamp"          // make, read and change stamps, Trust documents, templates and bulk jobs
	ScopeHistory Scope = "verify-history" // read who verified the tenant's documents, and their scans
	ScopeManage  Scope = "manage"         // keys, webhooks, devices, usage, audit log
)

// Scopes returns all scopes, in the order of their display.
func Scopes() []Scope { return []Scope{ScopeStamp, ScopeHistory, ScopeManage} }

// DefaultScopes returns the scopes of a key that names none, and of the keys that were
// made before there were scopes.
func DefaultScopes() []Scope { return []Scope{ScopeStamp, ScopeHistory} }

// ParseScope returns the scope that s spells, in any case.
func ParseScope(s string) (Scope, bool) {
	scope := Scope(strings.ToLower(strings.TrimSpace(s)))
	return scope, slices.Contains(Scopes(), scope)
}

// Has reports whether the key opens a scope.
func (i Identity) Has(s Scope) bool { return slices.Contains(i.Scopes, s) }

// Require returns a Forbidden fault with the reason missing_scope unless the key opens a
// scope.
func (i Identity) Require(s Scope) error {
	if i.Has(s) {
		return nil
	}
	return fault.New(fault.Forbidden, fault.CodeForbidden, "this key lacks the scope %s: use or make a key that has it", s).
		WithReason(fault.ReasonMissingScope)
}

// checkScopes adds the problems of a new key's scopes to f, and returns the scopes in
// their order, each once. within, if not nil, are those that its maker may give.
func checkScopes(f *fault.Fields, scopes, within []Scope, test bool) []Scope {
	if len(scopes) == 0 {
		scopes = DefaultScopes()
	}
	for _, s := range scopes {
		switch {
		case !slices.Contains(Scopes(), s):
			f.Add("scopes", "%q is none of %s", string(s), joined(Scopes()))
		case test && s == ScopeManage:
			f.Add("scopes", "a test key cannot have the scope %s: keys, webhooks and devices are those of live documents", s)
		case within != nil && !slices.Contains(within, s):
			f.Add("scopes", "the key that makes this one lacks the scope %s itself", s)
		}
	}
	return slices.DeleteFunc(Scopes(), func(s Scope) bool { return !slices.Contains(scopes, s) })
}
