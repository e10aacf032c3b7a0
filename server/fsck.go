package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/platform/blob"
	"tcode/server/publish"
	"tcode/server/store"
	"tcode/server/tenant"
)

// FsckOptions are the options of a check and, after a restore, the data to compare
// with.
type FsckOptions struct {
	// Quick skips reading every file and checking every signature.
	Quick bool
	// Trust is a device's copy of the gateway's trust documents (tcode-scan trust
	// export), newer than the backup: facts in it that the rows lack are lost. nil:
	// none.
	Trust io.Reader
	// Apply restores lost facts where possible.
	Apply bool
	// NoNewer is the operator's confirmation that nothing was published after the backup that
	// any device could have.
	NoNewer bool
	// Sweep, if not zero, removes files that no row names, and parts of files, that were
	// written before it. A stamping in progress has files that no row names yet, so use an
	// earlier time if a gateway is running.
	Sweep time.Time
}

// FsckReport is the result of a check.
type FsckReport struct {
	Stamps   int
	Files    int // named by rows
	Orphans  int // named by no row: from requests that did not end, harmless
	Swept    int // removed files and parts of files
	Problems int
	// Restored is true if the database was restored from a backup without an operator's
	// agreement so far, Agreed if the agreement is given now.
	Restored, Agreed bool
	Fixed            int // of the problems

	// doubts are problems that may hide a lost revocation: a missing file, for example, does
	// not.
	doubts int
}

// The reasons why a restore is not confirmed.
var (
	ErrNotRestored = errors.New("this database was not restored from a backup, or the restore is confirmed already")
	ErrOldTrust    = errors.New("these trust documents are not newer than the backup: they prove nothing about the time after it")
)

// harmless are kinds of problems that do not concern revocations.
var harmless = map[string]bool{"missing_file": true, "damaged_file": true, "files": true, "document_files": true}

// Fsck compares rows with files, both ways, and with each other, and calls each for
// every problem. After a restore it also decides whether the gateway may publish
// again.
func (g *Gateway) Fsck(ctx context.Context, o FsckOptions, each func(store.Problem)) (r FsckReport, err error) {
	restore, err := g.db.Restored(ctx)
	if err != nil {
		return r, err
	}
	r.Restored = restore != nil
	if restore == nil && (o.Trust != nil || o.Apply || o.NoNewer) {
		return r, ErrNotRestored
	}
	problem := func(p store.Problem) {
		r.Problems++
		if !harmless[p.Kind] {
			r.doubts++
		}
		each(p)
	}
	if err := g.db.CheckRows(ctx, problem); err != nil {
		return r, err
	}
	if err := g.checkFiles(ctx, o, &r, problem); err != nil {
		return r, err
	}
	if err := g.checkStamps(ctx, o.Quick, &r, problem); err != nil {
		return r, err
	}
	if err := g.checkDocuments(ctx, o.Quick, problem); err != nil {
		return r, err
	}
	if !r.Restored {
		return r, nil
	}
	return r, g.agree(ctx, o, &r, problem)
}

// checkFiles compares the files with the rows that name them: it reads two lists in the
// order of hashes in parallel. The rows are of one moment, before the files are listed, so
// that no file of a concurrent stamp seems to be missing.
func (g *Gateway) checkFiles(ctx context.Context, o FsckOptions, r *FsckReport, problem func(store.Problem)) error {
	next, stop := iter.Pull2(g.files.All(ctx))
	defer stop()
	var file blob.Item // the first one not yet compared
	var more bool
	advance := func() (err error) {
		file, err, more = next()
		return err
	}
	begun := false
	err := g.db.NamedFiles(ctx, func(f store.NamedFile) error {
		r.Files++
		if !begun {
			begun = true
			if err := advance(); err != nil {
				return err
			}
		}
		for more && file.Name < f.SHA256 {
			if err := g.orphan(ctx, file, o, r); err != nil {
				return err
			}
			if err := advance(); err != nil {
				return err
			}
		}
		if !more || file.Name != f.SHA256 {
			problem(store.Problem{Kind: "missing_file", Subject: f.SHA256, Detail: "a stamp names it"})
			return ctx.Err()
		}
		if err := g.checkFile(ctx, o.Quick, f, file.Size, problem); err != nil {
			return err
		}
		return advance()
	})
	if err != nil {
		return err
	}
	if !begun {
		if err := advance(); err != nil {
			return err
		}
	}
	for more {
		if err := g.orphan(ctx, file, o, r); err != nil {
			return err
		}
		if err := advance(); err != nil {
			return err
		}
	}
	if o.Sweep.IsZero() {
		return nil
	}
	n, err := g.files.DiscardParts(ctx, o.Sweep)
	r.Swept += n
	if err != nil {
		return err
	}
	n, err = g.sweeper().Finish(ctx)
	r.Swept += n
	return err
}

