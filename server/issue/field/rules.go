package field

import (
	"net/mail"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// rules are the types' own; text has none.
var rules = map[Type]struct {
	want string // the problem of a value that is not ok
	ok   func(string) bool
}{
	Date:   {"must be a date such as 2026-01-31", isDate},
	Number: {"must be a number such as -12.50", isNumber},
	Email:  {"must be an e-mail address such as name@example.org", IsEmail},
	URL:    {"must be an address such as https://example.org/", isURL},
}

func isDate(v string) bool {
	_, err := time.Parse(time.DateOnly, v)
	return err == nil
}

var numberForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func isNumber(v string) bool {
	if !numberForm.MatchString(v) {
		return false
	}
	_, err := strconv.ParseFloat(v, 64) // out of range is an error
	return err == nil
}

// MaxEmail is the longest address that can be delivered to, in bytes (RFC 5321,
// 4.5.3.1).
const MaxEmail = 254

// IsEmail reports whether v is an address as in RFC 5322, without a name.
func IsEmail(v string) bool {
	a, err := mail.ParseAddress(v)
	return err == nil && len(v) <= MaxEmail && a.Name == "" && a.Address == v && !strings.ContainsFunc(v, unseen)
}

func isURL(v string) bool {
	u, err := url.Parse(v)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.Opaque == "" &&
		!strings.ContainsAny(v, `"<>\^`+"`"+`{|}`) && !strings.ContainsFunc(v, unseen)
}

// unseen tells characters that no address has (RFC 3987 2.2 and 4.1) and that
// make two of them look the same: white space, controls, direction marks and the
// like. Joiners are part of words in some scripts.
func unseen(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf) && r != nonJoiner && r != joiner
}
