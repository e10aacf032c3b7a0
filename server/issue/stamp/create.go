package stamp

import (
	"cmp"
	"context"
	"crypto"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"tcode/offline/contain"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// Errors of a [Store] that cannot insert a stamp as allocated. The caller then draws
// again.
var (
	ErrEntryTaken     = errors.New("the status entry is taken")
	ErrShardClosed    = errors.New("the status shard is closed")
	ErrReferenceTaken = errors.New("the reference is taken")
)

// ShardCapacity is the number of stamps that a status shard takes. A shard closes far
// from full, so that entries stay random: the entry of a stamp does not show the time
// of its issue.
const ShardCapacity = 50_000

// maxAllocations limits the allocations of one stamp. Within a process conflicts need
// two requests to allocate the same entry at the same time.
const maxAllocations = 8

// New returns the service.
func New(c Config) *Service {
	if c.Notify == nil {
		c.Notify = func() {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	if c.MaxPDF == 0 {
		c.MaxPDF = DefaultMaxPDF
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{c: c}
}

// Create stamps a PDF, or a picture, of which it makes one. The stamp is durable, row and files, when Create returns
// it. Faults: VALIDATION_FAILED with all fields, PAYLOAD_TOO_LARGE,
// NOT_FOUND for a template, FIELD_SCHEMA_MISMATCH, DUPLICATE with the existing
// reference, and those of the Stamper.
func (s *Service) Create(ctx context.Context, id tenant.Identity, r Request) (Stamp, error) {
	if err := s.validate(ctx, r); err != nil {
		return Stamp{}, err
	}
	w, err := s.withTemplates(ctx, id.Tenant.Reference, r, nil)
	if err != nil {
		return Stamp{}, err
	}
	return s.make(ctx, id, w)
}

// make does w. It allocates a new identity where the first one is taken.
func (s *Service) make(ctx context.Context, id tenant.Identity, w work) (Stamp, error) {
	// Looks before the work; the transaction decides.
	if err := s.c.Store.Admit(ctx, id.Tenant.Reference, tenant.KindStamps.Of(w.test(id)), 1, s.c.Now()); err != nil {
		return Stamp{}, err
	}
	if err := s.lookForDuplicate(ctx, id, w); err != nil {
		return Stamp{}, err
	}
	if w.Draw == nil {
		var err error
		w.source, err = s.open(ctx, w.PDF)
		defer w.close()
		if err != nil {
			return Stamp{}, err
		}
	}
	for range maxAllocations {
		st, err := s.create(ctx, id, w)
		switch {
		case errors.Is(err, ErrEntryTaken), errors.Is(err, ErrShardClosed), errors.Is(err, ErrReferenceTaken):
			s.c.Log.InfoContext(ctx, "stamp allocated anew", slog.Any("err", err))
			continue
		case err != nil:
			return Stamp{}, err
		}
		return st, nil
	}
	return Stamp{}, fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "too many stamps at once, try again")
}

// create is one attempt, from drawing to commit.
func (s *Service) create(ctx context.Context, id tenant.Identity, w work) (Stamp, error) {
	signer, seq, err := s.c.Keys.Signer(ctx, id.Tenant.Reference)
	if err != nil {
		return Stamp{}, err
	}
	st, err := s.allocate(ctx, id, w, seq)
	if err != nil {
		return Stamp{}, err
	}
	if w.Draw != nil {
		w.source, err = s.draw(w.Request, st)
		defer w.close()
		if err != nil {
			return Stamp{}, err
		}
	}
	done, err := s.stamp(ctx, st, w, signer)
	if done.pdf != nil {
		defer done.pdf.Close()
	}
	if err != nil {
		return Stamp{}, err
	}
	if err := st.sealed(done.payload); err != nil {
		return Stamp{}, err
	}
	st.take(done)
	if err := s.post(&st, w); err != nil {
		return Stamp{}, err
	}
	if err := s.putFiles(ctx, &st, w.source, done.pdf); err != nil {
		s.withdraw(ctx, st)
		return Stamp{}, err
	}
	err = issue.Named(ctx, func() error { return s.insert(ctx, id, st, w) }, func(copies map[string]int) error {
		return s.putAgain(ctx, &st, map[FileKind]*spool.File{FileStamped: done.pdf, FileOriginal: w.source.sent}, copies)
	})
	if refused(err) {
		s.withdraw(ctx, st)
	}
	return st, err
}

// putAgain stores files that a sweep condemned, as other copies.
func (s *Service) putAgain(ctx context.Context, st *Stamp, from map[FileKind]*spool.File, copies map[string]int) error {
	for i := range st.Files {
		f := &st.Files[i]
		copy, condemned := copies[f.SHA256]
		if !condemned || from[f.Kind] == nil {
			continue
		}
		f.Copy = copy
		if err := s.c.Blobs.PutCopy(ctx, f.SHA256, copy, from[f.Kind].Section()); err != nil {
			return err
		}
	}
	return nil
}

// refused reports whether an error of insert says for certain that no row was
// stored. A connection that broke at the commit does not.
func refused(err error) bool {
	switch {
	case err == nil:
		return false
	case errors.Is(err, ErrEntryTaken), errors.Is(err, ErrShardClosed), errors.Is(err, ErrReferenceTaken):
		return true
	}
	kind := fault.As(err).Kind
	return kind != fault.Internal && kind != fault.Unavailable
}

// withdraw removes the files of a stamp that was not made. The original stays for
// the sweep: another request may be storing it.
func (s *Service) withdraw(ctx context.Context, st Stamp) {
	ctx = context.WithoutCancel(ctx)
	for _, f := range st.Files {
		if f.Kind == FileOriginal || f.SHA256 == "" || f.SHA256 == st.OriginalSHA256 {
			continue
		}
		if err := s.c.Blobs.Withdraw(ctx, f.SHA256); err != nil {
			s.c.Log.WarnContext(ctx, "a file of a stamp that was refused is left for the sweep", slog.Any("err", err))
		}
	}
}

// take takes over how the symbol was drawn.
func (st *Stamp) take(done finished) {
	first := done.Places[0]
	for _, p := range done.Places {
		st.Pages = append(st.Pages, p.Page)
	}
	st.Page, st.Grade, st.Rendering, st.Warnings = first.Page, &done.grade, done.seen.rendering, append([]string{}, done.Warnings...)
	st.Barcode = Barcode{Modules: done.Modules, ModuleMM: first.ModuleMM, SizeMM: first.Symbol.Width, BoxMM: first.Quiet.Width}
}

// insert commits a new stamp and, if it has a predecessor, that one's end.
func (s *Service) insert(ctx context.Context, id tenant.Identity, st Stamp, w work) error {
	once, err := w.Idempotency.With(st.Tenant, st.CreatedAt, w.answer(st))
	if err != nil {
		return err
	}
	first := Event{To: Active, Action: ActionCreate, By: id.Author(), At: st.CreatedAt}
	if w.owner != nil {
		return w.owner.Insert(ctx, st, first)
	}
	var devicesMustKnow bool // a shard opened, or an entry changed
	if w.replaces == nil {
		audit := id.Entry("stamp.create", st.ID, st.CreatedAt).With("reference", st.Reference.String())
		devicesMustKnow, err = s.c.Store.InsertStamp(ctx, st, first, once, audit)
	} else {
		devicesMustKnow = true
		ev := Event{Action: ActionReplace, Reason: w.reason, By: id.Author(), At: st.CreatedAt}
		audit := id.Entry("stamp.replace", w.replaces.ID, st.CreatedAt).With("by", st.ID).With("reference", st.Reference.String())
		_, err = s.c.Store.ReplaceStamp(ctx, w.replaces.ID, st, first, ev, once, audit)
	}
	if err == nil && devicesMustKnow {
		s.c.Notify()
	}
	return err
}

// test reports whether the stamp is a test document.
func (w work) test(id tenant.Identity) bool { return id.Test || w.ModeType == ModeTest }

// allocate makes a stamp's identity: id, reference and status entry. The reference
// is allocated after the upload, so no client can prepare a file for it.
func (s *Service) allocate(ctx context.Context, id tenant.Identity, w work, seq uint8) (Stamp, error) {
	ref, err := payload.NewReference(s.c.Rand)
	if err != nil {
		return Stamp{}, fmt.Errorf("allocate reference: %w", err)
	}
	index, err := s.allocateEntry(ctx)
	if err != nil {
		return Stamp{}, err
	}
	uid, err := uuid.NewV7()
	if err != nil {
		return Stamp{}, fmt.Errorf("allocate stamp id: %w", err)
	}
	now := s.c.Now().UTC().Truncate(time.Millisecond)
	st := Stamp{
		ID: uid.String(), Tenant: id.Tenant.Reference, Reference: ref, Status: Active,
		Name: w.Name, DocumentType: w.DocumentTypeCode, ExternalID: w.ExternalID,
		PlacementTemplateID: w.PlacementTemplateID, TdocTemplateID: w.TdocTemplateID,
		Test: w.test(id), Values: w.Request.Fields, Fields: w.signed, KeySeq: seq, StatusIndex: index,
		IssuedAt: now.Truncate(time.Second), CreatedAt: now, UpdatedAt: now,
	}
	if w.replaces != nil {
		st.Replaces = w.replaces.Reference.String()
	}
	if w.owner != nil {
		st.Document, st.ExpiresAt, st.Replaces = w.owner.Document, w.owner.ExpiresAt, w.owner.Replaces
	}
	return st, nil
}

// allocateEntry draws at random among the free entries of the open shards.
func (s *Service) allocateEntry(ctx context.Context) (payload.StatusIndex, error) {
	shards, err := s.c.Store.OpenShards(ctx)
	if err != nil {
		return 0, err
	}
	// A shard closes at 76 %: a thousand taken draws in a row do not happen.
	for range 1000 {
		var b [4]byte
		if _, err := io.ReadFull(s.c.Rand, b[:]); err != nil {
			return 0, fmt.Errorf("allocate status entry: %w", err)
		}
		shard := shards[int(binary.BigEndian.Uint16(b[2:]))%len(shards)]
		entry := binary.BigEndian.Uint16(b[:]) // all 65,536 of a shard
		free, err := s.c.Store.EntryFree(ctx, shard, entry)
		if err != nil {
			return 0, err
		}
		if free {
			return payload.NewStatusIndex(shard, entry), nil
		}
	}
	return 0, ErrEntryTaken
}

// symbolSide returns the side, in modules, of the symbol that p will need. It
// depends on p's length alone, which neither fingerprint nor signature change.
func symbolSide(p payload.Payload) (int, error) {
	raw, err := p.Append(nil)
	if err != nil {
		return 0, invalidPayload(err)
	}
	_, side, err := payload.Codewords(payload.EncodeText(raw))
	if err != nil {
		return 0, invalidPayload(err)
	}
	return side, nil
}

// stamp chooses the place, draws the symbol and checks the finished pages. The caller
// must close the returned file, if there is one, also after an error.
func (s *Service) stamp(ctx context.Context, st Stamp, w work, signer crypto.Signer) (finished, error) {
	p, side, err := unsealed(st, w, signer)
	if err != nil {
		return finished{}, err
	}
	at, err := s.choose(ctx, w, st.Reference, side)
	if err != nil {
		return finished{}, err
	}
	done, err := s.settle(ctx, p, side, at, w, signer)
	return done, cmp.Or(done.narrow, err)
}

// invalidPayload blames the signed fields, the only part a client chooses
// freely, for a payload that cannot be written.
func invalidPayload(err error) error {
	return fault.New(fault.Rejected, fault.CodeFieldSchemaMismatch, "the fields do not fit a symbol").
		WithField("fields", "cannot be signed: %v", err).WithErr(err)
}

// sealed takes over the signed values.
func (st *Stamp) sealed(p payload.Payload) (err error) {
	if st.CoreBytes, err = p.AppendCore(nil); err != nil {
		return fmt.Errorf("encode payload: %w", err)
	}
	if st.Payload, err = p.Append(nil); err != nil {
		return fmt.Errorf("encode payload: %w", err)
	}
	return nil
}

// roomAround is a generous estimate, in bytes, of the disk space for the names of
// files and the rows of a stamp.
const roomAround = 256 << 10

// putFiles stores the files of st that cannot be made again; they are durable when it
// returns.
func (s *Service) putFiles(ctx context.Context, st *Stamp, o source, stamped *spool.File) error {
	ref := st.Reference.String()
	st.Files = []File{
		{Kind: FileStamped, ContentType: "application/pdf", FileName: ref + ".pdf"},
		{Kind: FileOriginal, ContentType: o.kind.ContentType, FileName: ref + "-original" + o.kind.Extension},
	}
	room := o.sent.Size() + stamped.Size() + roomAround
	if err := s.c.Blobs.Room(room); err != nil {
		return err
	}
	// Concurrently: each waits for the disk and for nothing else.
	var puts contain.Group
	for i, file := range []*spool.File{stamped, o.sent} {
		f := &st.Files[i]
		f.SizeBytes, f.SHA256 = file.Size(), file.SHA256()
		puts.Go("stamp-file", func() error { return s.c.Blobs.PutNamed(ctx, f.SHA256, file.Section()) })
	}
	st.StampedSHA256, st.OriginalSHA256 = st.Files[0].SHA256, st.Files[1].SHA256
	return puts.Wait()
}