// sweeper removes files that no row names.
func (g *Gateway) sweeper() blob.Sweeper { return blob.Sweeper{Store: g.files, Register: g.db} }

// orphan counts a file that no row names, or removes it.
func (g *Gateway) orphan(ctx context.Context, file blob.Item, o FsckOptions, r *FsckReport) error {
	if !o.Sweep.IsZero() {
		gone, err := g.sweeper().DiscardItem(ctx, file, o.Sweep)
		if err != nil {
			return err
		}
		if gone {
			r.Swept++
			return nil
		}
	}
	r.Orphans++
	return nil
}

func (g *Gateway) checkFile(ctx context.Context, quick bool, f store.NamedFile, size int64, problem func(store.Problem)) error {
	if size != f.Size {
		problem(store.Problem{Kind: "damaged_file", Subject: f.SHA256, Detail: fmt.Sprintf("%d bytes, want %d", size, f.Size)})
		return nil
	}
	if quick {
		return nil
	}
	_, err := g.files.Get(ctx, f.SHA256)
	if errors.Is(err, blob.ErrDamaged) {
		problem(store.Problem{Kind: "damaged_file", Subject: f.SHA256, Detail: "its bytes are not those its name says"})
		return nil
	}
	return err
}

// publicKeys returns all tenants' keys by their ids.
func (g *Gateway) publicKeys(ctx context.Context) (map[string]payload.PublicKey, error) {
	keys, err := g.Tenants.SigningKeys(ctx, "")
	public := map[string]payload.PublicKey{}
	for _, k := range keys {
		public[k.ID()] = k.Public
	}
	return public, err
}

// checkDocuments compares every Trust document's row with its signed text, and checks the
// signature.
func (g *Gateway) checkDocuments(ctx context.Context, quick bool, problem func(store.Problem)) error {
	if quick {
		return nil
	}
	public, err := g.publicKeys(ctx)
	if err != nil {
		return err
	}
	return g.db.EachDocument(ctx, func(d trustdoc.Document) error {
		id := tenant.KeyID(d.Tenant, d.KeySeq)
		switch {
		case d.Erased(): // its text is gone
		case !d.SaysText():
			problem(store.Problem{Kind: "document", Subject: d.Reference.String(), Detail: "the signed text is not what this document says"})
		case !d.SignedBy(public[id]):
			problem(store.Problem{Kind: "document_signature", Subject: d.Reference.String(), Detail: "the text was not signed by key " + id})
		}
		return ctx.Err()
	})
}

// checkStamps compares every stamp's payload with its row and its key.
func (g *Gateway) checkStamps(ctx context.Context, quick bool, r *FsckReport, problem func(store.Problem)) error {
	public, err := g.publicKeys(ctx)
	if err != nil {
		return err
	}
	return g.db.EachStamp(ctx, func(st stamp.Stamp) error {
		r.Stamps++
		if quick || st.Erased() {
			return ctx.Err()
		}
		p, err := payload.Parse(st.Payload)
		id := tenant.KeyID(st.Tenant, st.KeySeq)
		switch {
		case err != nil || p.Reference != st.Reference || p.Issuer != st.Tenant || p.KeySeq != st.KeySeq || p.Status != st.StatusIndex:
			problem(store.Problem{Kind: "payload", Subject: st.Reference.String(), Detail: "the payload is not this stamp's"})
		case !public[id].Verify(st.CoreBytes, [payload.SignatureLen]byte(st.Payload[len(st.CoreBytes):])):
			problem(store.Problem{Kind: "signature", Subject: st.Reference.String(), Detail: "the payload was not signed by key " + id})
		}
		return ctx.Err()
	})
}

