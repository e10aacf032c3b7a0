// Package draft holds files that people have uploaded and not used yet, for a short time.
// Call [Open] first.
//
//	upload ─▶ Put ─▶ Draft ─┬─▶ Read, Save, any number of times
//	                        ├─▶ Spend: the file is gone, the record stays
//	                        └─▶ Drop, the end of its life, or too many newer ones: all is gone
//
// A draft belongs to one session of one user of one tenant: for everybody else it is not
// there. Its folder is shared by all gateways on one data folder, and survives their
// restart. Nothing in it is synced: no draft outlives a power cut for certain.
package draft

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tcode/server/fault"
)

// An Owner is the session that a draft belongs to.
type Owner struct{ Tenant, User, Session string }

// A Draft is the record of an uploaded file.
type Draft struct {
	ID    string    `json:"-"`
	Name  string    `json:"name"` // of the file, as its owner calls it
	Size  int64     `json:"size"` // bytes
	Made  time.Time `json:"made"`
	Ends  time.Time `json:"ends"`
	Spent bool      `json:"spent,omitempty"` // the file is gone

	Session string          `json:"session"`
	State   json.RawMessage `json:"state,omitempty"` // of the program that uses the draft
}

// Defaults of [Config].
const (
	DefaultLife  = time.Hour
	DefaultEach  = 5
	DefaultTotal = 2 << 30
)

// Config has the limits of a [Folder]. Zero members mean the defaults.
type Config struct {
	Life  time.Duration // of a draft, from its upload
	Each  int           // drafts of a user; the oldest is dropped for one more
	Total int64         // bytes of all drafts
	Room  func() error  // returns an error if there is no space for new files; nil: there is
	Now   func() time.Time
}

// A Folder is the folder of the drafts. It is safe for concurrent use, also by several
// processes.
type Folder struct {
	dir string
	c   Config
	mu  sync.Mutex // held while a record changes
}

// Open returns the folder dir, which is made with the first draft.
func Open(dir string, c Config) *Folder {
	if c.Life == 0 {
		c.Life = DefaultLife
	}
	if c.Each == 0 {
		c.Each = DefaultEach
	}
	if c.Total == 0 {
		c.Total = DefaultTotal
	}
	if c.Room == nil {
		c.Room = func() error { return nil }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Folder{dir: dir, c: c}
}

// errNone is the fault of a draft that is not there, or not for its asker.
func errNone() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "there is no such draft")
}

var encoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newID returns an id that no other client can guess.
func newID() string {
	var b [15]byte
	_, _ = rand.Read(b[:]) // never fails
	return encoding.EncodeToString(b[:])
}

// validID reports whether id may be part of a path.
func validID(id string) bool {
	return len(id) == 24 && strings.Trim(id, "0123456789abcdefghjkmnpqrstvwxyz") == ""
}

// Suffixes of the two files of a draft.
const (
	recordSuffix = ".json"
	fileSuffix   = ".file"
	partSuffix   = ".part"
)

// home returns the folder of the owner's drafts. Its name tells no name.
func (d *Folder) home(o Owner) string {
	sum := sha256.Sum256([]byte(o.Tenant + "\x00" + o.User))
	return filepath.Join(d.dir, hex.EncodeToString(sum[:16]))
}

// Put stores a file as a new draft. Old drafts of the owner are dropped where there are too
// many. Faults: Unavailable if all drafts together are too large. Errors of r come back as
// they are.
func (d *Folder) Put(o Owner, name string, r io.Reader) (Draft, error) {
	if err := d.c.Room(); err != nil {
		return Draft{}, err
	}
	d.Sweep()
	if d.total() > d.c.Total {
		return Draft{}, fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "too many files are open now, try again later")
	}
	home := d.home(o)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return Draft{}, fmt.Errorf("store a draft: %w", err)
	}
	now := d.c.Now().UTC()
	out := Draft{ID: newID(), Name: name, Made: now, Ends: now.Add(d.c.Life), Session: o.Session}
	if err := d.write(filepath.Join(home, out.ID+fileSuffix), r, &out.Size); err != nil {
		return Draft{}, err
	}
	if err := d.record(home, out); err != nil {
		d.remove(home, out.ID)
		return Draft{}, err
	}
	d.thin(home, out.ID)
	return out, nil
}

