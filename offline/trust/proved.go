package trust

import "time"

// ClockTolerance is the greatest difference of two clocks that both count as right: an
// issuer's and a device's, or those of two gateways.
const ClockTolerance = 10 * time.Minute

// Proved returns s after a proof of the time now. A floor that the proof
// contradicts becomes the time of the proof, and if the held timestamp is dated
// ahead, timestamps up to it are marked. lowered reports whether anything
// changed. Proved also serves for a time that an operator confirms.
func (s State) Proved(now time.Time) (next State, lowered bool) {
	most := now.Add(ClockTolerance)
	if s.Floor.After(most) {
		s.Floor, lowered = now, true
	}
	if s.Timestamp != nil && s.Dated() && s.Timestamp.StatusAsOf.After(most) {
		s.Ahead, lowered = s.Timestamp.Version, true
	}
	return s, lowered
}

// Dated reports whether the date of the held timestamp is reliable: no proof has
// shown that it was dated by a clock that ran ahead. It is false without a timestamp.
func (s *State) Dated() bool { return s != nil && s.Timestamp != nil && s.Timestamp.Version > s.Ahead }
