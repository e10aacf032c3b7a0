package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strings"
	"time"
)

// A Bucket keeps objects by their keys, which are paths with slashes. An error that wraps
// [ErrNotFound] or [ErrChanged] says something about an object; any other error of a bucket
// that is not a folder wraps [ErrUnreachable], unless the context has ended.
type Bucket interface {
	// Open opens an object at a byte. The error wraps [ErrNotFound] if there is none.
	Open(ctx context.Context, key string, from int64) (*Object, error)
	// Put writes an object, which is durable then. The error wraps [ErrChanged] if the condition
	// does not hold.
	Put(ctx context.Context, key string, r io.ReadSeeker, c Condition) error
	// List lists the objects whose keys begin with prefix, in the order of the keys, and ends
	// after an error.
	List(ctx context.Context, prefix string) iter.Seq2[Entry, error]
	// Remove removes an object; one that does not exist is no error.
	Remove(ctx context.Context, key string) error
	Close() error
}

// An Object is read from some byte to its end. The caller closes it.
type Object struct {
	io.ReadCloser
	Size    int64  // of the whole object, in bytes
	Version string // other bytes have another one; "" in a folder
}

// An Entry is an object in a list.
type Entry struct {
	Key     string
	Size    int64
	Changed time.Time
}

// A Condition says what a write may replace; the zero value: anything.
type Condition struct {
	New     bool   // there is no such object
	Version string // the object has this version
}

// ErrAddress means that an address names no store.
var ErrAddress = errors.New(
	"want file:///FOLDER or s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME&path_style=true]")

// An Opener opens the bucket of an address, without a request to it. The error wraps
// [ErrAddress] for an address that names none.
type Opener func(ctx context.Context, u *url.URL) (Bucket, error)

// openers are those of programs that import the package of a kind of bucket, by the schemes of
// their addresses.
var openers = map[string]Opener{}

// RegisterScheme makes a kind of bucket known to [OpenURL]. The package of the kind calls it when it
// is initialized.
func RegisterScheme(scheme string, open Opener) { openers[scheme] = open }

// OpenURL returns the store that an address names:
//
//	file:///FOLDER
//	s3://BUCKET[/PREFIX][?endpoint=URL][&region=NAME][&path_style=true]
//
// Programs that open s3:// import package tcode/server/platform/blob/s3. Credentials must not be
// in the address.
func OpenURL(ctx context.Context, address string) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil { // the error of url has the address, and in it perhaps a password
		return nil, fmt.Errorf("address of files: %w", ErrAddress)
	}
	switch open := openers[u.Scheme]; {
	case u.User != nil || u.Fragment != "" || u.Opaque != "":
	case u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") &&
		strings.HasPrefix(u.Path, "/") && u.RawQuery == "":
		return Open(fileURLPath(u.Path))
	case u.Host != "" && open != nil:
		b, err := open(ctx, u)
		if err != nil {
			return nil, fmt.Errorf("address of files: %w", err)
		}
		place := u.Scheme + "://" + u.Host + strings.TrimRight(u.Path, "/")
		return &Store{bucket: b, place: place}, nil
	}
	return nil, fmt.Errorf("address of files: %w", ErrAddress)
}
