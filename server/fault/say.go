package fault

import (
	"fmt"
	"regexp"
	"strings"
)

// A Text is a sentence in English with its parts, from which the sentence can be made in
// another language. Its JSON form is stored.
type Text struct {
	Key  string   // the sentence as a format of package fmt; the same for all sentences of a rule
	Args []string `json:",omitempty"` // what its verbs stand for, in words
}

// verb is a verb of a format, or "%%".
var verb = regexp.MustCompile(`%[-+# 0]*[0-9]*(\.[0-9]+)?[a-zA-Z%]`)

// Say returns the text of a format with args, each for one verb. "%s" or "%v" with a text,
// a string or an error is that whole sentence.
func Say(format string, args ...any) Text {
	if len(args) == 1 && (format == "%s" || format == "%v") {
		switch a := args[0].(type) {
		case Text:
			return a
		case string:
			return Text{Key: strings.ReplaceAll(a, "%", "%%")}
		case error:
			return Text{Key: strings.ReplaceAll(a.Error(), "%", "%%")}
		}
	}
	t := Text{Key: format}
	for _, v := range verb.FindAllString(format, -1) {
		if v == "%%" {
			continue
		}
		if len(t.Args) == len(args) { // a mistake of the caller, which Sprintf shows
			return Text{Key: strings.ReplaceAll(fmt.Sprintf(format, args...), "%", "%%")}
		}
		t.Args = append(t.Args, fmt.Sprintf(v, args[len(t.Args)]))
	}
	return t
}

// String returns the sentence in English.
func (t Text) String() string {
	if !strings.Contains(t.Key, "%") {
		return t.Key
	}
	n := 0
	return verb.ReplaceAllStringFunc(t.Key, func(v string) string {
		if v == "%%" {
			return "%"
		}
		if n++; n > len(t.Args) {
			return v
		}
		return t.Args[n-1]
	})
}

// Texts are the sentences of a fault's fields in English.
func (f *Fault) Texts() map[string][]string {
	if f.Fields == nil {
		return nil
	}
	out := make(map[string][]string, len(f.Fields))
	for name, said := range f.Fields {
		for _, t := range said {
			out[name] = append(out[name], t.String())
		}
	}
	return out
}
