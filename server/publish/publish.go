// Package publish signs and serves the documents that devices trust: the root, the bundle
// of tenants, keys and document types, the status list, and the timestamp over them
// (offline/trust/FORMAT.md). Call [New], then [Publisher.Run].
//
//	change ─▶ row counted in its own transaction ─▶ Notify or poll ─▶ Publish
//	                                                                    │ one transaction = one publisher
//	    bundle, changed shards ─▶ their packs ─▶ status ─▶ timestamp ◀──┘
//	                        │ by SHA-256, the last ones kept too
//	device ◀── Root, Timestamp, Object
//
// A change is also a row, counted in the transaction of the change: a gateway that
// dies between a revocation and its publication publishes at its next start, and
// the serving gateway publishes a change made by another process (the command
// line).
//
// Nothing is published from a restored database ([ErrRestored]) until an operator has
// confirmed the restore, with the documents of devices that show later revocations. If a backup is put back under a running gateway, Run
// ends.
//
// The newest root in the database names the online key that signs. Every publication reads
// it in its own transaction, so that several gateways change to a new key together, and a
// root that names a new key is stored in one transaction with the first documents signed
// by it ([Publisher.PublishRoots]):
//
//	root N, key A ──▶ NextRoot ──▶ draft ──▶ signatures of the root keys ──▶ PublishRoots
//	                  NewOnlineKey: key B, sealed                             │ one transaction:
//	                                                  root N+1, documents of key B, key A deleted
package publish

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/server/platform/keyring"
	"tcode/server/refdata"
	"tcode/server/tenant"
)

// An Object is a published document or shard.
type Object struct {
	SHA256      digest.SHA256 // of the document; for a shard of the inflated bytes
	Data        []byte
	ContentType string
}

// Content types of objects.
const (
	TypeNote  = "text/plain; charset=utf-8"
	TypeShard = "application/zlib" // also of a pack with its shards
	// TypePack is a pack or a delta.
	TypePack = "application/octet-stream"
	// TypeSurvivors is a survivor list: marks of 16 bytes, one after the other; its SHA-256
	// covers exactly those.
	TypeSurvivors = "application/octet-stream"
)

// Head is the state after the last publication.
type Head struct {
	Wanted    uint64 // incremented by each change
	Published uint64 // Wanted at the last publication; another number if that left a change out
	At        time.Time

	// BundleWanted and BundlePublished count, in the same way, only the changes of the bundle:
	// it is large, and changes rarely.
	BundleWanted    uint64
	BundlePublished uint64

	// Version is the highest version of any document under the present online key; with a new
	// key, versions begin again.
	Version uint64
	// Since is the version of the root that first named the online key of the last
	// publication; Root is the newest root. If the newest root names another key, that key
	// signs next.
	Since     uint64
	Root      uint64
	Bundle    Ref
	Status    Ref
	Delta     trust.DeltaRef // delta of Status
	Timestamp []byte         // the signed note; nil before the first publication
}

// Watermark says how far publication has come.
func (h Head) Watermark() Watermark {
	return Watermark{Root: h.Root, Since: h.Since, Version: h.Version}
}

// A Watermark is how far publication has come. Versions of documents rise under one
// online key and begin anew with the next.
type Watermark struct {
	Root    uint64 // newest version of the root
	Since   uint64 // version of the root that first named the online key; 0: no publication yet
	Version uint64 // highest version of documents under that key
}

// Join returns how far either has come.
func (m Watermark) Join(o Watermark) Watermark {
	root := max(m.Root, o.Root)
	if m.Since < o.Since || m.Since == o.Since && m.Version < o.Version {
		m = o
	}
	m.Root = root
	return m
}

// Ref names one published document.
type Ref struct {
	Version uint64
	SHA256  digest.SHA256
	Expires time.Time
}

// A Shard is one status shard's row.
type Shard struct {
	Number  uint16
	Changed uint64 // incremented by each change of an entry
	// Published is Changed at the last publication, and SHA256 the hash then, zero if there
	// was none.
	Published uint64
	SHA256    digest.SHA256
}

