package intake

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"
)

// Values that cannot be told from others.
var (
	errOrder  = refusal("does not say which number is the day, the month or the century; write the year first, such as 2026-01-31")
	errSerial = refusal("is a count of days, as spreadsheets keep dates; format the column as text or date, such as 2026-01-31")
	errGroups = refusal("may be %s or %s; write the one that is meant")
)

// form returns a function that reports whether a cell has the form of an expression, which
// is compiled when it is needed first.
func form(expression string) func(cell string) bool {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
	return func(cell string) bool { return compiled().MatchString(cell) }
}

// Ends of a date with a time that spreadsheets add to a day.
var midnights = []string{" 00:00:00.000", " 00:00:00", " 00:00", " 0:00:00", " 0:00", "T00:00:00"}

// Forms of a day of which the order is certain.
var dayForms = []string{"2.1.2006", "2. 1. 2006", "2006-1-2", "2006/1/2", "2006.1.2"}

var (
	uncertainDay = form(`^[0-9]{1,2}(?:\. ?[0-9]{1,2}\. ?[0-9]{2}|[/-][0-9]{1,2}[/-](?:[0-9]{4}|[0-9]{2}))\b`)
	serialDay    = form(`^[1-9][0-9]{4}([.,]0+)?$`)
)

// Date returns the cell of a date as RFC 3339 has it: 2026-01-31 for 31.1.2026 or
// 2026-01-31 00:00:00. A cell that is no date stays as it is; why is the reason if it may be
// several.
func Date(cell string) (day string, why *Refusal) {
	plain := cell
	for _, m := range midnights {
		plain = strings.TrimSuffix(plain, m)
	}
	for _, layout := range dayForms {
		if t, err := time.Parse(layout, plain); err == nil {
			return t.Format(time.DateOnly), nil
		}
	}
	switch {
	case uncertainDay(cell):
		return cell, errOrder
	case serialDay(cell):
		return cell, errSerial
	}
	return cell, nil
}

// Forms of a number with thousands in groups or with a decimal comma.
var (
	spaced    = form(`^-?[0-9]{1,3}(?:[ \x{00a0}\x{2009}\x{202f}'’][0-9]{3})+(?:[.,][0-9]+)?$`)
	pointed   = form(`^-?[0-9]{1,3}(?:(?:\.[0-9]{3})+,[0-9]+|(?:\.[0-9]{3}){2,})$`)
	commaed   = form(`^-?[0-9]{1,3}(?:(?:,[0-9]{3})+\.[0-9]+|(?:,[0-9]{3}){2,})$`)
	decimal   = form(`^-?[0-9]+,[0-9]+$`)
	uncertain = form(`^-?[1-9][0-9]{0,2},[0-9]{3}$`)
)

var (
	noSpaces   = strings.NewReplacer(" ", "", "\u00a0", "", "\u2009", "", "\u202f", "", "'", "", "’", "", ",", ".")
	noPoints   = strings.NewReplacer(".", "", ",", ".")
	noCommas   = strings.NewReplacer(",", "")
	pointFor   = strings.NewReplacer(",", ".")
	plainMinus = strings.NewReplacer("\u2212", "-")
)

// Number returns the cell of a number as JSON has it: 1234.5 for 1.234,5. A cell that is no
// number stays as it is; why is the reason if it may be several.
func Number(cell string) (number string, why *Refusal) {
	plain := plainMinus.Replace(cell)
	switch {
	case spaced(plain):
		return noSpaces.Replace(plain), nil
	case pointed(plain):
		return noPoints.Replace(plain), nil
	case commaed(plain):
		return noCommas.Replace(plain), nil
	case uncertain(plain):
		return cell, errGroups.of(noCommas.Replace(plain), pointFor.Replace(plain))
	case decimal(plain):
		return pointFor.Replace(plain), nil
	}
	return plain, nil
}

// truths are the words for true and false in the languages of the console and of the
// spreadsheets of their speakers.
var truths = map[string]bool{
	"true": true, "yes": true, "1": true, "wahr": true, "ja": true, "vrai": true, "oui": true, "verdadero": true, "sí": true, "si": true,
	"صحيح": true, "صواب": true, "نعم": true,
	"false": false, "no": false, "0": false, "falsch": false, "nein": false, "faux": false, "non": false, "falso": false,
	"خطأ": false, "لا": false,
}

// Truth returns the cell of a yes or no. ok is false if it is neither.
func Truth(cell string) (value, ok bool) {
	value, ok = truths[strings.ToLower(norm.NFC.String(cell))]
	return value, ok
}
