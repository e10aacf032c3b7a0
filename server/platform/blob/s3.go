package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"
)

// ErrAddress means that an address names no store.
var ErrAddress = errors.New("want file:///FOLDER or s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME&path_style=true]")

// Bounds of one request to a bucket. The time for all of it is the caller's.
const (
	s3Tries  = 4
	s3Pause  = time.Second // at most, between two tries
	s3Dial   = 5 * time.Second
	s3Answer = 30 * time.Second // for the first byte of an answer
	s3Keys   = 10 * time.Second // for credentials
)

// OpenURL returns the store that an address names:
//
//	file:///FOLDER
//	s3://BUCKET[/PREFIX][?endpoint=URL][&region=NAME][&path_style=true]
//
// Credentials for S3 come from the usual places: environment, shared files, the machine's
// role. They must not be in the address. Region and checksums may come from the environment
// as well.
func OpenURL(ctx context.Context, address string) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("address of files: %w", ErrAddress) // the error of url has the address, and in it perhaps a password
	}
	switch {
	case u.User != nil || u.Fragment != "" || u.Opaque != "":
	case u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") && strings.HasPrefix(u.Path, "/") && u.RawQuery == "":
		return Open(fileURLPath(u.Path))
	case u.Scheme == "s3" && u.Host != "":
		return openS3(ctx, u)
	}
	return nil, fmt.Errorf("address of files: %w", ErrAddress)
}

// openS3 opens a bucket, without a request to it.
func openS3(ctx context.Context, u *url.URL) (*Store, error) {
	var endpoint, region string
	var pathStyle bool
	for name, values := range u.Query() {
		var err error
		switch value := values[0]; {
		case len(values) > 1:
			err = ErrAddress
		case name == "endpoint":
			endpoint = value
		case name == "region":
			region = value
		case name == "path_style":
			pathStyle, err = strconv.ParseBool(value)
		default:
			err = ErrAddress
		}
		if err != nil {
			return nil, fmt.Errorf("address of files: %q: %w", name, err)
		}
	}
	client := awshttp.NewBuildableClient().
		WithTransportOptions(func(t *http.Transport) { t.ResponseHeaderTimeout = s3Answer }).
		WithDialerOptions(func(d *net.Dialer) { d.Timeout = s3Dial })
	cfg, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(client), config.WithRegion(region),
		config.WithRetryer(func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts, o.MaxBackoff = s3Tries, s3Pause })
		}))
	if err != nil {
		return nil, fmt.Errorf("address of files: %w", err)
	}
	if cfg.Region == "" { // stores other than Amazon's mostly have none
		cfg.Region = "us-east-1"
	}
	if err := haveCredentials(ctx, cfg); err != nil {
		return nil, err
	}
	c := s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = pathStyle
		o.DisableLogOutputChecksumValidationSkipped = true // each file is checked against its name
		if endpoint != "" {
			o.BaseEndpoint = aws.String(endpoint)
		}
	})
	b, err := s3blob.OpenBucket(ctx, c, u.Host, &s3blob.Options{RequestChecksumCalculation: cfg.RequestChecksumCalculation})
	if err != nil {
		return nil, fmt.Errorf("open files: %w", err)
	}
	place := "s3://" + u.Host
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		b, place = blob.PrefixedBucket(b, prefix+"/"), place+"/"+prefix
	}
	return &Store{bucket: b, place: place}, nil
}

// haveCredentials returns the error that each request without credentials would return.
func haveCredentials(ctx context.Context, cfg aws.Config) error {
	ctx, cancel := context.WithTimeout(ctx, s3Keys)
	defer cancel()
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return fmt.Errorf("there are no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give the machine a role: %w", err)
	}
	return nil
}

// isConflict reports whether another request writes the same key now.
func isConflict(err error) bool {
	e, ok := errors.AsType[smithy.APIError](err)
	return ok && e.ErrorCode() == "ConditionalRequestConflict"
}

// unreachable marks an error of a bucket that says nothing about a file, unless the request
// was cancelled.
func (s *Store) unreachable(ctx context.Context, err error) error {
	if err == nil || s.dir != "" || ctx.Err() != nil {
		return err
	}
	if e, ok := errors.AsType[smithy.APIError](err); ok && e.ErrorCode() == "NoSuchBucket" {
		return fmt.Errorf("%w: there is no bucket %s", ErrUnreachable, s.place)
	}
	if gcerrors.Code(err) == gcerrors.NotFound || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}
