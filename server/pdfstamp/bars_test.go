package pdfstamp_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/offline/binding"
	"tcode/server/fault"
)

// Bars that the results for real files must reach.
const (
	minStamped = 0.97    // of the files that open without a password and render
	maxMedian  = 6 << 10 // bytes that a stamp adds, in the middle of all files
)

// own are the refusals that the file itself requires: they are counted, and do not
// lower the share of stamped files.
var own = []string{"certified", "permissions forbid", "locks the document", "more than 500 pages", "too small for the stamp"}

// asked reports whether the file itself, or its owner, forbids the stamp.
func (v verdict) asked() bool {
	return v.refused != nil && slices.ContainsFunc(own, func(w string) bool { return strings.Contains(v.refused.Message, w) })
}

// A bar is one line of the table: a property, the number of files that have it, and
// the files that lack it.
type bar struct {
	what  string
	good  int
	short []string
	least float64 // share that must be good; below it the test fails
}

func (b *bar) count(good bool, name string) {
	if good {
		b.good++
	} else {
		b.short = append(b.short, name)
	}
}

func (b *bar) share() float64 {
	if all := b.good + len(b.short); all > 0 {
		return float64(b.good) / float64(all)
	}
	return 1
}

// bars holds the verdicts against each bar.
func bars(all []verdict) []*bar {
	stamped := &bar{what: "files that open, render and do not forbid it: stamped", least: minStamped}
	named := &bar{what: "refusals are a 400 or 422 with a reason", least: 1}
	prefix := &bar{what: "original bytes a prefix", least: 1}
	bound := &bar{what: "stamp binds to the file", least: 1}
	same := &bar{what: "same input and reference twice: same bytes", least: 1}
	worse := &bar{what: "qpdf --check no worse than before", least: 1}
	kind := &bar{what: "cross-reference of the kind it was", least: 1}
	signed := &bar{what: "files with valid signatures: all stay valid", least: 1}
	drawn := &bar{what: "page is drawn as large as before", least: 1}
	poppler := &bar{what: "no pixel changed outside the box, poppler", least: 1}
	mupdf := &bar{what: "no pixel changed outside the box, MuPDF", least: 1}
	others := &bar{what: "page 1 drawn as before where another is stamped", least: 1}
	for _, v := range all {
		if v.renders && !v.asked() {
			stamped.count(v.refused == nil && v.err == nil, v.name+why(v))
		}
		if v.err != nil || v.refused != nil {
			named.count(v.err == nil && (v.refused.Kind == fault.Invalid || v.refused.Kind == fault.Rejected), fmt.Sprint(v.name, ": ", v.err))
			continue
		}
		prefix.count(v.prefix, v.name)
		bound.count(v.binding == binding.Match, v.name)
		same.count(v.same, v.name)
		worse.count(!v.worse, v.name)
		if v.kind[0] != "" {
			kind.count(v.kind[0] == v.kind[1], fmt.Sprint(v.name, ": ", v.kind))
		}
		if v.signatures[0] > 0 {
			signed.count(v.signatures[0] == v.signatures[1], fmt.Sprint(v.name, ": ", v.signatures))
		}
		if v.renders {
			drawn.count(len(v.unrendered) == 0, fmt.Sprint(v.name, ": ", v.unrendered))
			poppler.count(v.changed["poppler"] == 0, fmt.Sprintf("%s: %d", v.name, v.changed["poppler"]))
			mupdf.count(v.changed["MuPDF"] == 0, fmt.Sprintf("%s: %d", v.name, v.changed["MuPDF"]))
			others.count(len(v.others) == 0, fmt.Sprint(v.name, ": ", v.others))
		}
	}
	return []*bar{stamped, named, prefix, bound, same, worse, kind, signed, drawn, poppler, mupdf, others}
}

func why(v verdict) string {
	switch {
	case v.refused != nil:
		return ": " + v.refused.Message
	case v.err != nil:
		return ": " + v.err.Error()
	}
	return ""
}

// report prints the table and fails where a bar is missed.
func report(t *testing.T, all []verdict) {
	t.Helper()
	var b strings.Builder
	table := bars(all)
	for _, r := range table {
		fmt.Fprintf(&b, "%6.2f %%  %4d of %4d  %s\n", 100*r.share(), r.good, r.good+len(r.short), r.what)
	}
	refused := map[string][]string{}
	slowest := slices.MaxFunc(all, func(a, b verdict) int { return cmp.Compare(a.took, b.took) })
	var added []int
	unread := &bar{what: "read by gozxing"}
	for _, v := range all {
		if v.refused != nil {
			reason := fmt.Sprintf("%s: %s", v.refused.Code, v.refused.Message)
			refused[reason] = append(refused[reason], v.name)
		} else if v.err == nil {
			added = append(added, v.added)
			if v.renders {
				unread.count(v.read, v.name)
			}
		}
	}
	if len(added) == 0 {
		t.Fatal("nothing was stamped")
	}
	slices.Sort(added)
	fmt.Fprintf(&b, "added bytes: median %d, 95 of 100 at most %d, most %d\n", added[len(added)/2], added[len(added)*95/100], added[len(added)-1])
	fmt.Fprintf(&b, "read by gozxing from a tight crop at 300 dpi: %d of %d\n", unread.good, unread.good+len(unread.short))
	fmt.Fprintf(&b, "slowest answer: %v, %s\n", slowest.took.Round(time.Millisecond), slowest.name)
	for _, why := range slices.Sorted(maps.Keys(refused)) {
		fmt.Fprintf(&b, "%4d refused: %s: %s\n", len(refused[why]), why, strings.Join(refused[why], ", "))
	}
	for _, r := range append(table, unread) {
		for _, name := range r.short {
			fmt.Fprintf(&b, "short of %q: %s\n", r.what, name)
		}
	}
	t.Log("\n" + b.String())
	for _, r := range table {
		if r.share() < r.least {
			t.Errorf("%s: %d of %d", r.what, r.good, r.good+len(r.short))
		}
	}
	if m := added[len(added)/2]; m > maxMedian {
		t.Errorf("a stamp adds %d bytes in the middle, want at most %d", m, maxMedian)
	}
}
