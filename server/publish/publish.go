// Package publish signs what devices trust and serves it: the root, the
// bundle of tenants, keys and document types, the status list, and the
// timestamp over them (DESIGN section 6).
//
//	change ─▶ row counted in its own transaction ─▶ Notify or poll ─▶ Publish
//	                                                                    │ one transaction = one publisher
//	                     bundle, shards ─▶ status ─▶ timestamp ◀────────┘
//	                        │ by SHA-256, the last ones kept too
//	device ◀── Root, Timestamp, Object
//
// That something changed is itself a row, counted by the transaction that
// changed it: a gateway that dies between a revocation and its publication
// publishes at its next start, and a change made by another process (the
// command line) is published by the one that serves.
package publish

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"errors"
	"log/slog"
	"sync"
	"time"

	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/server/refdata"
	"tcode/server/tenant"
)

// ErrNotFound means there is no such root or object.
var ErrNotFound = errors.New("not published")

// An Object is a published document or shard, as it is served.
type Object struct {
	SHA256      [32]byte // of the document; for a shard of the inflated bytes
	Data        []byte
	ContentType string
}

// Content types of objects.
const (
	TypeNote  = "text/plain; charset=utf-8"
	TypeShard = "application/zlib"
)

// Head is what the last publication left.
type Head struct {
	Wanted    uint64 // counted up by each change
	Published uint64 // Wanted as of the last publication
	At        time.Time

	// Version is the highest version any document ever had.
	Version   uint64
	Bundle    Ref
	Status    Ref
	Timestamp []byte // the signed note; nil before the first publication
	// BundleDigest tells whether the bundle's content changed.
	BundleDigest [32]byte
}

// Ref names one published document.
type Ref struct {
	Version uint64
	SHA256  [32]byte
	Expires time.Time
}

// A Shard is one status shard's row.
type Shard struct {
	Number  uint16
	Changed uint64 // counted up by each change of an entry
	// Published is Changed as of the last publication, Version and SHA256
	// what was published then. Version is 0 if it never was.
	Published uint64
	Version   uint64
	SHA256    [32]byte
}

// Tx is one publication: a transaction that no other publication runs beside.
type Tx interface {
	Head(ctx context.Context) (Head, error)
	Tenants(ctx context.Context) ([]tenant.Tenant, error)
	SigningKeys(ctx context.Context, tenant string) ([]tenant.SigningKey, error)
	DocumentTypes(ctx context.Context) ([]refdata.DocumentType, error)
	// Shards returns the shards there are: closed, open, and the one after.
	Shards(ctx context.Context) ([]Shard, error)
	// ShardEntries returns a shard's present content.
	ShardEntries(ctx context.Context, number uint16) (*statuslist.Shard, error)
	SetShard(ctx context.Context, s Shard) error
	PutObject(ctx context.Context, o Object, now time.Time) error
	// SetHead stores h, marks the objects that live does not name as superseded
	// at now, and deletes those superseded before keep.
	SetHead(ctx context.Context, h Head, live [][32]byte, now, keep time.Time) error
}

// Store is what this package needs kept. Package store implements it.
type Store interface {
	Publication(ctx context.Context, fn func(Tx) error) error
	Head(ctx context.Context) (Head, error)
	// Object and Root return [ErrNotFound] for what is not there.
	Object(ctx context.Context, sha256 [32]byte) (Object, error)
	Root(ctx context.Context, version uint64) ([]byte, error)
	Roots(ctx context.Context) ([][]byte, error)
	// PutRoot stores a root version unless there is one already.
	PutRoot(ctx context.Context, version uint64, raw []byte) error

	PutSecret(ctx context.Context, name string, sealed []byte) ([]byte, error)
	Secret(ctx context.Context, name string) ([]byte, error)
}

// Ring keeps the root and online keys at rest. Package keyring implements it.
type Ring interface {
	Seal(plain []byte, tenant, keyID string) ([]byte, error)
	Open(sealed []byte, tenant, keyID string) ([]byte, error)
}

// Config is what a [Publisher] works with. Store and Ring are required.
type Config struct {
	Store Store
	Ring  Ring
	// Advance, if set, is called before each publication that is due by time;
	// it opens announced signing keys.
	Advance func(ctx context.Context) error
	Now     func() time.Time // nil: time.Now
	Log     *slog.Logger     // nil: discards
}

// Publisher publishes and serves. It is safe for concurrent use; several
// processes may run one on the same database.
type Publisher struct {
	c           Config
	wake        chan struct{}
	fingerprint trust.Fingerprint
	online      crypto.Signer // Ed25519
	onlinePub   ed25519.PublicKey
	onlineNote  trust.Signer

	mu     sync.Mutex // guards the root keys while a root is renewed
	rootKS crypto.Signer
}

// OnlineKey is the key that signs bundle, status, timestamp and receipts.
type OnlineKey struct {
	Name      string // the note signer's name
	Public    ed25519.PublicKey
	Note      string // the note verifier key, name+hash+key
	ValidFrom time.Time
}
