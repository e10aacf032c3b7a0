package trustdoc

import (
	"slices"
	"time"

	"tcode/server/fault"
	"tcode/server/issue/field"
	"tcode/server/issue/stamp"
)

// latestExpiry bounds expiresAt: payloads count seconds in 32 bits, until 2156.
var latestExpiry = time.Date(2150, 1, 1, 0, 0, 0, 0, time.UTC)

// validate names all that is wrong with r in one fault.
func (s *Service) validate(r Issuance) error {
	var p fault.Fields
	p.Text("recipientName", r.RecipientName, true, MaxRecipientName)
	p.Text("documentTitle", r.Title, r.Title != "", MaxTitle)
	p.Text("externalId", r.ExternalID, r.ExternalID != "", MaxExternalID)
	if r.RecipientEmail != "" && !field.IsEmail(r.RecipientEmail) {
		p.Add("recipientEmail", "must be an e-mail address such as name@example.org")
	}
	if len(r.Fields) > MaxFields {
		p.Add("fields", "must have at most %d items", MaxFields)
	}
	if r.ModeType != "" && r.ModeType != stamp.ModeStandard && r.ModeType != stamp.ModeTest {
		p.Add("modeType", "must be %s or %s", stamp.ModeStandard, stamp.ModeTest)
	}
	if r.Path != "" && !slices.Contains(Paths(), r.Path) {
		p.Add("issuancePath", "must be digital, tcode or both")
	}
	switch {
	case r.GeneratePDF && r.PDF.Size() > 0:
		p.Add("generatePdf", "must be left out with pdf")
	case r.GeneratePDF && r.Path == PathDigital:
		p.Add("issuancePath", "must be tcode or both with generatePdf")
	case r.Path.Stamps() && r.PDF.Size() == 0 && !r.GeneratePDF:
		p.Add("pdf", "is needed for the issuancePath %s, or generatePdf", r.Path)
	}
	if !r.ExpiresAt.IsZero() && (!ends(r.ExpiresAt, s.now()) || !r.ExpiresAt.Before(latestExpiry)) {
		p.Add("expiresAt", wantExpiry, latestExpiry.Year())
	}
	if err := p.Err(); err != nil {
		return stamp.NotPDF(err, r.PDF)
	}
	if r.PDF.Size() > int64(s.c.MaxPDF) {
		return fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "the file has %d bytes, at most %d are taken", r.PDF.Size(), s.c.MaxPDF).
			WithField("pdf", "must be at most %d bytes", s.c.MaxPDF)
	}
	return nil
}

const wantExpiry = "must be in the future, and before %d"

// ends reports whether the signed times of a document that is issued now differ:
// it ends a second later at least.
func ends(expires, now time.Time) bool {
	return expires.Truncate(time.Second).After(now.Truncate(time.Second))
}

// errOver is the fault of a document whose time was over before it was issued:
// it had to wait for its turn.
func errOver() error {
	var p fault.Fields
	p.Add("expiresAt", wantExpiry, latestExpiry.Year())
	return p.Err()
}

// ExpiryOf returns a time that a client names as [Issuance.ExpiresAt]. The zero
// value there means never; the same moment named by a client, as some do that
// have nothing to say, is a time that is over.
func ExpiryOf(t time.Time) time.Time {
	if t.IsZero() {
		return t.Add(time.Nanosecond)
	}
	return t
}

// A Validity says how long documents are good for, as people say it: values of
// validityType, validityValue and validityUnit.
type Validity struct {
	Type  string // "", None, Until or Duration
	Value int    // of a Duration, 1 or more
	Unit  string // of a Duration: days, months or years
	Until time.Time
}

// The types of validity.
const (
	ValidityNone     = "None"
	ValidityUntil    = "Until"
	ValidityDuration = "Duration"
)

// maxValidity bounds a Duration in any unit.
const maxValidity = 36_500

// Expiry returns when a document issued now ends, in whole seconds; zero is
// never. A month that lacks the day ends on its last one. The fault is
// VALIDATION_FAILED.
func (v Validity) Expiry(now time.Time) (time.Time, error) {
	var p fault.Fields
	now = now.UTC().Truncate(time.Second)
	out := time.Time{}
	switch v.Type {
	case "", ValidityNone:
	case ValidityUntil:
		if out = v.Until.UTC().Truncate(time.Second); !out.After(now) {
			p.Add("validityValue", "must be a time in the future")
		}
	case ValidityDuration:
		if v.Value < 1 || v.Value > maxValidity {
			p.Add("validityValue", "must be 1 to %d", maxValidity)
		}
		switch v.Unit {
		case "days":
			out = now.AddDate(0, 0, v.Value)
		case "months":
			out = addMonths(now, v.Value)
		case "years":
			out = addMonths(now, 12*v.Value)
		default:
			p.Add("validityUnit", "must be days, months or years")
		}
	default:
		p.Add("validityType", "must be %s, %s or %s", ValidityNone, ValidityUntil, ValidityDuration)
	}
	if err := p.Err(); err != nil {
		return time.Time{}, err
	}
	if !out.IsZero() && !out.Before(latestExpiry) {
		p.Add("validityValue", "must end before %d", latestExpiry.Year())
	}
	return out, p.Err()
}

// addMonths is t months later, on the same day or the last one of the month.
func addMonths(t time.Time, months int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(months), 1, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}