// Tx is one publication: a transaction that runs concurrently with no other publication.
type Tx interface {
	Head(ctx context.Context) (Head, error)
	// Restored reports whether the database was restored from a backup and no operator has
	// confirmed yet that no revocation is missing.
	Restored(ctx context.Context) (bool, error)
	Tenants(ctx context.Context) ([]tenant.Tenant, error)
	SigningKeys(ctx context.Context, tenant string) ([]tenant.SigningKey, error)
	DocumentTypes(ctx context.Context) ([]refdata.DocumentType, error)
	// ChangedShards returns the shards that changed since they were published. more reports
	// whether further ones changed while this transaction began.
	ChangedShards(ctx context.Context) (shards []Shard, more bool, err error)
	// ShardEntries returns a shard's present content.
	ShardEntries(ctx context.Context, number uint16) (*statuslist.Shard, error)
	SetShard(ctx context.Context, s Shard) error
	// ShardCount returns the number of published shards: all from 0 up to the first that was
	// never published.
	ShardCount(ctx context.Context) (int, error)
	// ShardHashes returns the hashes of the published shards from number from up to
	// to, in order.
	ShardHashes(ctx context.Context, from, to int) ([]digest.SHA256, error)
	// Packs returns the hashes of all packs in order.
	Packs(ctx context.Context) ([]digest.SHA256, error)
	SetPack(ctx context.Context, number int, hash digest.SHA256) error
	// AddDelta notes entries that were published as version at now, drops the oldest
	// versions beyond limit entries and those before oldest, and returns what is left
	// and the highest version dropped, 0 if none was. ClearDelta drops all.
	AddDelta(ctx context.Context, add trust.Delta, version uint64, now, oldest time.Time, limit int) (trust.Delta, uint64, error)
	ClearDelta(ctx context.Context) error
	Object(ctx context.Context, sha256 digest.SHA256) (Object, error)
	PutObject(ctx context.Context, o Object, now time.Time) error
	// Roots returns all root versions in order; PutRoot stores a new one.
	Roots(ctx context.Context) ([][]byte, error)
	PutRoot(ctx context.Context, version uint64, raw []byte) error
	// DropSecrets deletes secrets. It ignores missing ones.
	DropSecrets(ctx context.Context, names ...string) error
	Audit(ctx context.Context, e *tenant.Entry) error
	// Supersede marks those of objects as superseded at now that neither h nor a
	// shard or pack names any more.
	Supersede(ctx context.Context, h Head, now time.Time, objects ...digest.SHA256) error
	// SetHead stores h and deletes the objects superseded before keep.
	SetHead(ctx context.Context, h Head, keep time.Time) error
}

// Store stores publications. Package store implements it.
type Store interface {
	Publication(ctx context.Context, fn func(Tx) error) error
	Head(ctx context.Context) (Head, error)
	// Object returns a NotFound fault for what is not, or no longer, published.
	Object(ctx context.Context, sha256 digest.SHA256) (Object, error)
	// Roots returns all root versions in order.
	Roots(ctx context.Context) ([][]byte, error)
	// SecretNames returns the names of all secrets that begin with prefix.
	SecretNames(ctx context.Context, prefix string) ([]string, error)

	keyring.SecretStore
}

// Config is the configuration of a [Publisher]. Store and Ring are required.
type Config struct {
	Store Store
	Ring  *keyring.Ring // keeps the online keys sealed, and the root key while one is on the server
	// Advance, if set, is called about once a minute by Run; it opens announced signing keys
	// that are due ([tenant.Service.Advance]).
	Advance func(ctx context.Context) error
	// Apart has [Publisher.Do] called for a subject, in this process or another one; nil: in this one.
	Apart func(ctx context.Context, subject string) error
	// Published, if set, is called after each publication.
	// Floor, if set, returns the highest that was published from this database
	// by anyone: one below it has been set back ([ErrRolledBack]).
	Published func(Watermark)
	Floor     func() Watermark
	Now       func() time.Time // nil: time.Now
	Log       *slog.Logger     // nil: discards
}

// Publisher publishes and serves trust documents. It is safe for concurrent use; several
// processes may run one on the same database.
type Publisher struct {
	c    Config
	wake chan struct{} // holds one token, so that Notify never blocks

	authority atomic.Pointer[authority]

	// looked is the time when the authority last matched the database, in nanoseconds of the
	// monotonic clock since epoch.
	epoch  time.Time
	looked atomic.Int64

	whole packCache

	// mu guards newest, the highest mark seen published, and warned.
	mu     sync.Mutex
	newest Watermark
	warned time.Time // when the log last named a root that expires
}

// OnlineKey is the key that signs bundle, status, timestamp and receipts.
type OnlineKey struct {
	Name   string // of its signature lines
	Public ed25519.PublicKey
	Note   string // C2SP verifier key: name+hash+key
}

// Lifetimes of documents and objects.
const (
	// MinRootLife is how long a root must still last when it is published.
	MinRootLife = 24 * time.Hour
	// RootLife is the default lifetime of a root.
	RootLife      = 365 * 24 * time.Hour
	rootRenew     = 90 * 24 * time.Hour // left when the root is renewed
	documentLife  = 7 * 24 * time.Hour  // of bundle and status
	documentRenew = 6 * 24 * time.Hour  // left when they are signed again
	timestampLife = 24 * time.Hour
	// keepObjects is the time for which a superseded document is still served, for devices
	// that have an older timestamp.
	keepObjects = time.Hour
)

// Intervals of Run.
const (
	// refresh is the largest age of a timestamp when nothing changes.
	refresh = 30 * time.Minute
	// poll is the interval for reading the count of changes, for those made by other
	// processes.
	poll = 500 * time.Millisecond
	// lookAfter is the largest age of the last check of the database with which Time signs,
	// and the time for which Time waits for another check.
	lookAfter = time.Second
	// gather is the time for which a change waits for others, to be published together.
	gather = 100 * time.Millisecond
	// advanceEvery is the interval for checking announced signing keys.
	advanceEvery = time.Minute
)

// Names of secrets and of signature lines.
const (
	rootName   = "tcode/root"
	onlineName = "tcode/online" // the first; later ones have a hyphen and their public key in the secret's name
)
