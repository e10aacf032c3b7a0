package blob

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"gocloud.dev/blob"
)

// ErrAddress means that an address names no store.
var ErrAddress = errors.New("want file:///FOLDER, s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME&path_style=true], " +
	"gs://BUCKET[/PREFIX][?endpoint=URL] or azblob://CONTAINER[/PREFIX][?account=NAME&endpoint=URL]; an endpoint begins with https://, or http:// on this machine and for s3")

// Bounds of one request to a bucket. The time for all of it is the caller's.
const (
	cloudTries  = 4
	cloudFirst  = 100 * time.Millisecond // before the second try
	cloudPause  = time.Second            // at most, between two tries
	cloudDial   = 5 * time.Second
	cloudAnswer = 30 * time.Second // for the first byte of an answer
	cloudKeys   = 10 * time.Second // for credentials
	cloudPart   = 4 << 20          // a larger file is sent in parts, each of which is in memory
)

// A cloud is what differs between kinds of buckets, and has no common name in gocloud.dev.
type cloud struct {
	// version returns the version of what r reads; "" if the answer has none.
	version func(r *blob.Reader) string
	// match makes a write fail unless what it replaces has a version. It reports false for what
	// is no version of this cloud.
	match func(as func(any) bool, version string) bool
	// other is a version that nothing has.
	other string
	// absent reports whether err says that there is no such object, and not that there is no
	// bucket, or no right to see it.
	absent func(err error) bool
	// conflict reports whether another request writes the same key now.
	conflict func(err error) bool
	// noBucket reports whether err says that there is no bucket.
	noBucket func(err error) bool
	// blind means that an absent object looks like an absent bucket.
	blind bool
	// part is the size of parts of a large file; 0: the client's own.
	part int
}

// OpenURL returns the store that an address names:
//
//	file:///FOLDER
//	s3://BUCKET[/PREFIX][?endpoint=URL][&region=NAME][&path_style=true]
//	gs://BUCKET[/PREFIX][?endpoint=URL]
//	azblob://CONTAINER[/PREFIX][?account=NAME][&endpoint=URL]
//
// Credentials come from the usual places of each cloud: environment, shared files, the
// machine's role. They must not be in the address. Region and checksums of S3, and the
// account of Azure, may come from the environment as well.
func OpenURL(ctx context.Context, address string) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("address of files: %w", ErrAddress) // the error of url has the address, and in it perhaps a password
	}
	switch {
	case u.User != nil || u.Fragment != "" || u.Opaque != "":
	case u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") && strings.HasPrefix(u.Path, "/") && u.RawQuery == "":
		return Open(fileURLPath(u.Path))
	case u.Host != "":
		if open := clouds[u.Scheme]; open != nil {
			return openCloud(ctx, u, open)
		}
	}
	return nil, fmt.Errorf("address of files: %w", ErrAddress)
}

// An opener opens a bucket by its name, without a request to it.
type opener func(ctx context.Context, name string, q url.Values) (*blob.Bucket, *cloud, error)

// clouds has the kinds of buckets by the schemes of their addresses.
var clouds = map[string]opener{"s3": openS3, "gs": openGS, "azblob": openAzure}

func openCloud(ctx context.Context, u *url.URL, open opener) (*Store, error) {
	b, c, err := open(ctx, u.Host, u.Query())
	if errors.Is(err, ErrAddress) { // with the queries of its own text
		return nil, fmt.Errorf("address of files: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("address of files: %w", withoutQueries(err))
	}
	place := u.Scheme + "://" + u.Host
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		b, place = blob.PrefixedBucket(b, prefix+"/"), place+"/"+prefix
	}
	return &Store{bucket: b, cloud: c, place: place}, nil
}

// parameters returns the values of an address's parameters in the order of their names. A name
// that is not among them is an error, like a name with two values.
func parameters(q url.Values, names ...string) ([]string, error) {
	values, known := make([]string, len(names)), 0
	for i, name := range names {
		if q.Has(name) {
			known++
		}
		if len(q[name]) > 1 {
			return nil, fmt.Errorf("%q: %w", name, ErrAddress)
		}
		values[i] = q.Get(name)
	}
	if known != len(q) {
		return nil, ErrAddress
	}
	return values, nil
}

// secretEndpoint returns the address of a server that gets a secret with each request, without
// a slash at its end: it is no address in clear text, except on this machine.
func secretEndpoint(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("endpoint: %w", ErrAddress)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme != "https" && (u.Scheme != "http" || u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())) {
		return "", fmt.Errorf("endpoint: %w", ErrAddress)
	}
	return strings.TrimRight(endpoint, "/"), nil
}

// cloudTransport returns a transport with the bounds of one request.
func cloudTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: cloudDial, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   cloudDial,
		ResponseHeaderTimeout: cloudAnswer,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConnsPerHost:   16,
		ForceAttemptHTTP2:     true,
	}
}

// unreachable marks an error of a bucket that says nothing about a file, unless the request
// was cancelled.
func (s *Store) unreachable(ctx context.Context, err error) error {
	if err == nil || s.cloud == nil || ctx.Err() != nil || errors.Is(err, ErrUnreachable) || s.cloud.absent(err) {
		return withoutQueries(err)
	}
	if s.cloud.noBucket(err) {
		return fmt.Errorf("%w: there is no bucket %s", ErrUnreachable, s.place)
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, withoutQueries(err))
}

// unlisted marks an error of a list, which never says that a file is missing.
func (s *Store) unlisted(ctx context.Context, err error) error {
	err = s.unreachable(ctx, err)
	if err == nil || s.cloud == nil || ctx.Err() != nil || errors.Is(err, ErrUnreachable) {
		return err
	}
	return fmt.Errorf("%w: there is no bucket %s: %w", ErrUnreachable, s.place, err)
}

// queries are the parts of addresses after the path, in which Azure and Google have secrets.
var queries = regexp.MustCompile(`\?[^\s"']+`)

// withoutQueries returns an error whose text has no query of an address.
func withoutQueries(err error) error {
	if err == nil {
		return nil
	}
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
