package cmd_test

import (
	"regexp"
	"strings"
	"testing"
)

// words are phrases that comments, errors, help texts and documents do not use,
// and what to write instead. They stand for nothing else in this project, but for
// the places that right matches. A ~ is a space or the end of a line of a comment.
var words = []struct{ wrong, right, instead string }{
	{wrong: `\b[Mm]end(s|ed|ing)?\b|[a-z]Mend(s|ed|ing)?\b|[a-z]Mend[A-Z]`, instead: "repair, or correct for what a person does"},
	{wrong: `\b[Rr]eckon(s|ed|ing)?\b`, instead: "compute"},
	{wrong: `\bto~be~had\b`, instead: "available"},
	{wrong: `\bfor~good\b`, right: `\bfor good Base64\b`, instead: "permanently"},
	{wrong: `\b[Ww]hoever\b`, instead: "the actor: a client, a server, a process, anyone who"},
	{wrong: `\b[Bb]eside~(a~gateway|another~(writer|restore)|its~caller|those~who|ctx|the~time|the~reading)\b`, instead: "concurrently with, during, in addition to"},
	{wrong: `\bmost u?int(64)?\b`, right: `\bvar most int\b|pages, most int\b|rows, most int\b|\(most int, ok bool\)`, instead: "limit"},
	{wrong: `(?m)(?:^ *(?:// |# )?|[a-z)\]]\. )Of (?:[a-z' -]+)`, right: `Of returns`, instead: "the subject first"},
}

// gap is what a ~ of words matches.
const gap = `(?: +|\s*\n\s*(?://|#|--|\*)?\s*)`

// minTexts fewer mean that the walk finds nothing.
const minTexts = 1000

// TestPlainWords: the texts of the project are in plain technical English
// (.github/CONTRIBUTING.md, "Words").
func TestPlainWords(t *testing.T) {
	texts := 0
	wrong, right := make([]*regexp.Regexp, len(words)), make([]*regexp.Regexp, len(words))
	for i, w := range words {
		wrong[i] = regexp.MustCompile(strings.ReplaceAll(w.wrong, "~", gap))
		if w.right != "" {
			right[i] = regexp.MustCompile(w.right)
		}
	}
	eachText(t, func(rel, text string) {
		switch {
		case rel == "cmd/words_test.go", strings.HasSuffix(rel, ".gen.go"):
			return
		case rel == ".github/CONTRIBUTING.md": // its glossary names them
			return
		}
		texts++
		for i, w := range words {
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
