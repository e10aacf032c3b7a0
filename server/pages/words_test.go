package pages_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tcode/server/pages"
	"tcode/server/verify"
)

// slot matches a slot of a sentence.
var slot = regexp.MustCompile(`\{\w+\}`)

// slots returns the slots of a sentence, each once.
func slots(sentence string) []string {
	all := slot.FindAllString(sentence, -1)
	slices.Sort(all)
	return slices.Compact(all)
}

// TestWords: every language has all words of the others, each sentence names the same
// values, and each answer has words and a look.
func TestWords(t *testing.T) {
	t.Parallel()
	english := pages.Words("en")
	for _, lang := range pages.Languages() {
		words := pages.Words(lang)
		for place, text := range english {
			if words[place] == "" && text != "" {
				t.Errorf("%s has no %s", lang, place)
			}
			if got, want := slots(words[place]), slots(text); !slices.Equal(got, want) {
				t.Errorf("%s: %s has %q, in English %q", lang, place, got, want)
			}
			if lang != "en" && len(text) > 12 && words[place] == text {
				t.Errorf("%s: %s is English", lang, place)
			}
		}
		if len(words) != len(english) {
			t.Errorf("%s has %d texts, English has %d", lang, len(words), len(english))
		}
		for key, tone := range pages.Answers() {
			headline, sentence := words["Answers "+key+" 0"], words["Answers "+key+" 1"]
			if headline == "" || sentence == "" || strings.ContainsAny(headline+sentence, "!") {
				t.Errorf("%s: %s says %q %q", lang, key, headline, sentence)
			}
			if small, _, two := strings.Cut(headline, "|"); tone == "look" && (!two || small == "") {
				t.Errorf("%s: amber %s has no word to act on after the small one: %q", lang, key, headline)
			}
			if (tone == "accept") != (key == "valid") {
				t.Errorf("%s is green", key)
			}
		}
	}
	for place := range english {
		if key, ok := strings.CutPrefix(place, "Answers "); ok && pages.Answers()[strings.TrimRight(key, " 01")] == "" {
			t.Errorf("%s has words and no look", key)
		}
	}
}

// most is the size of a page with all that it loads, in bytes on the way. The engine comes
// when a file is there.
const most = 15_000

// TestSize: a page of any language and any answer is small, compressed and with its
// modules.
func TestSize(t *testing.T) {
	t.Parallel()
	p := drawer(t)
	scripts, err := pages.Scripts()
	if err != nil {
		t.Fatal(err)
	}
	loaded := 0
	for _, module := range scripts {
		loaded += len(module.Packed)
	}
	for _, lang := range pages.Languages() {
		q := httptest.NewRequest(http.MethodGet, "/?lang="+lang, nil)
		q.Header.Set("Accept-Encoding", "br, gzip;q=0.8")
		who := pages.ReaderOf(q)
		for name, draw := range map[string]func(w http.ResponseWriter) error{
			"index":    func(w http.ResponseWriter) error { return p.Index(w, who) },
			"verify":   func(w http.ResponseWriter) error { return p.Verify(w, who, "", false) },
			"guide":    func(w http.ResponseWriter) error { return p.Guide(w, who, "https://tcode.acme.example") },
			"branded":  func(w http.ResponseWriter) error { return p.About(about()).Twin(w, who, result(verify.Valid), at) },
			"valid":    func(w http.ResponseWriter) error { return p.Twin(w, who, result(verify.Valid), at) },
			"notfound": func(w http.ResponseWriter) error { return p.Twin(w, who, result(verify.NotFound), at) },
		} {
			w := httptest.NewRecorder()
			if err := draw(w); err != nil {
				t.Fatal(err)
			}
			size := w.Body.Len()
			if name == "verify" {
				size += loaded
			}
			if w.Header().Get("Content-Encoding") != "gzip" || size > most {
				t.Errorf("%s %s: %d bytes, %v", name, lang, size, w.Header())
			}
			t.Logf("%s %s: %d bytes", name, lang, size)
			z, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			var page bytes.Buffer
			if _, err := page.ReadFrom(z); err != nil || !strings.Contains(page.String(), `lang="`+map[bool]string{true: "en", false: lang}[name == "guide"]+`" dir="`) {
				t.Errorf("%s %s: %v %.200s", name, lang, err, page.String())
			}
			if strings.Contains(page.String(), "ZgotmplZ") || strings.Contains(page.String(), "style=\"") || regexp.MustCompile(`<script[^>]*>[^<]`).MatchString(page.String()) {
				t.Errorf("%s %s: inline script or style", name, lang)
			}
		}
	}
}

// TestReader: the language of the address is that of the page if there is such a language,
// and links to other pages keep it. Compressed pages go only to browsers that take them.
func TestReader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		query, encodings string
		want             pages.Reader
	}{
		{"", "", pages.Reader{Accept: "fr"}},
		{"?lang=ar", "gzip", pages.Reader{Accept: "fr", Choice: "ar", Gzip: true}},
		{"?lang=AR", "deflate, gzip;q=1.0", pages.Reader{Accept: "fr", Gzip: true}},
		{`?lang="><script>`, "gzip;q=0", pages.Reader{Accept: "fr"}},
		{"?%zz&lang=de", "br,gzip; q=0.5", pages.Reader{Accept: "fr", Choice: "de", Gzip: true}},
		{"?lang=", "identity, gzip;q=x", pages.Reader{Accept: "fr"}},
	} {
		q := httptest.NewRequest(http.MethodGet, "/", nil)
		q.URL.RawQuery = strings.TrimPrefix(tt.query, "?")
		q.Header.Set("Accept-Language", "fr")
		q.Header.Set("Accept-Encoding", tt.encodings)
		if got := pages.ReaderOf(q); got != tt.want {
			t.Errorf("%q %q: %+v, want %+v", tt.query, tt.encodings, got, tt.want)
		}
	}
	w := httptest.NewRecorder()
	if err := drawer(t).Twin(w, pages.Reader{Accept: "fr", Choice: "ar"}, result(verify.Valid), at); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<html lang="ar" dir="rtl"`, `href="/verify?lang=ar"`, `href="?lang=de"`, `href="?lang=ar" lang="ar" hreflang="ar" dir="rtl" aria-current="true"`, ">شهادة<"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %s in\n%s", want, w.Body)
		}
	}
}
