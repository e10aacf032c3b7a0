package offline

import (
	"time"

	"tcode/offline/trust"
)

// A ClockVector is one situation of the clock rules with its answer, as the
// files of testdata/vectors/clock hold it in JSON. It gives only the dates of
// the trust state.
type ClockVector struct {
	Comment string `json:"comment"`

	// StatusAsOf and Expires are the timestamp document's. Without StatusAsOf the
	// device holds no trust state.
	StatusAsOf time.Time `json:"issued,omitzero"`
	Expires    time.Time `json:"expires,omitzero"`
	// SetExpires is the earliest expiry of root, bundle and status.
	SetExpires time.Time `json:"setExpires,omitzero"`
	Floor      time.Time `json:"floor,omitzero"` // if later than StatusAsOf
	Ahead      bool      `json:"ahead,omitempty"`

	Now        time.Time   `json:"now"`
	NewestScan time.Time   `json:"newestScan,omitzero"`
	Boot       VectorBoot  `json:"boot,omitzero"`
	Proof      VectorProof `json:"proof,omitzero"`

	Want ClockAnswer `json:"want"`
}

// A ClockAnswer is the answer to a vector.
type ClockAnswer struct {
	Basis   Basis     `json:"basis"`
	Reading Reading   `json:"reading"`
	Suspect bool      `json:"suspect"`
	Now     time.Time `json:"now"`
	// AgeSeconds is null if the age is unknown.
	AgeSeconds *int64 `json:"ageSeconds"`
	Stale      bool   `json:"stale"`
	Expired    bool   `json:"expired"`
}

// ParseClockVector reads a vector file, strictly as [ParseVector] does.
func ParseClockVector(raw []byte) (ClockVector, error) { return parseVector[ClockVector](raw) }

// Run computes the time in the vector's situation.
func (v ClockVector) Run() ClockAnswer {
	t := TimingOf(Clock{Now: v.Now, NewestScan: v.NewestScan, Boot: v.Boot.boot(), Proof: v.Proof.proof()}, v.state(), Policy{})
	a := ClockAnswer{Basis: t.Basis, Reading: t.Reading, Suspect: t.Suspect, Now: t.Now, Stale: t.Stale, Expired: t.Expired}
	if t.Known {
		seconds := int64(t.Age / time.Second)
		a.AgeSeconds = &seconds
	}
	return a
}

func (v ClockVector) state() *trust.State {
	if v.StatusAsOf.IsZero() {
		return nil
	}
	s := &trust.State{
		Root: trust.Root{Expires: v.SetExpires}, Bundle: &trust.Bundle{Expires: v.SetExpires}, Status: &trust.Status{Expires: v.SetExpires},
		Timestamp: &trust.Timestamp{Version: 1, StatusAsOf: v.StatusAsOf, Expires: v.Expires},
		Floor:     v.Floor,
	}
	if v.Ahead {
		s.Ahead = 1
	} else if s.Floor.Before(v.StatusAsOf) {
		s.Floor = v.StatusAsOf
	}
	return s
}
