package trust

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tcode/offline/digest"
)

// prefix begins every type line. The number is the format's version.
const prefix = "tcode-trust/1 "

// timeLayout is RFC 3339 in UTC with whole seconds.
const timeLayout = "2006-01-02T15:04:05Z"

// none marks an optional word that is absent.
const none = "-"

// A Fingerprint identifies a trust root: SHA-256 over the text of its version 1
// from the second line on. The first line of every document holds it.
type Fingerprint digest.SHA256

// String returns 64 lower-case hexadecimal digits.
func (f Fingerprint) String() string { return digest.SHA256(f).String() }

// IsZero reports whether f names no root.
func (f Fingerprint) IsZero() bool { return f == Fingerprint{} }

// ParseFingerprint reads 64 hexadecimal digits. It also accepts upper case,
// spaces and colons, because people type fingerprints from paper.
func ParseFingerprint(s string) (Fingerprint, error) {
	s = strings.ToLower(strings.NewReplacer(" ", "", ":", "", "\t", "", "\n", "").Replace(s))
	h, err := digest.Parse(s)
	if err != nil {
		return Fingerprint{}, &SyntaxError{Reason: err.Error()}
	}
	return Fingerprint(h), nil
}

// A lines reads one document line by line. err keeps the first error; every
// method returns zero values from then on.
type lines struct {
	typeLine int    // bytes of the type line with its line feed
	rest     string // the unread rest
	n        int    // number of the line read last, from 1
	err      error
}

// checkHead checks size and type line before any cryptography. The returned
// lines do not have their text yet.
func checkHead(fp Fingerprint, kind string, limit int, raw []byte) (*lines, error) {
	gotKind, gotRoot, n, err := typeLine(raw, limit)
	if err != nil {
		return nil, err
	}
	if gotKind != kind {
		return nil, fmt.Errorf("%w: want %s, got %.20q", ErrTypeLine, kind, gotKind)
	}
	if gotRoot != fp {
		return nil, fmt.Errorf("%w: want %s, got %s", ErrForeignRoot, fp, gotRoot)
	}
	return &lines{typeLine: n, n: 1}, nil
}

// typeLine splits the first line. n is the length of the line with its line feed.
func typeLine(raw []byte, limit int) (kind string, fp Fingerprint, n int, err error) {
	if len(raw) > limit {
		return "", fp, 0, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(raw), limit)
	}
	end := bytes.IndexByte(raw, '\n')
	if end < 0 {
		return "", fp, 0, fmt.Errorf("%w: no line", ErrTypeLine)
	}
	words, ok := strings.CutPrefix(string(raw[:end]), prefix)
	kind, root, ok2 := strings.Cut(words, " ")
	if !ok || !ok2 {
		return "", fp, 0, fmt.Errorf("%w: %.80q", ErrTypeLine, raw[:end])
	}
	h, err := digest.Parse(root)
	if err != nil {
		return "", fp, 0, fmt.Errorf("%w: %.80q is not a fingerprint", ErrTypeLine, root)
	}
	return kind, Fingerprint(h), end + 1, nil
}

func (l *lines) fail(format string, args ...any) {
	if l.err == nil {
		l.err = &SyntaxError{Line: l.n, Reason: fmt.Sprintf(format, args...)}
		l.rest = ""
	}
}

// at reports whether the next line starts with the word name.
func (l *lines) at(name string) bool {
	return l.err == nil && strings.HasPrefix(l.rest, name) && strings.HasPrefix(l.rest[len(name):], " ")
}

// take reads the next line, which must start with the word name, and returns
// the rest of the line.
func (l *lines) take(name string) string {
	if l.err != nil {
		return ""
	}
	line, rest, ok := strings.Cut(l.rest, "\n")
	l.n++
	value, found := strings.CutPrefix(line, name+" ")
	if !ok || !found {
		l.fail("want %q, got %.40q", name, line)
		return ""
	}
	l.rest = rest
	return value
}

// words splits a value into exactly n words.
func (l *lines) words(value string, n int) []string {
	w := strings.Split(value, " ")
	if len(w) != n && l.err == nil {
		l.fail("want %d words, got %d", n, len(w))
	}
	if l.err != nil {
		return make([]string, n)
	}
	return w
}

// end requires that no line is left.
func (l *lines) end() {
	if l.err == nil && l.rest != "" {
		l.n++
		line, _, _ := strings.Cut(l.rest, "\n")
		l.fail("unexpected line %.40q", line)
	}
}

// number reads a decimal number from 0 to limit without leading zeros.
func (l *lines) number(s string, limit uint64) uint64 {
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil || v > limit || strconv.FormatUint(v, 10) != s {
		l.fail("%.40q is no number from 0 to %d", s, limit)
		return 0
	}
	return v
}

// version reads a number from 1 to MaxVersion.
func (l *lines) version(s string) uint64 {
	v := l.number(s, MaxVersion)
	if v == 0 {
		l.fail("version 0")
	}
	return v
}

// time reads a time in UTC with whole seconds.
func (l *lines) time(s string) time.Time {
	t, err := time.Parse(timeLayout, s)
	if err != nil || t.Format(timeLayout) != s || t.IsZero() { // the zero time is written "-"
		l.fail("%.40q is no time", s)
		return time.Time{}
	}
	return t
}

// optionalTime reads a time or "-".
func (l *lines) optionalTime(s string) time.Time {
	if s == none {
		return time.Time{}
	}
	return l.time(s)
}

func (l *lines) hash(s string) digest.SHA256 {
	h, err := digest.Parse(s)
	if err != nil {
		l.fail("%.80q is no SHA-256", s)
	}
	return h
}

// A writer builds a canonical text. err keeps the first error.
type writer struct {
	b   strings.Builder
	err error
}

func newWriter(fp Fingerprint, kind string) *writer {
	w := new(writer)
	w.b.WriteString(prefix + kind + " " + fp.String() + "\n")
	return w
}

func (w *writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = &SyntaxError{Reason: fmt.Sprintf(format, args...)}
	}
}

// line writes words with single spaces between them.
func (w *writer) line(words ...string) {
	for i, s := range words {
		if i > 0 {
			w.b.WriteByte(' ')
		}
		w.b.WriteString(s)
	}
	w.b.WriteByte('\n')
}

func (w *writer) version(v uint64) string {
	if v == 0 || v > MaxVersion {
		w.fail("version %d", v)
	}
	return strconv.FormatUint(v, 10)
}

// time writes t, which must be whole seconds of the years 1 to 9999.
func (w *writer) time(t time.Time) string {
	t = t.UTC()
	if t.IsZero() || t.Nanosecond() != 0 || t.Year() < 1 || t.Year() > 9999 {
		w.fail("time %v is not whole seconds of a year from 1 to 9999", t)
	}
	return t.Format(timeLayout)
}

func (w *writer) optionalTime(t time.Time) string {
	if t.IsZero() {
		return none
	}
	return w.time(t)
}

func (w *writer) text(limit int) ([]byte, error) {
	if w.err == nil && w.b.Len() > limit {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, w.b.Len(), limit)
	}
	if w.err != nil {
		return nil, w.err
	}
	return []byte(w.b.String()), nil
}
