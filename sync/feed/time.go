package feed

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	"tcode/offline"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/sync/transport"
)

// ErrNoProof means that a correct answer proves nothing: the machine was
// restarted in between, or has no boot-time clock.
var ErrNoProof = errors.New("no boot-time clock to keep a proof of time with")

// tell asks for a proof of time after the documents, because they may bring a
// new online key. failed is the error of fetching them; tell asks nothing if
// the gateway was not reached.
func (r *run) tell(ctx context.Context, failed error) {
	if r.cfg.Boot == nil || transport.Unanswered(failed) || ctx.Err() != nil {
		return
	}
	if err := r.prove(ctx); err != nil {
		r.report.ProofErr = fmt.Errorf("proof of time: %w", err)
	}
}

func (r *run) prove(ctx context.Context) error {
	snapshot, err := r.cfg.Book.Snapshot(ctx)
	if err != nil {
		return err
	}
	state := snapshot.State()
	if state == nil {
		return trustbook.ErrNotEnrolled
	}
	var nonce [32]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return err
	}
	asked := r.cfg.Boot()
	if last := snapshot.Proof().Boot; last.ID != "" && last.ID == asked.ID && asked.At >= last.At && asked.At-last.At < r.cfg.ProofEvery {
		return nil
	}
	raw, err := r.get(ctx, "time?nonce="+hex.EncodeToString(nonce[:]), trust.MaxTimeNoteLen)
	if err != nil {
		return err
	}
	note, err := trust.ParseTimeNote(state.Fingerprint, state.Root.Online, nonce, raw)
	if err != nil {
		return err
	}
	proof, ok := offline.NewProof(asked, r.cfg.Boot(), note.Time, trust.TimeNoteUnit)
	if !ok {
		return ErrNoProof
	}
	if r.report.Corrected, err = r.cfg.Book.Prove(ctx, state.Root.Online, proof); err != nil {
		return err
	}
	r.report.Proof = proof
	return nil
}
