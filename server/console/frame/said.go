package frame

import (
	"fmt"
	"maps"
	"strings"

	"tcode/server/fault"
)

// said is the sentence of a [fault.Text] in the languages other than English. %s, or %[1]s
// and so on, stand for the text's parts, which are numbers, names and codes and the same in
// every language. A part that is an English word is left out.
type said struct{ de, fr, es, ar string }

// of returns the format for a language, or "".
func (s said) of(language string) string {
	switch language {
	case "de":
		return s.de
	case "fr":
		return s.fr
	case "es":
		return s.es
	case "ar":
		return s.ar
	}
	return ""
}

// sentences are the sentences of services by their key.
var sentences = func() map[string]said {
	all := map[string]said{}
	for _, some := range []map[string]said{textSentences, recordSentences, accessSentences, fileSentences, brandSentences, bulkSentences} {
		maps.Copy(all, some)
	}
	return all
}()

// Say returns sentences of services in a language. One that is not translated is in English.
func Say(language string, texts ...fault.Text) (out Sentences) {
	for _, t := range texts {
		out = append(out, say(language, t))
	}
	return out
}

func say(language string, t fault.Text) Sentence {
	if language == english.Language {
		return Sentence{Text: t.String()}
	}
	format := sentences[t.Key].of(language)
	if format == "" {
		return Sentence{Text: t.String(), Lang: english.Language}
	}
	if !strings.Contains(format, "%") {
		return Sentence{Text: format}
	}
	args := make([]any, len(t.Args))
	for i, a := range t.Args {
		args[i] = a
	}
	return Sentence{Text: fmt.Sprintf(format, args...)}
}
