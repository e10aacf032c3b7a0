package httpapi

import (
	"net/url"
	"strings"
	"time"

	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
)

// checkRules adds what is wrong with the query of an operation beyond what a
// schema can say, so that it is reported together with all else.
func checkRules(operation string, query url.Values, now time.Time, bad fields) {
	needs := func(name, other string) {
		if query.Has(name) && !query.Has(other) {
			bad.add(name, "needs %s", other)
		}
	}
	switch operation {
	case "listStamps", "listDocuments":
		words := "Active, Suspended, Revoked"
		_, ok := statuses(query.Get("Status"))
		if operation == "listDocuments" {
			words += ", Expired"
			_, ok = statusList(query.Get("Status"), trustdoc.ParseStatus)
		}
		if !ok {
			bad.add("Status", "must be of %s, separated by commas", words)
		}
		if _, _, ok := dateRange(query.Get("DateRange"), now); !ok {
			bad.add("DateRange", "must be today, 7d, 30d, 90d, this_month, last_month, this_year or two dates such as 2026-01-01/2026-01-31")
		}
		needs("FieldValue", "FieldName")
	case "listScans":
		from, err := time.Parse(time.RFC3339, query.Get("From"))
		to, err2 := time.Parse(time.RFC3339, query.Get("To"))
		if err == nil && err2 == nil && !from.Before(to) {
			bad.add("To", "must be after From")
		}
	case "verifyPublicKey":
		needs("keyId", "tenantReference")
	}
}

// statuses reads a list of stamp states, in any case and separated by commas.
func statuses(s string) ([]stamp.Status, bool) { return statusList(s, stamp.ParseStatus) }

// statusList reads a list of states that parse knows.
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
