package wire

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tcode/sync/wire/strictjson"
)

// parse reads a body as one document. The error is a *FieldError with [ErrSyntax]
// or [ErrDuplicate].
func parse(raw []byte) (strictjson.Node, error) {
	v, err := strictjson.Parse(raw)
	if err == nil {
		return v, nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		err = many.Unwrap()[0] // the first duplicate
	}
	if bad, ok := errors.AsType[*strictjson.SyntaxError](err); ok && bad.Err == strictjson.ErrDuplicate {
		return v, &FieldError{printable(bad.Path), "", ErrDuplicate}
	}
	return v, &FieldError{bodyPath, err.Error(), ErrSyntax}
}

// notes are what the decoders of one document note.
type notes struct {
	unknown  map[string]bool // names
	collects bool            // all errors, instead of the first one
	problems []*FieldError
}

func newNotes() *notes { return &notes{unknown: map[string]bool{}} }

// add keeps an error, the first one of its path.
func (n *notes) add(bad *FieldError) {
	same := func(e *FieldError) bool { return e.Path == bad.Path }
	if len(n.problems) < maxProblems && !slices.ContainsFunc(n.problems, same) {
		n.problems = append(n.problems, bad)
	}
}

// maxProblems is the most that [Problems] returns.
const maxProblems = 100

// A fields reads the members of one object and keeps the first error.
type fields struct {
	path    string
	members []strictjson.Member
	notes   *notes // shared by the whole document
	err     error
}

// openObject checks that v is an object whose names are known. It records and
// skips unknown names, but refuses a known one in another case.
func openObject(v strictjson.Node, path string, known []string, ignored *notes) *fields {
	f := &fields{path: path, members: v.Members, notes: ignored}
	if v.Kind != strictjson.Object {
		f.fail("", ErrType, "want an object, not "+v.Kind.String())
		return f
	}
	for _, m := range v.Members {
		if slices.Contains(known, m.Name) {
			continue
		}
		for _, k := range known {
			if strings.EqualFold(k, m.Name) {
				f.fail(m.Name, ErrNameCase, "want "+k)
				return f
			}
		}
		if len(ignored.unknown) < maxIgnored {
			ignored.unknown[generic(join(path, m.Name))] = true
		}
	}
	return f
}

// maxIgnored is the largest number of unknown names of a client that an answer repeats.
const maxIgnored = 32

// generic turns items[17].mood into items[].mood, so that 500 items with the
// same unknown member are one name.
func generic(path string) string {
	open, end := strings.IndexByte(path, '['), strings.IndexByte(path, ']')
	if open < 0 || end < open {
		return path
	}
	return path[:open+1] + path[end:]
}

func (f *fields) fail(name string, reason error, detail string) {
	if f.err != nil {
		return
	}
	path := f.path
	if name != "" {
		path = join(f.path, name)
	}
	if path == "" {
		path = bodyPath
	}
	if bad := (&FieldError{path, detail, reason}); f.notes.collects {
		f.notes.add(bad)
	} else {
		f.err = bad
	}
}

// get finds a member; null counts as absent.
func (f *fields) get(name string, want strictjson.Kind) (strictjson.Node, bool) {
	for _, m := range f.members {
		if m.Name != name || m.Value.Kind == strictjson.Null {
			continue
		}
		if m.Value.Kind != want {
			f.fail(name, ErrType, "want "+want.String()+", not "+m.Value.Kind.String())
			return strictjson.Node{}, false
		}
		return m.Value, true
	}
	return strictjson.Node{}, false
}

// str reads a string of at most limit characters; it refuses a NUL, because
// some databases cannot store it.
func (f *fields) str(name string, limit int) string {
	v, ok := f.get(name, strictjson.String)
	if !ok {
		return ""
	}
	text := v.Text()
	if utf8.RuneCountInString(text) > limit {
		f.fail(name, ErrLength, "at most "+strconv.Itoa(limit)+" characters")
		return ""
	}
	if strings.IndexByte(text, 0) >= 0 {
		f.fail(name, ErrValue, "contains U+0000")
		return ""
	}
	return text
}

// required is str for a member that must be present and not empty.
func (f *fields) required(name string, limit int) string {
	s := f.str(name, limit)
	if s == "" {
		f.fail(name, ErrMissing, "")
	}
	return s
}

// word reads a member that must be one of words or absent.
func (f *fields) word(name string, words []string) string {
	s := f.str(name, 64)
	if s != "" && !slices.Contains(words, s) {
		f.fail(name, ErrValue, "one of "+strings.Join(words, ", "))
	}
	return s
}

// integer reads a whole number written without fraction and exponent.
func (f *fields) integer(name string, least, limit int64) (int64, bool) {
	v, ok := f.get(name, strictjson.Number)
	if !ok {
		return 0, false
	}
	text := v.Text()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > limit || text == "-0" {
		f.fail(name, ErrValue, fmt.Sprintf("want a whole number from %d to %d", least, limit))
		return 0, false
	}
	return n, true
}

func (f *fields) time(name string) time.Time {
	s := f.required(name, 64)
	if f.err != nil {
		return time.Time{}
	}
	t, err := parseTime(s)
	if err != nil {
		f.fail(name, ErrValue, "want RFC 3339 with a zone, from 1970 to 9999")
	}
	return t
}

var errYear = errors.New("year out of range")

// parseTime reads RFC 3339 and truncates to milliseconds.
func parseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, err
	}
	t = t.UTC().Truncate(time.Millisecond)
	if t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}, errYear
	}
	return t, nil
}

// formatTime returns RFC 3339 in UTC with exactly three decimals.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func onlyOf(s string, extra string, limit int) bool {
	if s == "" || len(s) > limit {
		return false
	}
	for i := range len(s) {
		c := s[i]
		alnum := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !alnum && strings.IndexByte(extra, c) < 0 {
			return false
		}
	}
	return true
}

// ValidBatchID reports whether s may be a batch id, in a body or in a header: 1
// to [MaxIDLen] of [A-Za-z0-9._-].
func ValidBatchID(s string) bool { return onlyOf(s, "._-", MaxIDLen) }

func validScannerID(s string) bool { return onlyOf(s, "._:@-", MaxIDLen) }

// validUUID accepts only the canonical form in lower case, because two
// spellings of one id would be two scans.
func validUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}

// join returns the path of a member, whose name is the client's.
func join(path, name string) string { return strictjson.Join(path, printable(name)) }

// printable keeps a client's names fit for a header or a log line.
func printable(name string) string {
	const limit = 64
	clean := strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || r == '"' || r == ',' {
			return '?'
		}
		return r
	}, name)
	if len(clean) > limit {
		clean = clean[:limit]
	}
	return clean
}
