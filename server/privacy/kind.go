package privacy

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"tcode/server/fault"
)

// Kind is a kind of data that is kept for a time. The words are in the database and in the
// API.
type Kind string

// The kinds.
const (
	History    Kind = "history"
	Scans      Kind = "scans"
	Locations  Kind = "locations"
	Mails      Kind = "mails"
	Uploads    Kind = "uploads"
	Originals  Kind = "originals"
	Stamped    Kind = "stamped"
	Answers    Kind = "answers"
	Deliveries Kind = "deliveries"
)

// A Rule says how long a kind of data may be kept. Times are days; 0 means forever.
type Rule struct {
	Kind    Kind
	Default int
	Least   int // a tenant keeps it for no shorter time, unless erasure of a record ends it
	Most    int // and for no longer one; 0: it may be kept forever
	Fixed   bool
	What    string // the data, and the begin of its time
}

// rules is the whole table. Times of fixed kinds are those of the packages that own them.
var rules = []Rule{
	{Kind: History, Default: 730, Least: 30, What: "verifications in the histories, from when they were made"},
	{Kind: Scans, Default: 730, Least: 30, What: "scans of devices, also second ones under an id, and counts of findings, from when they arrived"},
	{Kind: Locations, Default: 90, Least: 1, What: "places and notes of scans and of verifications, from when they arrived"},
	{Kind: Mails, Default: 365, Least: 7, What: "e-mails that are over, with the address of the recipient, from when they were made"},
	{Kind: Uploads, Default: 90, Least: 1, What: "CSV and ZIP files and rows of bulk jobs, and words of orders over many records, from when they ended"},
	{Kind: Originals, Default: 0, Least: 1, What: "PDFs as they were sent, from when the record was made"},
	{Kind: Stamped, Default: 0, Least: 30, What: "stamped PDFs, symbols and payloads for download, from when the record was made"},
	{Kind: Answers, Default: 1, Least: 1, Most: 1, Fixed: true, What: "answers for an Idempotency-Key, from when they were given"},
	{Kind: Deliveries, Default: 30, Least: 30, Most: 30, Fixed: true, What: "deliveries of webhooks, from when they ended"},
}

// longest is the longest time that can be set, in days: ten years.
const longest = 3650

// Rules returns the rules of all kinds in a fixed order.
func Rules() []Rule { return slices.Clone(rules) }

// Longest returns the longest time that can be set, apart from forever.
func (r Rule) Longest() int { return cmp.Or(r.Most, longest) }

// RuleOf returns the rule of a kind.
func RuleOf(k Kind) (Rule, bool) {
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.Kind == k })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// Settings are the times that a tenant has set, in days by kind. A kind that is missing has
// its default.
type Settings map[Kind]int

// Days returns the time of a kind; 0: forever.
func (s Settings) Days(k Kind) int {
	if days, ok := s[k]; ok {
		return days
	}
	r, _ := RuleOf(k)
	return r.Default
}

// Before returns the time before which a kind is not kept as of now; zero: all of it is
// kept.
func (s Settings) Before(k Kind, now time.Time) time.Time {
	days := s.Days(k)
	if days == 0 {
		return time.Time{}
	}
	return now.AddDate(0, 0, -days)
}

// Check returns a VALIDATION_FAILED fault with every time that is not allowed.
func (s Settings) Check() error {
	var p fault.Fields
	for k, days := range s {
		r, known := RuleOf(k)
		switch {
		case !known:
			p.Add("kinds", "no such kind of data")
		case r.Fixed:
			p.Add(string(k), "is always kept for %s", inDays(r.Default))
		case days == 0 && r.Most == 0:
		case days < r.Least || days > r.Longest():
			p.Add(string(k), "must be %d to %d days, or forever", r.Least, r.Longest())
		}
	}
	return p.Err()
}

func inDays(n int) string {
	if n == 1 {
		return "a day"
	}
	return strconv.Itoa(n) + " days"
}
