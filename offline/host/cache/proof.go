package cache

import (
	"context"
	"crypto/sha256"
	"database/sql"
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
// that it contradicts ([trust.State.Proved]), in one transaction. The caller has
// verified the proof with the online key by. If the trust state names another
// key by now, because another process has accepted a new root, the error is
// [ErrOldKey]. On a device that is not enrolled it is [ErrNotEnrolled].
func (c *Cache) Prove(ctx context.Context, by trust.VerifierKey, p offline.Proof) (Correction, error) {
	var done Correction
	err := c.db.Write(ctx, func(tx *sql.Tx) (err error) {
		state, err := load(ctx, tx)
		if err == nil && state != nil && state.Root.Online != by {
			err = ErrOldKey
		}
		if err != nil {
			return err
		}
		if done, err = correct(ctx, tx, state, p.Time); err != nil {
			return err
		}
		held, err := readProof(ctx, tx)
		if err != nil || held.Boot.ID == p.Boot.ID && held.Boot.At >= p.Boot.At {
			return err // another process has stored a later one
		}
		return errors.Join(setFact(ctx, tx, "proof", proofText(p)), bump(ctx, tx))
	})
	if err != nil {
		return Correction{}, fmt.Errorf("keep proof of time: %w", err)
	}
	return done, nil
}

// Confirm lowers the dates that contradict the time at, which an operator has
// confirmed. It proves nothing. A proof of a later time prevails ([ErrBelowProof]);
// with despite, Confirm lowers that proof to a floor at the time at.
func (c *Cache) Confirm(ctx context.Context, at time.Time, despite bool) (Correction, error) {
	var done Correction
	err := c.db.Write(ctx, func(tx *sql.Tx) error {
		held, err := readProof(ctx, tx)
		if err != nil {
			return err
		}
		if held.Time.After(at.Add(trust.ClockTolerance)) {
			if !despite {
				return fmt.Errorf("%w: %s", ErrBelowProof, held.Time.UTC().Format(time.RFC3339))
			}
			// It belongs to no start of the machine, so it is never live.
			if err := setFact(ctx, tx, "proof", proofText(offline.Proof{Time: at})); err != nil {
				return err
			}
		}
		state, err := load(ctx, tx)
		if err != nil {
			return err
		}
		if done, err = correct(ctx, tx, state, at); err != nil {
			return err
		}
		return bump(ctx, tx)
	})
	if err != nil {
		return Correction{}, fmt.Errorf("confirm the clock: %w", err)
	}
	return done, nil
}

// correct lowers the stored floor and marks the stored timestamp of held.
func correct(ctx context.Context, tx *sql.Tx, held *trust.State, now time.Time) (Correction, error) {
	var done Correction
	if held == nil {
		return done, ErrNotEnrolled
	}
	next, lowered := held.Proved(now)
	if !lowered {
		return done, nil
	}
	if !next.Floor.Equal(held.Floor) {
		done.Floor = held.Floor
		if err := setFact(ctx, tx, "floor", next.Floor.Unix()); err != nil {
			return done, err
		}
	}
	if next.Ahead != held.Ahead {
		done.Version = next.Ahead
		if err := setFact(ctx, tx, "ahead", int64(next.Ahead)); err != nil {
			return done, err
		}
	}
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

// readProof reads the last proof. A damaged one counts as none: the device's
// clock and the floors of documents and scans remain.
func readProof(ctx context.Context, q querier) (offline.Proof, error) {
	stored, ok, err := fact[string](ctx, q, "proof")
	if err != nil || !ok {
		return offline.Proof{}, err
	}
	cut := strings.LastIndexByte(stored, ' ')
	if cut < 0 || proofSum(stored[:cut]) != stored[cut+1:] {
		return offline.Proof{}, nil
	}
	words := strings.Split(stored[:cut], " ")
	if len(words) != 3 {
		return offline.Proof{}, nil
	}
	at, err1 := strconv.ParseInt(words[0], 10, 64)
	boot, err2 := strconv.ParseInt(words[1], 10, 64)
	id, err3 := hex.DecodeString(words[2])
	if err := errors.Join(err1, err2, err3); err != nil {
		return offline.Proof{}, nil //nolint:nilerr // as damaged as one without its checksum
	}
	return offline.Proof{Time: time.Unix(0, at).UTC(), Boot: offline.Boot{ID: string(id), At: time.Duration(boot)}}, nil
}
