package offline

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tcode/offline/binding"
	"tcode/offline/dates"
	"tcode/offline/trust"
)

// translate returns a text in the policy's language, otherwise in a shorter tag
// of it, otherwise in English, otherwise the first in the order of tags.
func (v *Verifier) translate(texts map[string]string) string {
	for tag := v.policy.Language; tag != ""; {
		if text, ok := texts[tag]; ok {
			return text
		}
		cut := strings.LastIndexByte(tag, '-')
		tag = tag[:max(cut, 0)]
	}
	if text, ok := texts["en"]; ok {
		return text
	}
	for _, tag := range slices.Sorted(maps.Keys(texts)) {
		return texts[tag]
	}
	return ""
}

// reason returns one line with the answer and the next step. It escapes all
// text from outside.
func (j *judgement) reason(r Result) string {
	switch r.Verdict {
	case NotFound:
		return j.notFound(r)
	case Revoked:
		return j.revoked(r)
	case Expired:
		return fmt.Sprintf("Expired: was valid until %s. A genuine %s.", dates.LastDay(r.ExpiresAt), what(r))
	case Suspended:
		if code(r.Checks, CheckStatusEntry) == CodeSuspended {
			return fmt.Sprintf("Suspended by its issuer as of %s: a genuine %s. Do not rely on it now; ask the issuer.", dates.Moment(r.StatusAsOf), what(r))
		}
		return fmt.Sprintf("Its issuer is suspended as of %s: a genuine %s. Do not rely on it now.", dates.Moment(r.StatusAsOf), what(r))
	case Valid:
		return j.valid(r)
	}
	if r.Assurance == AssuranceNone {
		return j.unknownIssuer(r)
	}
	return "Genuine signature (" + what(r) + "), " + j.undecided(r)
}

func (j *judgement) notFound(r Result) string {
	switch c := decisive(r.Checks); c.Code {
	case CodeNotTCode:
		return "Not a TCode: the symbol holds something else."
	case CodeVersionUnknown, CodeAlgorithmUnknown:
		return "Not a TCode that this program knows (" + c.Detail + "): update the program, or check online."
	case CodeAlgorithmMismatch, CodeSignatureInvalid:
		return fmt.Sprintf("Forged or altered: the signature is not that of issuer %s. Do not accept it.", r.Issuer.Code)
	case CodeIssuedBeforeKey, CodeIssuedAfterKey:
		return fmt.Sprintf("Forged: dated %s, when the key of issuer %s that it names was not in use (%s). Do not accept it.", dates.Moment(r.IssuedAt), r.Issuer.Code, c.Detail)
	case CodeBindingMismatch:
		if r.Authentic() {
			return fmt.Sprintf("Not genuine: the stamp is real (%s), but this file is not the one it was put on, or was changed since. Do not accept it.", what(r))
		}
		return "Not genuine: the stamp does not belong to this file, or the file was changed since. Do not accept it."
	default:
		return "Not a TCode: the symbol's content is damaged or made up (" + c.Detail + "). Scan again; if it stays so, do not accept it."
	}
}

// decisive returns the check that made the verdict not_found, the gravest first.
func decisive(checks []Check) Check {
	for _, name := range []string{CheckDecode, CheckHeader, CheckSignature, CheckKeyWindow, CheckBinding} {
		if c, _ := FindCheck(checks, name); c.Status == Fail {
			return c
		}
	}
	return Check{}
}

func (j *judgement) unknownIssuer(r Result) string {
	if j.state == nil {
		return "Cannot be checked: this device has no trust documents yet. Refresh or import them, then scan again."
	}
	subject := "issuer " + r.Issuer.Code + " is"
	if code(r.Checks, CheckKeyKnown) == CodeKeyUnknown {
		subject = fmt.Sprintf("key %d of issuer %s is", j.p.KeySeq, r.Issuer.Code)
	}
	return fmt.Sprintf("Cannot be checked: %s not in this device's trust documents of %s. Refresh them, then scan again.", subject, dates.Moment(r.StatusAsOf))
}

func (j *judgement) revoked(r Result) string {
	switch {
	case r.Replaced:
		return fmt.Sprintf("Replaced: the issuer put another document in the place of this %s. Ask for the new one.", what(r))
	case r.Remember && code(r.Checks, CheckNotExpired) == CodeDocumentExpired:
		return fmt.Sprintf("Revoked as of %s; it was valid until %s. A genuine %s. Do not accept it.", dates.Moment(r.StatusAsOf), dates.LastDay(r.ExpiresAt), what(r))
	case r.Remember:
		return fmt.Sprintf("Revoked by its issuer as of %s: a genuine %s. Do not accept it.", dates.Moment(r.StatusAsOf), what(r))
	}
	return fmt.Sprintf("Revoked by its issuer, as this device has seen before: a genuine %s. Do not accept it.", what(r))
}

