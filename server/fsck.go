package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"tcode/offline/payload"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/platform/blob"
	"tcode/server/store"
	"tcode/server/tenant"
)

// FsckOptions are the options of a check and, after a restore, the data to compare
// with.
type FsckOptions struct {
	// Quick skips reading every file and checking every signature.
	Quick bool
	// Trust are copies of the gateway's trust documents (tcode-scan trust export), newer
	// than the backup: facts in them that the rows lack are lost. They count also when the
	// restore is confirmed already.
	Trust []io.Reader
	// Apply restores lost facts where possible.
	Apply bool
	// UncoveredSince is the operator's confirmation that the span which begins then, and
	// which no document covers, may have had revocations that are lost: Span.From.
	UncoveredSince time.Time
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
	// Span is what no document covers; nil: nothing, or no restore waits for agreement.
	Span *Span

	// doubts are problems that may hide a lost revocation: a missing file, for example, does
	// not.
	doubts int
}

// The reasons why a restore is not confirmed.
var (
	ErrNotRestored = errors.New("this database was not restored from a backup")
	ErrConfirmed   = errors.New("the restore is confirmed already")
	ErrOldTrust    = errors.New("these trust documents are not newer than the backup: they prove nothing about the time after it")
	ErrOtherSpan   = errors.New("another time than the one at which the uncovered span begins")
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
	first, err := g.db.FirstRestore(ctx)
	switch {
	case err != nil:
		return r, err
	case first == nil && (len(o.Trust) > 0 || o.Apply || !o.UncoveredSince.IsZero()):
		return r, ErrNotRestored
	case restore == nil && !o.UncoveredSince.IsZero():
		return r, ErrConfirmed
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
	c := comparison{g: g, o: o, report: &r, problem: problem, restore: restore, first: first, now: g.c.Now().UTC()}
	return r, c.run(ctx)
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
