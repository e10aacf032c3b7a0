package feed

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
)

// packPath is the path of packs with their shards, below [Path].
const packPath = "packs/"

// fewShards is the largest number of shards of one pack that are fetched one by one.
const fewShards = 16

// lookedAt is the number of held shards that one run checks for damage: 15 ms of work.
const lookedAt = 256

// newPacks adds to u the packs and shards that its status names and that the
// device does not hold:
//
//	delta ──no──▶ pack not held ──▶ the pack with its shards
//	  │          pack held ──▶ pack ──▶ at most 16 shards differ ──▶ those
//	  ▼                           └───▶ more ──▶ the pack with its shards
//	applied to the held shards
//
// A mirror without the delta, or without packs/, takes more requests.
func (r *run) newPacks(ctx context.Context, held *trustbook.Snapshot, u *trust.Update) error {
	state := held.State()
	status, err := state.OpenStatus(u.Status)
	if err != nil {
		return err
	}
	wanted := state.WantedPacks(status)
	if len(wanted) > 0 && state.Patches(status) {
		if err := r.patch(ctx, held, status, u); err != nil {
			return err
		}
	}
	for _, number := range wanted {
		if _, ok := u.Packs[number]; ok {
			continue
		}
		if err := r.newPack(ctx, state, status, number, u); err != nil {
			return err
		}
	}
	return r.repair(ctx, held, u)
}

// repair fetches shards that are damaged on this device again.
func (r *run) repair(ctx context.Context, held *trustbook.Snapshot, u *trust.Update) (err error) {
	for _, number := range held.Damaged(lookedAt) {
		if _, ok := u.Shards[number]; ok {
			continue
		}
		if u.Shards[number], err = r.shard(ctx, number, held.State().Shards[number]); err != nil {
			return err
		}
	}
	return nil
}

// patch fetches the delta and adds its result on the held shards to u.
func (r *run) patch(ctx context.Context, held *trustbook.Snapshot, status *trust.Status, u *trust.Update) error {
	delta, err := r.object(ctx, status.Delta.SHA256, trust.MaxDeltaLen)
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	patched, err := held.State().Patch(status, delta, held.Shard)
	if err != nil {
		return err
	}
	u.Packs, u.Shards = patched.Packs, patched.Shards
	return nil
}

// newPack fetches one pack and those of its shards that the device does not hold.
func (r *run) newPack(ctx context.Context, state *trust.State, status *trust.Status, number uint16, u *trust.Update) error {
	if int(number)*trust.PackShards >= len(state.Shards) {
		if found, err := r.wholePack(ctx, status, number, u); found || err != nil {
			return err
		}
	}
	want := status.Packs[number]
	raw, err := r.object(ctx, want, trust.MaxPackLen)
	if err != nil {
		return err
	}
	pack, err := trust.ParsePack(raw)
	if sha256.Sum256(raw) != want {
		err = trust.ErrHash
	}
	if err != nil {
		return fmt.Errorf("pack %d: %w", number, err)
	}
	shards := state.WantedShards(number, pack)
	if len(shards) > fewShards {
		if found, err := r.wholePack(ctx, status, number, u); found || err != nil {
			return err
		}
	}
	u.Packs[number] = raw
	for _, shard := range shards {
		if u.Shards[shard], err = r.shard(ctx, shard, pack[int(shard)%trust.PackShards]); err != nil {
			return err
		}
	}
	return nil
}

// shard fetches one shard and returns its transit form. It checks the shard before
// the next is fetched, so that a mirror with wrong shards gets only one request.
func (r *run) shard(ctx context.Context, number uint16, hash digest.SHA256) ([]byte, error) {
	raw, err := r.object(ctx, hash, statuslist.MaxDeflated)
	if err != nil {
		return nil, err
	}
	shard, err := statuslist.Inflate(raw)
	if err == nil && shard.Hash() != hash {
		err = trust.ErrHash
	}
	if err != nil {
		return nil, fmt.Errorf("shard %d: %w", number, err)
	}
	return shard.Deflate(), nil // compressed again: a mirror may compress worse
}

// wholePack fetches a pack with its shards; found is false if there is none.
func (r *run) wholePack(ctx context.Context, status *trust.Status, number uint16, u *trust.Update) (found bool, err error) {
	hash := status.Packs[number].String()
	raw, err := r.get(ctx, packPath+hash, status.PackLen(int(number))*statuslist.MaxDeflated)
	if absent(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	pack, shards, err := status.Unpack(number, raw)
	if err != nil {
		return false, err
	}
	u.Packs[number] = pack
	for shard, deflated := range shards {
		u.Shards[shard] = deflated
	}
	return true, nil
}

// absent reports whether an error says that there is no such document.
func absent(err error) bool {
	status, ok := errors.AsType[*StatusError](err)
	return ok && status.Status == statusNotFound
}
