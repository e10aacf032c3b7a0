package restamp

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// These expressions say the grammar of this package in another form.
const (
	numberText  = `-?\d+(?:\.\d+)? `
	labelText   = `/(TCode[0-9A-Z]*(?:\.\d+)?) `
	drawingText = `/Artifact BMC\nq (?:` + numberText + `){6}cm (?:(?:1 g |` + labelText + `cs 1 sc )0 0 ` + numberText + numberText + `re f )?` +
		`(?:0 g |` + labelText + `cs 0 sc )` + numberText + `0 0 ` + numberText + numberText + numberText + `cm ` + labelText + `Do Q\nEMC\n$`
	entriesText = `<</Root (\d+) 0 R\n(?:/Info (\d+) 0 R\n)?(?:/Encrypt (\d+) 0 R\n)?` +
		`(?:/ID \[(<[0-9A-Fa-f]*>|\((?:[^()\\]|\\(?s:.))*\)) <[0-9A-F]{32}>\]\n)?/Prev (\d+)\n`
)

var references = regexp.MustCompile(`\d+\s+(\d+)\s+R`)

// grammar pairs each function with its expression. Functions return the groups, nil if there is no match.
var grammar = map[string]struct {
	expression *regexp.Regexp
	read       func(string) []string
}{
	"opens":  {regexp.MustCompile(`^(?:q ){1,32}$`), func(s string) []string { return groups(opens(s)) }},
	"alone":  {regexp.MustCompile(`^` + drawingText), func(s string) []string { return drawn(alone(s)) }},
	"behind": {regexp.MustCompile(`^\n(?:n )?(?:ET )?(?:EMC )*(?:Q )+\n` + drawingText), func(s string) []string { return drawn(behind(s)) }},
	"heading": {regexp.MustCompile(`^([1-9]\d{0,8}) 0 obj\n`), func(s string) []string {
		c := cursor{rest: s}
		num := c.heading()
		return groups(!c.failed, num)
	}},
	"contents": {regexp.MustCompile(`^<<(?:/Filter /FlateDecode\n)?/Length (\d{1,9})\n>>$`), func(s string) []string {
		length, ok := contents(s)
		return groups(ok, length)
	}},
	"section": {
		regexp.MustCompile(`^<<(?s:.*)/Type /XRef\n/Size \d+\n/W \[1 4 2\]\n/Index \[[\d ]+\]\n/Length (\d{1,9})\n>>$`),
		func(s string) []string {
			length, ok := section(s)
			return groups(ok, length)
		},
	},
	"token": {
		regexp.MustCompile(`^((?:/(?:[!"$&'*-.0-;=?-Z\\^-z|~]|#[0-9A-Fa-f]{2})*|[1-9]\d* 0 R|[+-]?(?:\d+\.?\d*|\.\d+)|true|false|null|<[0-9A-Fa-f]*>))`),
		func(s string) []string { return groups(token(s) != "", token(s)) },
	},
	"starts":  {regexp.MustCompile(`^` + strings.ReplaceAll(entriesText, `(\d+)`, `\d+`)), func(s string) []string { return groups(starts(s)) }},
	"inTable": {regexp.MustCompile(`^` + entriesText + `/Size (\d{1,9})\n>>\n$`), func(s string) []string { return listed(inTable(s)) }},
	"inStream": {
		regexp.MustCompile(`^` + entriesText + `/Type /XRef\n/Size (\d{1,9})\n/W \[1 4 2\]\n/Index \[[\d ]+\]\n/Length \d{1,9}\n>>$`),
		func(s string) []string { return listed(inStream(s)) },
	},
}

func groups(ok bool, all ...string) []string {
	if !ok {
		return nil
	}
	return append([]string{}, all...)
}

func drawn(d drawing, ok bool) []string { return groups(ok, d.white, d.black, d.image) }

func listed(e entries, ok bool) []string {
	return groups(ok, e.refs[0], e.refs[1], e.refs[2], e.id, e.prev, e.size)
}

// agrees compares the functions with the expressions, and returns the names of those that match.
func agrees(t *testing.T, text string) (matched []string) {
	t.Helper()
	for name, g := range grammar {
		want := g.expression.FindStringSubmatch(text)
		if want != nil {
			want = want[1:]
			matched = append(matched, name)
		}
		if name == "starts" && want != nil {
			want = want[:0] // its only group is the identifier's
		}
		if got := g.read(text); (got == nil) != (want == nil) || !slices.Equal(got, want) {
			t.Errorf("%s(%q) = %q, want %q", name, text, got, want)
		}
	}
	want := !strings.Contains(text, "%")
	for _, m := range references.FindAllStringSubmatch(text, -1) {
		want = want && m[1] == "0"
	}
	if got := zeros(text); got != want {
		t.Errorf("zeros(%q) = %v, want %v", text, got, want)
	}
	return matched
}

