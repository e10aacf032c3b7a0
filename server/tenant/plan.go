package tenant

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tcode/server/fault"
)

// An Entitlement is a part of the service that a plan includes. A tenant may
// always read and end the things that it has made: no plan prevents a
// revocation.
type Entitlement string

// The entitlements. The words are in the database and on the command line.
const (
	EntitledStamps    Entitlement = "stamps"    // make and replace stamps
	EntitledTemplates Entitlement = "templates" // make and change placement and TDoc templates
	EntitledBulk      Entitlement = "bulk"      // bulk jobs
	EntitledTrust     Entitlement = "trust"     // Trust documents and their templates
	EntitledHistory   Entitlement = "history"   // verifications of the tenant's documents
)

// Entitlements returns all entitlements, in the order of their display.
func Entitlements() []Entitlement {
	return []Entitlement{EntitledStamps, EntitledTemplates, EntitledBulk, EntitledTrust, EntitledHistory}
}

// A Kind is a kind of operation that is counted for each month.
type Kind string

// The kinds. The words are in the database and on the command line.
const (
	KindStamps    Kind = "stamps"    // stamps made, also by replacing and in bulk jobs
	KindTemplates Kind = "templates" // templates made, including copies
	KindBulkJobs  Kind = "bulk_jobs" // bulk jobs made
	KindDocuments Kind = "documents" // Trust documents issued, also by replacing and in bulk jobs
	KindLifecycle Kind = "lifecycle" // suspend, revoke, reactivate: counted, never limited
	KindRequests  Kind = "requests"  // all requests that need an API key; see [Service.CountRequest]
)

// Kinds returns all kinds, in the order of their display.
func Kinds() []Kind {
	return []Kind{KindStamps, KindTemplates, KindBulkJobs, KindDocuments, KindLifecycle, KindRequests}
}

// testWord begins the kinds of test documents.
const testWord = "test_"

// Of returns the kind under which k is counted: with test, a separate one for test keys
// and test documents, so that tests do not reduce the quota of live documents. Both share
// templates, and so their count.
func (k Kind) Of(test bool) Kind {
	switch k {
	case KindStamps, KindDocuments, KindBulkJobs, KindRequests:
		if test {
			return testWord + k
		}
	}
	return k
}

// Planned returns the kind whose quota, and whose entitlement, k has: test documents have
// as much of a plan as live ones, in addition to them.
func (k Kind) Planned() Kind { return Kind(strings.TrimPrefix(string(k), testWord)) }

// needs is the entitlement that an operation of a kind needs; "" none.
var needs = map[Kind]Entitlement{
	KindStamps:    EntitledStamps,
	KindTemplates: EntitledTemplates,
	KindBulkJobs:  EntitledBulk,
	KindDocuments: EntitledTrust,
	KindLifecycle: "",
	KindRequests:  "",
}

// Needs returns the entitlement that operations of the kind take, "" if none.
func (k Kind) Needs() Entitlement { return needs[k.Planned()] }

// A Plan is the permitted operations of a tenant, and their quotas. The zero Plan allows
// nothing; [Unlimited] is the default of a tenant.
type Plan struct {
	// All includes every entitlement, also those of later versions.
	All bool
	// Entitled are the entitlements if All is false.
	Entitled []Entitlement
	// RequestsPerMinute bounds each of the tenant's API keys; 0: the gateway's
	// default.
	RequestsPerMinute int
	// Quotas are the operations in a UTC month by kind; a kind without one is not
	// limited.
	Quotas map[Kind]int64
}

// Unlimited returns the default plan of a tenant.
func Unlimited() Plan { return Plan{All: true} }

// Has reports whether the plan includes e.
func (p Plan) Has(e Entitlement) bool { return e == "" || p.All || slices.Contains(p.Entitled, e) }

// Require returns a Forbidden fault with the reason not_entitled unless the plan includes
// e.
func (p Plan) Require(e Entitlement) error {
	if p.Has(e) {
		return nil
	}
	return fault.New(fault.Forbidden, fault.CodeForbidden, "this tenant's plan does not include %s", e).
		WithReason(fault.ReasonNotEntitled)
}

// Admit returns the fault that prevents an operation of a kind by a tenant in that state
// with that plan, whatever was used so far.
func Admit(s State, p Plan, k Kind) error { return AdmitTo(s, p, k.Needs()) }

// AdmitTo is [Admit] for an operation that needs e, whatever its kind is.
func AdmitTo(s State, p Plan, e Entitlement) error {
	if s != Active {
		return errSuspended
	}
	return p.Require(e)
}

// errSuspended is the answer to every request of a suspended tenant.
var errSuspended = fault.New(fault.Forbidden, fault.CodeForbidden, "this tenant is suspended").
	WithReason(fault.ReasonTenantSuspended)

// QuotaExceeded returns the fault of an operation for which nothing is left of a month's
// quota.
func QuotaExceeded(k Kind, quota int64, m Month) error {
	return fault.New(fault.Forbidden, fault.CodeForbidden, "the quota of %d %s in %s is used up; the next begins on %s",
		quota, strings.ReplaceAll(string(k), "_", " "), m, m.Next().Start().Format(time.DateOnly)).
		WithReason(fault.ReasonQuotaExceeded)
}

// check adds the problems of a plan to f.
func (p Plan) check(f *fault.Fields) {
	for _, e := range p.Entitled {
		if !slices.Contains(Entitlements(), e) {
			f.Add("entitlements", "%q is none of %s", string(e), joined(Entitlements()))
		}
	}
	if p.RequestsPerMinute < 0 || p.RequestsPerMinute > 1_000_000 {
		f.Add("requestsPerMinute", "must be 0 to 1000000")
	}
	for _, k := range slices.Sorted(maps.Keys(p.Quotas)) {
		switch n := p.Quotas[k]; {
		case !slices.Contains(Kinds(), k):
			f.Add("quotas", "%q is none of %s", string(k), joined(Kinds()))
		case k == KindLifecycle:
			f.Add("quotas", "lifecycle changes are never limited: a revocation cannot wait for a plan")
		case n < 0 || n > 1<<53:
			f.Add("quotas", "%s must be 0 or more", k)
		}
	}
}

func joined[S ~string](words []S) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}

// A Month is a UTC calendar month, as year*100 + month: 202611.
type Month int

// MonthOf returns the UTC month of t.
func MonthOf(t time.Time) Month {
	t = t.UTC()
	return Month(t.Year()*100 + int(t.Month()))
}

// ParseMonth parses a month such as 2026-11.
func ParseMonth(s string) (Month, error) {
	t, err := time.Parse("2006-01", s)
	if err != nil || t.Year() < 2000 {
		return 0, fmt.Errorf("month %q: want one such as 2026-11", s)
	}
	return MonthOf(t), nil
}

// Start returns the first instant of the month.
func (m Month) Start() time.Time {
	return time.Date(int(m)/100, time.Month(int(m)%100), 1, 0, 0, 0, 0, time.UTC)
}

// Next returns the month after m.
func (m Month) Next() Month { return MonthOf(m.Start().AddDate(0, 1, 0)) }

// String writes the month as 2026-11.
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", int(m)/100, int(m)%100) }

// A Usage is the number of operations of a kind by a tenant in a month.
type Usage struct {
	Tenant string
	Month  Month
	Kind   Kind
	Used   int64
}
