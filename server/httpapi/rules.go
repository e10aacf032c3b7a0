package httpapi

import (
	"net/url"
	"strings"
	"time"

	"tcode/server/httpapi/gate"
	"tcode/server/issue/stamp"
	"tcode/server/tenant"
)

// Checks of queries that no schema can express. The gate reports their errors
// together with all others.

// listQuery checks the filters of a list whose records have the states that parse
// reads; words lists them.
func listQuery[S any](words string, parse func(string) (S, bool)) func(url.Values, time.Time, gate.Fields) {
	return func(query url.Values, now time.Time, bad gate.Fields) {
		if _, ok := statusList(query.Get("Status"), parse); !ok {
			bad.Add("Status", "must be of %s, separated by commas", words)
		}
		if _, _, ok := dateRange(query.Get("DateRange"), now); !ok {
			bad.Add("DateRange", "must be today, 7d, 30d, 90d, this_month, last_month, this_year, a date such as 2026-01-31 or two such as 2026-01-01/2026-01-31")
		}
		goesWith(query, bad, "FieldValue", "FieldName")
	}
}

// spanQuery checks a span of time.
func spanQuery(query url.Values, _ time.Time, bad gate.Fields) {
	from, err := time.Parse(time.RFC3339, query.Get("From"))
	to, err2 := time.Parse(time.RFC3339, query.Get("To"))
	if err == nil && err2 == nil && !from.Before(to) {
		bad.Add("To", "must be after From")
	}
}

// auditQuery checks the filters of the audit log.
func auditQuery(query url.Values, now time.Time, bad gate.Fields) {
	spanQuery(query, now, bad)
	if problem := tenant.ActionProblem(query.Get("Action")); problem.Key != "" {
		bad.Add("Action", "%s", problem)
	}
}

func keyQuery(query url.Values, _ time.Time, bad gate.Fields) {
	goesWith(query, bad, "keyId", "tenantReference")
	if query.Has("payload") && query.Has("tenantReference") {
		bad.Add("payload", "goes without tenantReference")
	}
}

// goesWith adds an error if a parameter needs another one that the query does not
// have.
func goesWith(query url.Values, bad gate.Fields, name, other string) {
	if query.Has(name) && !query.Has(other) {
		bad.Add(name, "needs %s", other)
	}
}

// statuses reads a list of stamp states, in any case and separated by commas.
func statuses(s string) ([]stamp.Status, bool) { return statusList(s, stamp.ParseStatus) }

// statusList reads a list of the states that parse reads.
func statusList[S any](s string, parse func(string) (S, bool)) (list []S, ok bool) {
	for word := range strings.SplitSeq(s, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		st, ok := parse(word)
		if !ok {
			return nil, false
		}
		list = append(list, st)
	}
	return list, true
}
