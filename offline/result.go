package offline

import (
	"time"

	"tcode/offline/binding"
	"tcode/offline/digest"
	"tcode/offline/payload"
)

// A Verdict is the answer about one stamp. The words are frozen.
type Verdict string

// The verdicts in order of precedence: the first that applies counts.
const (
	NotFound   Verdict = "not_found"  // forged, altered, or on another document
	Revoked    Verdict = "revoked"    // genuine, but permanently revoked or replaced
	Expired    Verdict = "expired"    // genuine, past its signed expiry
	Suspended  Verdict = "suspended"  // genuine, but not to be relied on now
	Unverified Verdict = "unverified" // this device cannot decide now
	Valid      Verdict = "valid"      // genuine, and not revoked as of StatusAsOf
)

// An Assurance says on which evidence a verdict rests.
type Assurance string

// The assurances.
const (
	AssuranceNone      Assurance = "none"
	AssuranceSignature Assurance = "signature_only"
	AssuranceStatus    Assurance = "signature_and_status"
)

// A Named is a code with its name in the trust state. A name may hold any
// UTF-8: [trust.Escape] it before a terminal shows it.
type Named struct {
	Code string `json:"code"`
	Name string `json:"name,omitempty"` // empty if not known or not proven
}

// A Field is one signed fact.
type Field struct {
	Key   string `json:"key"`
	Label string `json:"label,omitempty"` // of the document type, in the policy's language
	Value string `json:"value"`           // may hold any UTF-8, controls too
}

// A Result is the answer about one payload. Its JSON members and their order
// are those of `tcode-scan verify --json` from verdict to reason; unknown
// members are left out. Times are UTC with whole seconds.
type Result struct {
	Verdict      Verdict       `json:"verdict"`
	Assurance    Assurance     `json:"assurance"`
	Stale        bool          `json:"stale"`               // the trust state is not fresh, or its age is unknown
	ClockSuspect bool          `json:"clockSuspect"`        // the device's clock contradicts what is known
	Basis        Basis         `json:"basis"`               // where the time comes from: proven or device_clock
	Test         bool          `json:"test"`                // a test document, whatever the verdict
	Plain        bool          `json:"plain"`               // the flag plain of the payload (payload.Payload); false unless authentic
	StatusAsOf   time.Time     `json:"statusAsOf,omitzero"` // trust.Timestamp.StatusAsOf
	TrustVersion uint64        `json:"trustVersion"`        // its version, 0 without a trust state
	Reference    string        `json:"reference,omitempty"`
	Replaced     bool          `json:"replaced"`            // revoked because another stamp replaces it
	ExpiresAt    time.Time     `json:"expiresAt,omitzero"`  // signed
	ExpiresOn    string        `json:"expiresOn,omitempty"` // the last day before ExpiresAt, in UTC
	Issuer       Named         `json:"issuer,omitzero"`
	DocumentType Named         `json:"documentType,omitzero"`
	IssuedAt     time.Time     `json:"issuedAt,omitzero"`
	Fields       []Field       `json:"fields,omitempty"` // only if the signature verified
	Binding      binding.State `json:"binding"`
	Checks       []Check       `json:"checks"`
	Reason       string        `json:"reason"` // one line for the operator, not frozen

	// Payload is the parsed payload; zero if it did not parse. It is proven
	// only if the check signature passed.
	Payload payload.Payload `json:"-"`
	// Now is the time that the verdict uses, proven if Basis says so.
	Now time.Time `json:"-"`
	// CoreHash is the SHA-256 of the payload's core, the key of remembered
	// revocations. It is zero if the payload did not parse.
	CoreHash digest.SHA256 `json:"-"`
	// Remember tells the caller to remember CoreHash as revoked permanently on this
	// device, whatever later status documents say.
	Remember bool `json:"-"`
}

// Authentic reports whether the signature verified. Only then do issuer, type,
// dates and fields mean anything.
func (r Result) Authentic() bool {
	c, _ := FindCheck(r.Checks, CheckSignature)
	return c.Status == Pass
}

// ExitValid reports whether the document counts as valid for the exit code of
// `verify`: valid and bound to this very file, or valid and read from paper as
// the operator says, because paper has no file to bind to. Stale counts unless
// requireFresh.
func (r Result) ExitValid(paper, requireFresh bool) bool {
	if r.Verdict != Valid || requireFresh && r.Stale {
		return false
	}
	switch r.Binding {
	case binding.Match:
		return true
	case binding.NotChecked:
		return paper
	}
	return false // bytes follow the stamped file: the verdict is not about all of it
}
