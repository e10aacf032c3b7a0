package answer

import (
	"fmt"
	"time"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/dates"
	"tcode/scanner/caveat"
)

// A Screen has the words of one finding for a small screen. Facts of the payload
// are in it only with a good signature. Its JSON is described in
// scanner/web/engine/PROTOCOL.md, "Answer".
type Screen struct {
	Headline   string          `json:"headline"`
	Mark       string          `json:"mark"`
	Word       string          `json:"word"`
	Tone       Tone            `json:"tone"`
	Stale      bool            `json:"stale"`
	Advice     string          `json:"advice"`
	AdviceText string          `json:"adviceText"`
	Values     AdviceValues    `json:"adviceValues"`
	Issuer     *offline.Named  `json:"issuer"`
	Document   *offline.Named  `json:"document"`
	Reference  string          `json:"reference,omitempty"`
	IssuedAt   time.Time       `json:"issuedAt,omitzero"`
	ExpiresAt  time.Time       `json:"expiresAt,omitzero"`
	Fields     []offline.Field `json:"fields"`
	Compare    bool            `json:"compare"`
	File       string          `json:"file"`
	Failed     []FailedCheck   `json:"failed"`
	Cautions   []caveat.Caveat `json:"cautions"`
	Status     *StatusAge      `json:"status"`
	Suspect    bool            `json:"clockSuspect"`
	Reason     string          `json:"reason"`
}

// AdviceValues are the values in the sentence of an advice.
type AdviceValues struct {
	Issuer string    `json:"issuer,omitempty"` // name
	Code   string    `json:"code,omitempty"`   // of the issuer
	At     time.Time `json:"at,omitzero"`
	AgeMs  int64     `json:"ageMs,omitempty"`
}

// A FailedCheck is a check that failed.
type FailedCheck struct {
	Check  string `json:"check"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// A StatusAge says how old the status is on which the answer rests.
type StatusAge struct {
	AsOf  time.Time     `json:"asOf"`
	AgeMs int64         `json:"ageMs"`
	Basis offline.Basis `json:"basis"`
	Old   bool          `json:"old"` // above the age up to which it is fresh
}

// Screen returns the words of f for a screen. now is the device's clock; it
// counts if the answer has no proven time.
func (f Finding) Screen(now time.Time) Screen {
	h, r := f.Headline(), f.Result
	s := Screen{
		Headline: h.Code, Mark: h.Mark, Word: f.Words(), Tone: h.Tone, Stale: r.Stale, Compare: h == headCompare,
		Fields: []offline.Field{}, Failed: []FailedCheck{}, Cautions: append([]caveat.Caveat{}, f.Caveats...), Suspect: r.ClockSuspect, Reason: r.Reason,
	}
	if !f.Found() {
		s.Reason = f.Missing.Message
	}
	if r.Authentic() {
		s.Issuer, s.Document, s.Reference, s.IssuedAt, s.ExpiresAt = &r.Issuer, &r.DocumentType, r.Reference, r.IssuedAt, r.ExpiresAt
		s.Fields = append(s.Fields, r.Fields...)
		if c, _ := offline.FindCheck(r.Checks, offline.CheckBinding); r.Binding == binding.NotChecked {
			s.File = c.Detail
		}
	}
	for _, c := range r.Checks {
		if c.Status == offline.Fail {
			s.Failed = append(s.Failed, FailedCheck{c.Name, c.Code, c.Detail})
		}
	}
	if !r.StatusAsOf.IsZero() {
		if r.Basis == offline.Proven {
			now = r.Now
		}
		s.Status = &StatusAge{r.StatusAsOf, now.Sub(r.StatusAsOf).Milliseconds(), r.Basis, r.Stale}
		s.Values.AgeMs = s.Status.AgeMs
	}
	s.advise(f)
	return s
}

// advise fills the advice: one sentence that says what to do.
func (s *Screen) advise(f Finding) {
	r := f.Result
	issuer := r.Issuer.Name
	if issuer == "" {
		issuer = r.Issuer.Code
	}
	s.Values.Code = r.Issuer.Code
	if r.Authentic() {
		s.Values.Issuer, s.Values.At = issuer, r.ExpiresAt
	}
	switch s.Headline {
	case headValid.Code:
		s.say("rely", fmt.Sprintf("This is the very file that %s stamped: you can rely on it.", issuer))
	case headStale.Code:
		s.say("refresh_first", fmt.Sprintf("Genuine and unchanged, but a revocation in the last %s would not show: refresh first.", ageWords(s.Values.AgeMs)))
	case headCompare.Code:
		s.say("compare_lines", "The stamp is real, the paper may not be: refuse it if one line below differs.")
	case headContents.Code:
		s.say("compare_copy", "It may not show everybody the same: compare what matters with the issuer's own copy.")
	case headAdded.Code, headRestamped.Code:
		s.say("look_at_added", "The stamped part is genuine: look at what was added, the issuer does not vouch for it.")
	case headNotGenuine.Code:
		if r.Authentic() || r.Binding == binding.Mismatch {
			s.say("other_file", "Do not accept it: this file is not the one that was stamped, or was changed since.")
			return
		}
		s.say("forged", "Do not accept it: the stamp was altered or forged.")
	case headRevoked.Code:
		s.say("withdrawn", "Do not accept it: its issuer has withdrawn it permanently.")
	case headReplaced.Code:
		s.say("newer", "Do not accept it: the issuer has put a newer document in its place, ask for that one.")
	case headSuspended.Code:
		s.say("suspended", "Do not rely on it now: its issuer has suspended it. Ask the issuer, or check again later.")
	case headExpired.Code:
		s.say("ended", fmt.Sprintf("Do not accept it: it ended on %s. Ask for a new one.", dates.LastDay(r.ExpiresAt)))
	case headNoTCode.Code:
		s.say("no_tcode", "Nothing in this file can be checked. That says nothing about whether it is genuine.")
	default:
		s.adviseUnverified(r)
	}
}

// adviseUnverified fills the advice of a finding without an answer.
func (s *Screen) adviseUnverified(r offline.Result) {
	known, _ := offline.FindCheck(r.Checks, offline.CheckKeyKnown)
	fresh, _ := offline.FindCheck(r.Checks, offline.CheckFreshness)
	switch {
	case r.Assurance == offline.AssuranceNone && r.TrustVersion != 0 && known.Status == offline.Fail:
		s.say("unknown_issuer", fmt.Sprintf("Cannot be checked: this phone does not know issuer %s.", r.Issuer.Code))
	case r.TrustVersion == 0, fresh.Status == offline.Fail && !r.ClockSuspect:
		s.say("too_old", "No answer yet: treat it as not verified until you have refreshed.")
	default:
		s.say("unverified", r.Reason)
	}
}

func (s *Screen) say(code, text string) { s.Advice, s.AdviceText = code, text }

// ageWords writes an age in its largest unit.
func ageWords(ms int64) string {
	unit := func(n int64, name string) string {
		if n == 1 {
			return "1 " + name
		}
		return fmt.Sprintf("%d %ss", n, name)
	}
	const minute, hour, day = 60_000, 3_600_000, 86_400_000
	switch {
	case ms < hour:
		return unit(max(ms, 0)/minute, "minute")
	case ms < 2*day:
		return unit(ms/hour, "hour")
	}
	return unit(ms/day, "day")
}