// Parts of texts, and parts that are nearly so.
var (
	parts = []string{
		"/Artifact BMC\nq ", "cm ", "1 g ", "0 g ", "0 0 ", "re f ", "/TCode7Z ", "/TCode ", "/TCode.5 ", "/TCode7. ", "/TCodeq ", "/TCode1.2.3 ",
		"cs 1 sc ", "cs 0 sc ", "Do Q\nEMC\n", "\n", "n ", "ET ", "EMC ", "Q ", "q ", "1 ", "-2.5 ", "-1 ", ".5 ", "5. ", "+1 ", "--1 ", "1e5 ", " ", "-", "/", "\x00", "٣ ",
		"<<", ">>", "/Root 1 0 R\n", "/Root 1 1 R\n", "/Info 2 0 R\n", "/ID [<> <", "/ID [(a\\)b) <", "\\", "(", ")", "\\\xff", "é", "/Prev 9\n", "/Prev \n", "/Size 8\n", "/Size 1234567890\n",
		"/Type /XRef\n", "/W [1 4 2]\n", "/Index [0 1]\n", "/Index []\n", "/Length 5\n", "/Filter /FlateDecode\n", "]", "[", "#4A", "#4", "#", "true", "false", "null", "<0aF>", "0 R", "\t", "\v", "\f", "\r", "%", "R", "0", "12",
		" 0 obj\n", "123456789", "1234567890", "0123",
	}
	examples = func() (all []string) {
		const numbers = "1 -2.5 0 10.25 0 7 "
		for _, white := range []string{"", "1 g 0 0 5 6 re f ", "/TCode7Z cs 1 sc 0 0 5 6 re f "} {
			for _, black := range []string{"0 g ", "/TCode.9 cs 0 sc "} {
				for _, before := range []string{"", "\nQ \n", "\nn ET EMC EMC Q Q Q \n"} {
					all = append(all, before+"/Artifact BMC\nq "+numbers+"cm "+white+black+"15 0 0 15 0.75 0.75 cm /TCode7Z Do Q\nEMC\n")
				}
			}
		}
		for _, refs := range []string{"", "/Info 2 0 R\n", "/Encrypt 30 0 R\n", "/Info 2 0 R\n/Encrypt 30 0 R\n"} {
			for _, id := range []string{"", "<0aFf>", "<>", "()", "(a\\)\\\\\xff\n\\é)"} {
				if id != "" {
					id = "/ID [" + id + " <0123456789ABCDEF0123456789ABCDEF>]\n"
				}
				e := "<</Root 1 0 R\n" + refs + id + "/Prev 77\n"
				all = append(all, e+"/Size 12\n>>\n", e+"/Type /XRef\n/Size 12\n/W [1 4 2]\n/Index [3 1 5 2]\n/Length 21\n>>")
			}
		}
		all = append(all, "12 0 obj\n", "<</Length 5\n>>", "<</Filter /FlateDecode\n/Length 123456789\n>>", "<</A 1 0 R\n/B [2 0 R 3\t00\n\fR 4 1 R]\n>>")
		return append(all, "/Name#20x ", "/", "12 0 R ", "0 0 R", "-12.5]", "+.5", "5.", "true", "false>", "null", "<0aF>", "q q q ")
	}()
)

func TestGrammar(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	for _, text := range examples {
		for _, name := range agrees(t, text) {
			met[name] = true
		}
		for cut := range text {
			agrees(t, text[:cut])
			agrees(t, text[cut:])
		}
	}
	if len(met) != len(grammar) {
		t.Errorf("examples only for %v", met)
	}
	for n := range 40 {
		agrees(t, strings.Repeat("q ", n))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		text := examples[random.IntN(len(examples))]
		for range 1 + random.IntN(2) {
			at := random.IntN(len(text))
			text = text[:at] + parts[random.IntN(len(parts))] + text[min(len(text), at+random.IntN(6)):]
		}
		agrees(t, text)
	}
}

func FuzzGrammar(f *testing.F) {
	for _, text := range examples {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { agrees(t, text) })
}