// agree allows publication from a restored database, if the given trust documents show
// that no revocation is missing.
func (g *Gateway) agree(ctx context.Context, o FsckOptions, r *FsckReport, problem func(store.Problem)) error {
	now := g.c.Now().UTC()
	head, roots, floor, err := g.published(ctx)
	if err != nil {
		return err
	}
	if err := publish.CheckRolledBack(head, roots, floor); errors.Is(err, publish.ErrRootsLost) {
		return err
	}
	beyond := uint16(0)
	if o.Trust != nil {
		set, newest, err := g.readTrust(ctx, o.Trust)
		if err != nil {
			return err
		}
		floor = floor.Join(newest)
		audit := tenant.NewEntry(ctx, "", "database.reconcile", "trust documents", now).With("trustVersion", fmt.Sprint(newest.Version))
		lost, err := g.db.Reconcile(ctx, set, o.Apply, now, audit)
		if err != nil {
			return err
		}
		for _, l := range lost {
			problem(l.Problem)
			if o.Apply && l.Fixable() {
				r.Fixed++
			}
		}
		for number := range set.Shards {
			beyond = max(beyond, number)
		}
	} else if !o.NoNewer {
		return nil
	}
	if r.doubts > r.Fixed {
		return nil
	}
	audit := tenant.NewEntry(ctx, "", "database.agree", "restore", now)
	if o.NoNewer {
		audit.With("because", "the operator says that nothing newer was published")
	}
	version := uint64(0) // under a newer online key the publisher itself continues above the floor
	if floor.Since == head.Since {
		version = floor.Version
	}
	if err := g.db.AgreeRestore(ctx, beyond, version, now, audit); err != nil {
		return err
	}
	if floor != (publish.Watermark{}) {
		g.raiseFloor(floor)
	}
	r.Agreed = true
	return nil
}

// readTrust reads and verifies a device's trust documents. They must be this
// gateway's, and newer than what its rows were published as.
func (g *Gateway) readTrust(ctx context.Context, from io.Reader) (set store.TrustSet, at publish.Watermark, err error) {
	u, survivors, err := trustbook.ReadExport(from)
	if err != nil {
		return set, at, err
	}
	print := g.Publisher.Fingerprint()
	if _, err := trust.Pin(u.Roots[:1], &print); err != nil {
		return set, at, fmt.Errorf("trust documents: %w", err)
	}
	if at, err = publish.RootsWatermark(u.Roots); err != nil {
		return set, at, fmt.Errorf("trust documents: %w", err)
	}
	state, err := trust.Load(trust.Saved{Roots: u.Roots})
	if err == nil {
		u.Roots = nil
		state, _, err = state.Apply(u)
	}
	if err != nil {
		return set, at, fmt.Errorf("trust documents: %w", err)
	}
	head, err := g.db.Head(ctx)
	if err != nil {
		return set, at, err
	}
	at.Version = state.Timestamp.Version
	switch {
	case at.Root > head.Root:
		return set, at, fmt.Errorf("root %d: %w; tcode-gateway root publish accepts this file, too", at.Root, publish.ErrRootsLost)
	case at.Since < head.Since || at.Since == head.Since && at.Version <= head.Version:
		return set, at, fmt.Errorf("version %d, the backup's is %d: %w", at.Version, head.Version, ErrOldTrust)
	}
	set = store.TrustSet{Bundle: state.Bundle, Shards: map[uint16]*statuslist.Shard{}}
	for number, raw := range u.Shards {
		if set.Shards[number], err = statuslist.Inflate(raw); err != nil {
			return set, at, fmt.Errorf("shard %d: %w", number, err)
		}
	}
	for _, raw := range survivors {
		list, err := statuslist.ParseSurvivors(raw)
		if err != nil {
			return set, at, err
		}
		set.Survivors = append(set.Survivors, list)
	}
	return set, at, nil
}
