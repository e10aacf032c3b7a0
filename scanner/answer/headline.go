package answer

import (
	"tcode/offline"
	"tcode/offline/binding"
)

// A Tone says what to do with a document: outline and colour of its answer.
type Tone string

// The tones.
const (
	Accept  Tone = "accept"
	Look    Tone = "look" // before accepting it
	Refuse  Tone = "refuse"
	Unknown Tone = "unknown" // there is no answer
	None    Tone = "none"    // there is nothing to answer about
)

// A Headline begins a verdict on paper and screen: a mark, a word and a tone that
// mean the same.
type Headline struct {
	Code string // for programs and translations
	Mark string // one character
	Word string // in English, without STALE
	Tone Tone
}

// The headlines.
var (
	headValid      = Headline{"valid", "✓", "VALID", Accept}
	headStale      = Headline{"stale", "!", "VALID, BUT STALE", Look}
	headCompare    = Headline{"compare", "≈", "GENUINE STAMP, COMPARE", Look}
	headContents   = Headline{"contents", "!", "VALID, BUT CHECK CONTENTS", Look}
	headRestamped  = Headline{"restamped", "!", "VALID, BUT STAMPED AGAIN", Look}
	headAdded      = Headline{"added", "!", "VALID, BUT ADDED TO", Look}
	headNotGenuine = Headline{"not_genuine", "✗", "NOT GENUINE", Refuse}
	headRevoked    = Headline{"revoked", "✗", "REVOKED", Refuse}
	headReplaced   = Headline{"replaced", "✗", "REPLACED", Refuse}
	headSuspended  = Headline{"suspended", "✗", "SUSPENDED", Refuse}
	headExpired    = Headline{"expired", "✗", "EXPIRED", Refuse}
	headUnverified = Headline{"unverified", "?", "UNVERIFIED", Unknown}
	headNoTCode    = Headline{"no_tcode", "–", "NO TCODE", None}
)

// Headline returns the headline of f. The tone Accept is for one case only: valid,
// fresh, and the very file that was stamped, which every viewer shows alike.
// Age never hides a problem of the binding, nor the other way round.
func (f Finding) Headline() Headline {
	if !f.Found() {
		return headNoTCode
	}
	switch f.Result.Verdict {
	case offline.Valid:
		return f.headlineOfValid()
	case offline.Revoked:
		if f.Result.Replaced {
			return headReplaced
		}
		return headRevoked
	case offline.Expired:
		return headExpired
	case offline.Suspended:
		return headSuspended
	case offline.NotFound:
		return headNotGenuine
	}
	return headUnverified
}

func (f Finding) headlineOfValid() Headline {
	switch r := f.Result; {
	case f.Settled() && r.Stale:
		return headStale
	case f.Settled():
		return headValid
	case r.Binding == binding.Match:
		return headContents
	case f.Restamped:
		return headRestamped
	case r.Binding == binding.Appended:
		return headAdded
	}
	return headCompare
}

// Words returns the headline's word, with STALE if the status is too old for f
// and the word does not say it.
func (f Finding) Words() string {
	h := f.Headline()
	if f.Found() && f.Result.Verdict == offline.Valid && f.Result.Stale && h != headStale {
		return h.Word + ", STALE"
	}
	return h.Word
}