// undecided says why a good signature is not enough. The clock comes first,
// because a wrong clock makes the other answers unreliable.
func (j *judgement) undecided(r Result) string {
	asOf := dates.Moment(r.StatusAsOf)
	switch {
	case code(r.Checks, CheckFreshness) == CodeClockSuspect:
		return fmt.Sprintf("status unknown since %s: this device's clock is behind what it has already seen. Refresh from the gateway, which proves the time, or set the clock, then scan again.", asOf)
	case code(r.Checks, CheckFreshness) == CodeStatusAhead:
		return fmt.Sprintf("status unknown: the trust documents were dated %s by a clock that ran ahead, so nobody knows how old they are. Refresh them, then scan again.", asOf)
	case code(r.Checks, CheckKeyNotCompromised) == CodeKeyCompromised:
		return fmt.Sprintf("but the key is known to others since %s and the issuer does not vouch for this stamp. Ask the issuer.", dates.Moment(j.key.CompromisedSince))
	case code(r.Checks, CheckKeyNotCompromised) == CodeCompromisedRemembered:
		return "but the key is known to others, as this device has seen before. Ask the issuer."
	case code(r.Checks, CheckKeyNotCompromised) == CodeSurvivorsMissing:
		return fmt.Sprintf("but the key is known to others since %s and the list of stamps the issuer vouches for is not on this device. Refresh, then scan again.", dates.Moment(j.key.CompromisedSince))
	case code(r.Checks, CheckIssuedNotInFuture) == CodeIssuedInFuture:
		return fmt.Sprintf("but it is dated %s and this device's clock says %s. Check the clock, then scan again.", dates.Moment(r.IssuedAt), dates.Moment(j.time.Now))
	case code(r.Checks, CheckNotTest) == CodeTestDocument:
		return "but it is a test document and means nothing."
	case j.time.Expired:
		return fmt.Sprintf("status unknown since %s: the trust documents of %s are too old. Refresh them, then scan again.", dates.Moment(unknownSince(j.state, j.policy)), asOf)
	}
	return fmt.Sprintf("status unknown since %s: its part of the status list is not on this device, or is damaged. Refresh, then scan again.", asOf)
}

func (j *judgement) valid(r Result) string {
	var b strings.Builder
	switch r.Binding {
	case binding.Match:
		fmt.Fprintf(&b, "Genuine and unchanged: %s.", what(r))
	case binding.Appended:
		c, _ := FindCheck(r.Checks, CheckBinding)
		fmt.Fprintf(&b, "Genuine %s, but something was added to the file after it was stamped", what(r))
		if c.Detail != "" {
			fmt.Fprintf(&b, " (%s)", c.Detail)
		}
		b.WriteString(": look at what was added.")
	default:
		fmt.Fprintf(&b, "Genuine stamp: compare the document with %s", what(r))
		for _, f := range r.Fields {
			label := f.Label
			if label == "" {
				label = f.Key
			}
			fmt.Fprintf(&b, "; %s: %s", trust.Escape(label), trust.Escape(f.Value))
		}
		b.WriteByte('.')
	}
	fmt.Fprintf(&b, " Not revoked as of %s", dates.Moment(r.StatusAsOf))
	switch {
	case r.Stale:
		fmt.Fprintf(&b, ", %s ago: refresh soon.", span(j.time.Age))
	case code(r.Checks, CheckStatusPredatesStamp) == CodeStatusPredates:
		b.WriteString(". The stamp is newer than this status; for a later one run \"tcode-scan trust refresh\".")
	default:
		b.WriteByte('.')
	}
	if r.Test {
		b.WriteString(" A test document, accepted because tests are asked for.")
	}
	return b.String()
}

// what describes a document with a good signature by type, issuer and date.
func what(r Result) string {
	kind, issuer := r.DocumentType.Code, r.Issuer.Code
	if r.DocumentType.Name != "" {
		kind = trust.Escape(r.DocumentType.Name) + " (" + kind + ")"
	}
	if r.Issuer.Name != "" {
		issuer = trust.Escape(r.Issuer.Name) + " (" + issuer + ")"
	}
	return fmt.Sprintf("%s by %s, issued %s", kind, issuer, r.IssuedAt.Format(time.DateOnly))
}

// span writes a duration with its two largest units.
func span(d time.Duration) string {
	unit := func(n time.Duration, name string) string {
		if n == 1 {
			return "1 " + name
		}
		return fmt.Sprintf("%d %ss", n, name)
	}
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < time.Hour:
		return unit(d/time.Minute, "minute")
	case d < 48*time.Hour:
		return unit(d/time.Hour, "hour")
	}
	return unit(d/(24*time.Hour), "day") + " and " + unit(d%(24*time.Hour)/time.Hour, "hour")
}
