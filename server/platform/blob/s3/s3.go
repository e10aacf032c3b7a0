// Package s3 opens buckets of stores with the interface of S3, for [blob.OpenURL]. It is the only
// importer of minio-go, the lightest of the clients that has all that a store needs: conditions
// (If-Match, If-None-Match), ranges, and credentials of the machine.
package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/minio/minio-go/v7"

	"tcode/server/platform/blob"
)

func init() { blob.RegisterScheme("s3", open) }

// A bucket is a [blob.Bucket] of S3. The versions of objects are their ETags.
type bucket struct {
	client    minio.Core
	transport *http.Transport
	name      string
	prefix    string // of all keys: "" or with a slash at its end
}

// Open opens an object. It is one request.
func (b *bucket) Open(ctx context.Context, key string, from int64) (*blob.Object, error) {
	var o minio.GetObjectOptions
	if from > 0 {
		if err := o.SetRange(from, 0); err != nil { // to its end
			return nil, err
		}
	}
	body, info, header, err := b.client.GetObject(ctx, b.name, b.prefix+key, o)
	if err != nil {
		return nil, b.failed(ctx, key, err)
	}
	if info.ETag == "" {
		body.Close()
		return nil, fmt.Errorf("%w: %s: the answer has no ETag", blob.ErrUnreachable, key)
	}
	size := info.Size
	if from > 0 { // the answer's length is that of the part
		if _, err := fmt.Sscanf(header.Get("Content-Range"), "bytes %d-", new(int64)); err != nil {
			body.Close()
			return nil, fmt.Errorf("%w: %s: the answer is not the range that was asked for",
				blob.ErrUnreachable, key)
		}
		size += from
	}
	read := &reader{ReadCloser: body, ctx: ctx, b: b, key: key}
	return &blob.Object{ReadCloser: read, Size: size, Version: info.ETag}, nil
}

// A reader reads an object.
type reader struct {
	io.ReadCloser
	ctx context.Context
	b   *bucket
	key string
}

// Read reads on.
func (r *reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.b.failed(r.ctx, r.key, err)
	}
	return n, err
}

// conflicts is how often a store may say that another request writes the same object.
const conflicts = 5

// Put writes an object in one request, so that a condition holds for all of it, and no parts are
// left behind. A store takes up to 5 GiB so.
func (b *bucket) Put(ctx context.Context, key string, r io.ReadSeeker, c blob.Condition) error {
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	// Some stores take no signature of the parts of an object without any.
	o := minio.PutObjectOptions{
		DisableMultipart: true, SendContentMd5: true, DisableContentSha256: size == 0,
	}
	switch {
	case c.New:
		o.SetMatchETagExcept("*")
	case c.Version != "":
		o.SetMatchETag(c.Version)
	}
	for try := 0; ; try++ {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err := b.client.Client.PutObject(ctx, b.name, b.prefix+key, r, size, o)
		switch code := minio.ToErrorResponse(err).Code; {
		case err == nil:
			return nil
		case code == minio.PreconditionFailed, c.Version != "" && code == minio.NoSuchKey,
			code == conflict && c.Version != "":
			return blob.ErrChanged
		case code == conflict && try < conflicts:
		default:
			return b.failed(ctx, key, err)
		}
	}
}

// conflict is the code of an answer of S3: another request writes the object now.
const conflict = "ConditionalRequestConflict"

// List lists objects.
func (b *bucket) List(ctx context.Context, prefix string) iter.Seq2[blob.Entry, error] {
	return func(yield func(blob.Entry, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		o := minio.ListObjectsOptions{Prefix: b.prefix + prefix, Recursive: true}
		for info := range b.client.ListObjectsIter(ctx, b.name, o) {
			if info.Err != nil {
				err := b.failed(ctx, prefix, info.Err)
				if errors.Is(err, blob.ErrNotFound) { // no list says that
					err = fmt.Errorf("%w: %w", blob.ErrUnreachable, withoutQueries(info.Err))
				}
				yield(blob.Entry{}, err)
				return
			}
			key := strings.TrimPrefix(info.Key, b.prefix)
			if !yield(blob.Entry{Key: key, Size: info.Size, Changed: info.LastModified}, nil) {
				return
			}
		}
	}
}

// Remove removes an object.
func (b *bucket) Remove(ctx context.Context, key string) error {
	err := b.client.RemoveObject(ctx, b.name, b.prefix+key, minio.RemoveObjectOptions{})
	if err = b.failed(ctx, key, err); errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	return err
}

// Close closes the connections that are not in use.
func (b *bucket) Close() error {
	b.transport.CloseIdleConnections()
	return nil
}

// failed returns the error of a request about a key, as [blob.Bucket] has it.
func (b *bucket) failed(ctx context.Context, key string, err error) error {
	switch code := minio.ToErrorResponse(err).Code; {
	case err == nil:
		return nil
	case code == minio.NoSuchKey:
		return fmt.Errorf("%s: %w", key, blob.ErrNotFound)
	case code == minio.NoSuchBucket:
		return fmt.Errorf("%w: there is no bucket %s", blob.ErrUnreachable, b.name)
	case ctx.Err() != nil:
		return withoutQueries(err)
	}
	return fmt.Errorf("%w: %w", blob.ErrUnreachable, withoutQueries(err))
}

// queries are the parts of addresses after the path, in which some stores have secrets.
var queries = regexp.MustCompile(`\?[^\s"']+`)

// withoutQueries returns an error whose text has no query of an address.
func withoutQueries(err error) error {
	text := err.Error()
	if short := queries.ReplaceAllString(text, "?..."); short != text {
		return shortened{err, short}
	}
	return err
}

type shortened struct {
	err  error
	text string
}

func (e shortened) Error() string { return e.text }
func (e shortened) Unwrap() error { return e.err }

// parameters returns the values of an address's parameters in the order of their names. A name
// that is not among them is an error, like a name with two values.
func parameters(q url.Values, names ...string) ([]string, error) {
	values, known := make([]string, len(names)), 0
	for i, name := range names {
		if q.Has(name) {
			known++
		}
		if len(q[name]) > 1 {
			return nil, fmt.Errorf("%q: %w", name, blob.ErrAddress)
		}
		values[i] = q.Get(name)
	}
	if known != len(q) {
		return nil, blob.ErrAddress
	}
	return values, nil
}
