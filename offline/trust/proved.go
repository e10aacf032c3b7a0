package trust

import "time"

// ClockTolerance is how far two clocks that both count as right may differ: an
// issuer's from a device's, one gateway's from another's.
const ClockTolerance = 10 * time.Minute

// Proved returns s after a proof that it is now. A floor that the proof
// contradicts becomes the time of the proof, and timestamps up to the held one
// are marked if that is dated ahead. lowered reports whether anything changed.
// The same holds for a time that an operator vouches for, instead of a proof.
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

// Dated reports whether the date of the held timestamp says when it was issued:
// no proof has shown that a clock ran ahead then. False without a timestamp.
func (s *State) Dated() bool { return s != nil && s.Timestamp != nil && s.Timestamp.Version > s.Ahead }
