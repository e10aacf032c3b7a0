package frame

import (
	"fmt"
	"reflect"

	"tcode/server/account"
	"tcode/server/tenant"
)

// Words are the words that all screens share, in one language.
type Words struct {
	Language  string // BCP 47
	Direction string // of writing: ltr or rtl
	Name      string // of the language, in itself

	Console, Platform, ToContent, LanguageLabel, Change, Home, Find, Sessions, SignOut, Cancel, TooMany string
	Search, Filter, Clear, Next, Previous, Copy, Copied, Save, Create, Close, Yes, No, Never, Reason    string
	Confirm                                                                                             string // with %s: the text to type

	Roles map[account.Role]string

	LeftEnds, LeftStays string // before a kind and a name
	Left                map[tenant.LeftKind]string

	NotFound, NotAllowed, OtherOrigin, Suspended, Failed, TooLarge Note
}

// A Note is a screen that says one thing.
type Note struct{ Title, Text string }

// A Lexicon has the words of an area by language: "en", "de", "fr", "es" and "ar".
type Lexicon[T any] map[string]*T

// In returns the words in the language of a page.
func (l Lexicon[T]) In(p *Page) *T { return l.Of(p.T.Language) }

// Of returns the words in a language, or the English ones.
func (l Lexicon[T]) Of(language string) *T {
	if w, ok := l[language]; ok {
		return w
	}
	return l["en"]
}

// Missing returns the words that a language lacks: members that are empty, and keys of
// English maps. Members are strings, maps to strings, and structs of them.
func (l Lexicon[T]) Missing() (missing []string) {
	for _, t := range languages {
		w, ok := l[t.Language]
		if !ok {
			missing = append(missing, t.Language)
			continue
		}
		missing = append(missing, lacks(t.Language, reflect.ValueOf(*w), reflect.ValueOf(*l["en"]))...)
	}
	return missing
}

// Missing returns the shared words that a language lacks.
func Missing() []string {
	l := Lexicon[Words]{}
	for _, t := range languages {
		l[t.Language] = t
	}
	return l.Missing()
}

func lacks(name string, v, english reflect.Value) (missing []string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			missing = append(missing, lacks(name+" "+v.Type().Field(i).Name, v.Field(i), english.Field(i))...)
		}
	case reflect.Map:
		for _, k := range english.MapKeys() {
			got := v.MapIndex(k)
			if !got.IsValid() {
				missing = append(missing, fmt.Sprint(name, " ", k))
				continue
			}
			missing = append(missing, lacks(fmt.Sprint(name, " ", k), got, english.MapIndex(k))...)
		}
	case reflect.String:
		if v.String() == "" {
			missing = append(missing, name)
		}
	default:
		missing = append(missing, name+" is no text")
	}
	return missing
}

// languages are the languages of the screens, as those of the public pages. The first one
// is the default.
var languages = []*Words{&english, &german, &french, &spanish, &arabic}

// SessionsLabel returns the word for sessions in a language.
func SessionsLabel(language string) string {
	for _, t := range languages {
		if t.Language == language {
			return t.Sessions
		}
	}
	return english.Sessions
}
