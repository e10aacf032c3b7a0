package gate

import (
	"strings"
	"time"

	"tcode/server/fault"
)

// The gate takes some values in more forms than the contract has, and passes the
// contract's form on:
//
//	notFound, NOT-FOUND  ─▶ not_found               a value of an enum
//	2027-01-01           ─▶ 2027-01-02T00:00:00Z    a day, as x-date says
//	2027-01-01T10:00     ─▶ 2027-01-01T10:00:00Z    a time without a zone, in UTC

// standard returns a string in the contract's form. A string that has none is returned
// unchanged.
func standard(text string, s *schema) string {
	switch {
	case s == nil:
	case s.Format == "date-time":
		return standardTime(text, s)
	case len(s.Enum) > 0:
		for _, v := range s.Enum {
			if word, ok := v.(string); ok && strings.EqualFold(letters(word), letters(text)) {
				return word
			}
		}
	}
	return text
}

// letters returns a word of an enum without what joins its parts: not_found, not-found, notFound and
// NOT FOUND are the same word, and -createdAt is another one than createdAt.
func letters(word string) string {
	first := min(len(word), 1)
	return word[:first] + fault.PlainName(word[first:])
}

// dayEnd is the value of a schema's x-date where the end of a day is meant, which is the
// begin of the next one, if a client names a day alone. Otherwise its begin is meant.
const dayEnd = "end"

// localForms are the forms of a time without a zone, which is taken as UTC.
var localForms = [...]string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"}

func standardTime(text string, s *schema) string {
	if _, err := time.Parse(time.RFC3339, text); err == nil {
		return text
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		if s.Day == dayEnd {
			day = day.AddDate(0, 0, 1)
		}
		return day.Format(time.RFC3339)
	}
	upper := strings.ToUpper(text)
	for _, form := range localForms {
		if at, err := time.Parse(form, upper); err == nil {
			return at.Format(time.RFC3339Nano)
		}
	}
	if _, err := time.Parse(time.RFC3339, upper); err == nil {
		return upper // t and z
	}
	return text
}
