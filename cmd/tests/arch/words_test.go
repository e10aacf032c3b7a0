package arch_test

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// words are phrases that comments, errors, help texts and documents do not use,
// and the words to write instead. They have no other meaning in this project, except
// in lines that right matches. A ~ is a space or the end of a line of a comment. With
// open, the files of pinned may still use the phrase.
var words = []struct {
	wrong, right, instead string
	open                  bool
}{
	{wrong: `\b[Mm]end(s|ed|ing)?\b|[a-z]Mend(s|ed|ing)?\b|[a-z]Mend[A-Z]`, instead: "repair, or correct for what a person does"},
	{wrong: `\b[Rr]eckon(s|ed|ing)?\b`, instead: "compute"},
	{wrong: `\bto~be~had\b`, instead: "available"},
	{wrong: `\bfor~good\b`, right: `\bfor good Base64\b`, instead: "permanently"},
	{wrong: `\b[Ww]hoever\b`, instead: "the actor: a client, a server, a process, anyone who"},
	{wrong: `\b[Bb]eside~(a~gateway|another~(writer|restore)|its~caller|those~who|ctx|the~time|the~reading)\b`, instead: "concurrently with, during, in addition to"},
	{wrong: `\bmost u?int(64)?\b`, right: `\bvar most int\b|pages, most int\b|rows, most int\b|\(most int, ok bool\)`, instead: "limit"},
	{wrong: `(?m)(?:^ *(?:// |# )?|[a-z)\]]\. )Of (?:[a-z' -]+)`, right: `Of returns`, instead: "the subject first"},
	{wrong: `\bsee(s|n)?~to~it\b`, instead: "make sure"},
	{wrong: `\b[Nn]obody\b|\b[Aa]nybody\b|\b[Ss]omebody\b`, right: `Search(=|: ")nobody|"nobody's"|"Nobody"`, instead: "the actor: no client, another process, anyone", open: true},
	{wrong: `\bfor~ever\b`, instead: "forever", open: true},
	{wrong: `\b(told|tells?)~of\b`, instead: "report, name, or send an event", open: true},
	{wrong: `\b(held|holds?)~(it~)?against\b`, instead: "compare with", open: true},
	{wrong: `\b(came|comes?|became|becomes?)~of\b`, instead: "the result", open: true},
	{wrong: `\b[Ww]hat~(it|they|he)~(is|are|was|were|has|have|had|says?|said|opened|made|holds?|does|did|wants?|reads?|knows?|gave|took|wrote|sent|got|found|stores?|keeps?|needs?)\b`, instead: "the noun: its files, its text", open: true},
	{wrong: `\b[Ww]hat~(stands?|lies|lay|came|comes|belongs?|follows?)\b`, right: `; what follows was not read|does not draw what follows them"`, instead: "the noun: the rest, the contents", open: true},
	{wrong: `(?m)^ *(?:// |# )What [a-z ]+(is|are|was|has|cannot|must|may|does)\b`, instead: "the noun first", open: true},
	{wrong: `\bat~once\b`, right: `an image and a PDF at once|too many \w+ at once, try again"|"at once "`, instead: "immediately, concurrently, or in one step", open: true},
	{wrong: `\bbesides\b`, instead: "in addition to, other than", open: true},
	{wrong: `\bby~turns\b`, instead: "alternately", open: true},
	{wrong: `\ball~the~same\b`, instead: "anyway, still", open: true},
	{wrong: `\bhand(s|ed|ing)?~in\b`, instead: "send", open: true},
	{wrong: `\bin~the~place~of\b`, instead: "instead of", open: true},
	{wrong: `\b(is|are)~asked~(for|about|of|to)\b`, instead: "request, read, call", open: true},
}

// pinned are the files with a phrase in a text that does not change: a reason, an
// error, a comment of a vector, a sentence of the contract.
var pinned = regexp.MustCompile(`^offline/(FORMAT\.md|reason\.go|host/litedb/migrate\.go)$|^scanner/(proof/read|symbol/reason)\.go$|` +
	`^cmd/mkvectors/(clock|document|trust_cases|verdict_cases)_test\.go$|^testdata/readers/verdict\.mjs$|` +
	`^server/httpapi/api/openapi\.yaml$`)

// gap is what a ~ of words matches.
const gap = `(?: +|\s*\n\s*(?://|#|--|\*)?\s*)`

// minTexts fewer mean that the walk finds nothing.
const minTexts = 1000

// TestPlainWords: the texts of the project are in plain technical English
// (.github/CONTRIBUTING.md, "Words").
func TestPlainWords(t *testing.T) {
	texts := 0
	wrong, right, parts := make([]*regexp.Regexp, len(words)), make([]*regexp.Regexp, len(words)), make([][]string, len(words))
	for i, w := range words {
		pattern := strings.ReplaceAll(w.wrong, "~", gap)
		wrong[i] = regexp.MustCompile(pattern)
		parsed, err := syntax.Parse(pattern, syntax.Perl)
		if parts[i] = literals(parsed); err != nil || parts[i] == nil {
			t.Fatalf("%s: no literal part, %v", w.wrong, err)
		}
		if w.right != "" {
			right[i] = regexp.MustCompile(w.right)
		}
	}
	eachText(t, func(rel, text string) {
		switch {
		case rel == "cmd/tests/arch/words_test.go", strings.HasSuffix(rel, ".gen.go"):
			return
		case rel == ".github/CONTRIBUTING.md": // its glossary names them
			return
		}
		texts++
		for i, w := range words {
			if w.open && pinned.MatchString(rel) || !slices.ContainsFunc(parts[i], func(part string) bool { return strings.Contains(text, part) }) {
				continue
			}
			for _, at := range wrong[i].FindAllStringIndex(text, -1) {
				line := text[strings.LastIndexByte(text[:at[0]], '\n')+1:]
				line, _, _ = strings.Cut(line, "\n")
				if right[i] != nil && right[i].MatchString(line) {
					continue
				}
				t.Errorf("%s:%d: write %s\n\t%s", rel, 1+strings.Count(text[:at[0]], "\n"), w.instead, strings.TrimSpace(line))
			}
		}
	})
	if texts < minTexts {
		t.Errorf("%d texts read, want at least %d", texts, minTexts)
	}
}

// literals returns texts, one of which is in each match of a pattern: looking for them first
// is much faster than the pattern. It returns nil if there are none.
func literals(re *syntax.Regexp) (list []string) {
	switch {
	case re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase == 0:
		return []string{string(re.Rune)}
	case re.Op == syntax.OpCapture:
		return literals(re.Sub[0])
	case re.Op == syntax.OpConcat: // those of the part with the longest ones
		for _, sub := range re.Sub {
			if of := literals(sub); of != nil && (list == nil || shortest(of) > shortest(list)) {
				list = of
			}
		}
	case re.Op == syntax.OpAlternate:
		for _, sub := range re.Sub {
			of := literals(sub)
			if of == nil {
				return nil
			}
			list = append(list, of...)
		}
	}
	return list
}

// shortest returns the length of the shortest text.
func shortest(list []string) int {
	n := len(list[0])
	for _, text := range list {
		n = min(n, len(text))
	}
	return n
}
