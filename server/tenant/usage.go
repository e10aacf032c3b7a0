package tenant

import (
	"context"
	"fmt"
	"time"

	"tcode/server/fault"
)

// The kinds that are counted by day, in addition to [KindStamps] and [KindDocuments].
const (
	KindVerifications Kind = "verifications" // answers about documents of the tenant to people and programs
	KindScans         Kind = "scans"         // scans of stamps of the tenant that were handed in
)

// ByDay reports whether operations of the kind are also counted by day.
func (k Kind) ByDay() bool {
	switch k.Planned() {
	case KindStamps, KindDocuments, KindVerifications, KindScans:
		return true
	}
	return false
}

// A Day is a UTC day, as year*10000 + month*100 + day: 20261127.
type Day int

// DayOf returns the UTC day of t.
func DayOf(t time.Time) Day {
	t = t.UTC()
	return Day(t.Year()*10000 + int(t.Month())*100 + t.Day())
}

// Start returns the first instant of the day.
func (d Day) Start() time.Time {
	return time.Date(int(d)/10000, time.Month(int(d)/100%100), int(d)%100, 0, 0, 0, 0, time.UTC)
}

// Add returns the day n days later, or earlier if n is negative.
func (d Day) Add(n int) Day { return DayOf(d.Start().AddDate(0, 0, n)) }

// String writes the day as 2026-11-27.
func (d Day) String() string {
	return fmt.Sprintf("%04d-%02d-%02d", int(d)/10000, int(d)/100%100, int(d)%100)
}

// A DayCount is the number of operations of a kind by a tenant on a day.
type DayCount struct {
	Tenant string
	Day    Day
	Kind   Kind
	Used   int64
}

// A DayUsage is what a tenant's live documents saw on a day.
type DayUsage struct {
	Day           Day
	Stamps        int64 // made, also by replacing and in bulk jobs
	Documents     int64 // issued, likewise
	Verifications int64 // answers to people and programs
	Scans         int64 // handed in by devices, signed or not
}

// MaxDays is the largest number of days of [Service.Days].
const MaxDays = 400

// Days returns the usage of a tenant for each day from first to last, oldest first, at
// most [MaxDays]. Test documents are not counted.
func (s *Service) Days(ctx context.Context, reference string, first, last Day) ([]DayUsage, error) {
	t, err := s.Tenant(ctx, reference)
	if err != nil {
		return nil, err
	}
	var p fault.Fields
	if n := last.Start().Sub(first.Start()).Hours()/24 + 1; n < 1 || n > MaxDays {
		p.Add("days", "must be 1 to %d days", MaxDays)
		return nil, p.Err()
	}
	counts, err := s.store.UsageDays(ctx, t.Reference, first, last)
	if err != nil {
		return nil, err
	}
	var out []DayUsage
	at := map[Day]int{}
	for d := first; d <= last; d = d.Add(1) {
		at[d] = len(out)
		out = append(out, DayUsage{Day: d})
	}
	for _, c := range counts {
		u := &out[at[c.Day]]
		switch c.Kind {
		case KindStamps:
			u.Stamps = c.Used
		case KindDocuments:
			u.Documents = c.Used
		case KindVerifications:
			u.Verifications = c.Used
		case KindScans:
			u.Scans = c.Used
		}
	}
	return out, nil
}

// Today returns the present UTC day.
func (s *Service) Today() Day { return DayOf(s.now()) }

// A KindUsage is the use of one kind in a month, beside its quota.
type KindUsage struct {
	Kind     Kind
	Used     int64 // by live keys, of live documents
	UsedTest int64 // by test keys, of test documents: up to as much as live ones
	Limited  bool  // the plan has a quota for it
	Quota    int64 // operations a month, if Limited
}

// Report returns the use of every kind in a month beside the present quotas, in the order
// of their display; a zero month is the present one.
func (s *Service) Report(ctx context.Context, reference string, m Month) ([]KindUsage, error) {
	used, err := s.Usage(ctx, reference, m)
	if err != nil {
		return nil, err
	}
	p, err := s.Plan(ctx, reference)
	if err != nil {
		return nil, err
	}
	of := map[Kind]int64{}
	for _, u := range used {
		of[u.Kind] = u.Used
	}
	var out []KindUsage
	for _, k := range Kinds() {
		u := KindUsage{Kind: k, Used: of[k]}
		if test := k.Of(true); test != k {
			u.UsedTest = of[test]
		}
		u.Quota, u.Limited = p.Quotas[k]
		out = append(out, u)
	}
	return out, nil
}
