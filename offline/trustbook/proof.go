package trustbook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
)

var (
	// ErrBelowProof means that the time of an operator is earlier than one that
	// the gateway has proven.
	ErrBelowProof = errors.New("the gateway has proven a later time to this device")
	// ErrOldKey means that the online key that signed a proof of time is not
	// the key of the newest root.
	ErrOldKey = errors.New("a new trust root has replaced the key that has signed the time")
)

// A Correction says which dates a proof of time, or an operator, has lowered.
type Correction struct {
	// Floor is the earlier floor of the documents; zero: it was not lowered.
	Floor time.Time
	// Version is that of the timestamp document now marked as dated by a clock
	// that ran ahead; 0: none.
	Version uint64
}

// Prove stores a proof of time in place of the last one and lowers the dates
// that it contradicts ([trust.State.Proved]), in one commit. The caller has
// verified the proof with the online key by. If the trust state names another
// key by now, because another process has accepted a new root, the error is
// [ErrOldKey]. On a device that is not enrolled it is [ErrNotEnrolled].
func (b *Book) Prove(ctx context.Context, by trust.VerifierKey, p offline.Proof) (Correction, error) {
	var done Correction
	err := b.update(ctx, func(e *edit) (err error) {
		if e.state != nil && e.state.Root.Online != by {
			return ErrOldKey
		}
		if done, err = e.correct(p.Time); err != nil {
			return err
		}
		if held := parseProof(e.Facts.Proof); held.Boot.ID != p.Boot.ID || held.Boot.At < p.Boot.At { // else another process has stored a later one
			e.Facts.Proof = proofText(p)
			e.Facts.Generation++
		}
		return nil
	})
	if err != nil {
		return Correction{}, fmt.Errorf("keep proof of time: %w", err)
	}
	return done, nil
}

// Confirm lowers the dates that contradict the time at, which an operator has
// confirmed. It proves nothing. A proof of a later time prevails ([ErrBelowProof]);
// with despite, Confirm lowers that proof to a floor at the time at.
func (b *Book) Confirm(ctx context.Context, at time.Time, despite bool) (Correction, error) {
	var done Correction
	err := b.update(ctx, func(e *edit) (err error) {
		if held := parseProof(e.Facts.Proof); held.Time.After(at.Add(trust.ClockTolerance)) {
			if !despite {
				return fmt.Errorf("%w: %s", ErrBelowProof, held.Time.UTC().Format(time.RFC3339))
			}
			// It belongs to no start of the machine, so it is never live.
			e.Facts.Proof = proofText(offline.Proof{Time: at})
		}
		e.Facts.Generation++
		done, err = e.correct(at)
		return err
	})
	if err != nil {
		return Correction{}, fmt.Errorf("confirm the clock: %w", err)
	}
	return done, nil
}

// correct lowers the floor and marks the timestamp of the state.
func (e *edit) correct(now time.Time) (Correction, error) {
	var done Correction
	if e.state == nil {
		return done, ErrNotEnrolled
	}
	next, lowered := e.state.Proved(now)
	if !lowered {
		return done, nil
	}
	if !next.Floor.Equal(e.state.Floor) {
		done.Floor, e.Facts.Floor = e.state.Floor, seconds(next.Floor)
	}
	if next.Ahead != e.state.Ahead {
		done.Version, e.Facts.Ahead = next.Ahead, next.Ahead
	}
	e.state = &next
	e.Facts.Generation++
	return done, nil
}

// proofText writes a proof with a checksum, so that a flipped bit cannot give
// another time.
func proofText(p offline.Proof) string {
	text := fmt.Sprintf("%d %d %s", p.Time.UnixNano(), int64(p.Boot.At), hex.EncodeToString([]byte(p.Boot.ID)))
	return text + " " + proofSum(text)
}

func proofSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// parseProof reads the last proof. A damaged one counts as none: the device's
// clock and the floors of documents and scans remain.
func parseProof(stored string) offline.Proof {
	cut := strings.LastIndexByte(stored, ' ')
	if cut < 0 || proofSum(stored[:cut]) != stored[cut+1:] {
		return offline.Proof{}
	}
	words := strings.Split(stored[:cut], " ")
	if len(words) != 3 {
		return offline.Proof{}
	}
	at, err1 := strconv.ParseInt(words[0], 10, 64)
	boot, err2 := strconv.ParseInt(words[1], 10, 64)
	id, err3 := hex.DecodeString(words[2])
	if errors.Join(err1, err2, err3) != nil {
		return offline.Proof{}
	}
	return offline.Proof{Time: time.Unix(0, at).UTC(), Boot: offline.Boot{ID: string(id), At: time.Duration(boot)}}
}