// write stores r under a name.
func (d *Folder) write(name string, r io.Reader, size *int64) (err error) {
	part := name[:len(name)-len(filepath.Ext(name))] + "-" + newID() + partSuffix
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("store a draft: %w", err)
	}
	*size, err = io.Copy(f, r)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		_ = os.Remove(part) // otherwise the sweep removes it
	}
	return err
}

// record stores the record of a draft.
func (d *Folder) record(home string, r Draft) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("record of a draft: %w", err)
	}
	var n int64
	return d.write(filepath.Join(home, r.ID+recordSuffix), strings.NewReader(string(raw)), &n)
}

// read returns a record.
func (d *Folder) read(home, id string) (r Draft, err error) {
	raw, err := os.ReadFile(filepath.Join(home, id+recordSuffix))
	if err != nil {
		return r, err
	}
	err = json.Unmarshal(raw, &r)
	r.ID = id
	return r, err
}

// Get returns a draft. The fault is NotFound for an id that is unknown, of another owner,
// or whose life is over.
func (d *Folder) Get(o Owner, id string) (Draft, error) {
	if !validID(id) {
		return Draft{}, errNone()
	}
	r, err := d.read(d.home(o), id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Draft{}, errNone()
	case err != nil:
		return Draft{}, fmt.Errorf("read a draft: %w", err)
	case r.Session != o.Session || !d.c.Now().Before(r.Ends):
		return Draft{}, errNone()
	}
	return r, nil
}

// List returns the owner's drafts, newest first.
func (d *Folder) List(o Owner) []Draft {
	var out []Draft
	for _, r := range d.all(d.home(o)) {
		if r.Session == o.Session && d.c.Now().Before(r.Ends) {
			out = append(out, r)
		}
	}
	return out
}

// all returns the records of a folder, newest first.
func (d *Folder) all(home string) (out []Draft) {
	names, _ := filepath.Glob(filepath.Join(home, "*"+recordSuffix)) // none if there is no folder
	for _, name := range names {
		if r, err := d.read(home, strings.TrimSuffix(filepath.Base(name), recordSuffix)); err == nil {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b Draft) int { return b.Made.Compare(a.Made) })
	return out
}

// Read opens the file of a draft. The fault is that of [Folder.Get], also for a file that
// is spent.
func (d *Folder) Read(o Owner, id string) (io.ReadCloser, error) {
	if _, err := d.Get(o, id); err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(d.home(o), id+fileSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNone()
	}
	return f, err
}

// Save stores the state of a draft. The fault is that of [Folder.Get], also for one that is
// spent.
func (d *Folder) Save(o Owner, id string, state json.RawMessage) error {
	return d.change(o, id, func(r *Draft) { r.State = state })
}

// Spend removes the file of a draft, and stores the last state of its record.
func (d *Folder) Spend(o Owner, id string, state json.RawMessage) error {
	if err := d.change(o, id, func(r *Draft) { r.State, r.Spent = state, true }); err != nil {
		return err
	}
	return os.Remove(filepath.Join(d.home(o), id+fileSuffix))
}

func (d *Folder) change(o Owner, id string, to func(*Draft)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	r, err := d.Get(o, id)
	if err != nil {
		return err
	}
	if r.Spent {
		return errNone()
	}
	to(&r)
	return d.record(d.home(o), r)
}

// Drop removes a draft. One that is not there is no error.
func (d *Folder) Drop(o Owner, id string) {
	if _, err := d.Get(o, id); err == nil {
		d.remove(d.home(o), id)
	}
}

// remove removes both files of a draft; what fails is left for the sweep.
func (d *Folder) remove(home, id string) {
	_ = os.Remove(filepath.Join(home, id+fileSuffix))
	_ = os.Remove(filepath.Join(home, id+recordSuffix))
}

// thin drops the oldest drafts of an owner who has too many, but never the newest.
func (d *Folder) thin(home, newest string) {
	kept := 1
	for _, r := range d.all(home) {
		switch {
		case r.ID == newest:
		case kept < d.c.Each:
			kept++
		default:
			d.remove(home, r.ID)
		}
	}
}
