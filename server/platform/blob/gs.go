package blob

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"cloud.google.com/go/storage"
	"github.com/googleapis/gax-go/v2"
	"gocloud.dev/blob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/gcp"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
)

// gsCloud has the conditions of Google Cloud Storage: each write of an object gives it another
// generation, a number, and a write may name the generation that it replaces.
var gsCloud = &cloud{
	version: func(r *blob.Reader) string {
		var reader *storage.Reader
		if !r.As(&reader) || reader.Attrs.Generation <= 0 {
			return ""
		}
		return strconv.FormatInt(reader.Attrs.Generation, 10)
	},
	match: func(as func(any) bool, version string) bool {
		generation, err := strconv.ParseInt(version, 10, 64)
		var object **storage.ObjectHandle
		if err != nil || generation <= 0 || !as(&object) {
			return false
		}
		*object = (*object).If(storage.Conditions{GenerationMatch: generation})
		return true
	},
	other: "1", // real ones are microseconds since 1970
	absent: func(err error) bool {
		return errors.Is(err, storage.ErrObjectNotExist) || isGS(err, http.StatusNotFound) && !errors.Is(err, storage.ErrBucketNotExist)
	},
	conflict: func(err error) bool { return isGS(err, http.StatusConflict) },
	noBucket: func(err error) bool { return errors.Is(err, storage.ErrBucketNotExist) },
	blind:    true,
	part:     cloudPart,
}

func isGS(err error, status int) bool {
	e, ok := errors.AsType[*googleapi.Error](err)
	return ok && e.Code == status
}

func openGS(ctx context.Context, name string, q url.Values) (*blob.Bucket, *cloud, error) {
	values, err := parameters(q, "endpoint")
	if err != nil {
		return nil, nil, err
	}
	options := []option.ClientOption{storage.WithJSONReads()}
	if endpoint := values[0]; endpoint != "" {
		if endpoint, err = secretEndpoint(endpoint); err != nil {
			return nil, nil, err
		}
		options = append(options, option.WithEndpoint(endpoint+"/storage/v1/"))
	}
	// The context is that of all later requests for tokens.
	forTokens := context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, &http.Client{Transport: cloudTransport(), Timeout: cloudKeys})
	credentials, err := gcp.DefaultCredentials(forTokens)
	if err == nil {
		_, err = credentials.TokenSource.Token()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("there are no credentials for Google Cloud Storage: set GOOGLE_APPLICATION_CREDENTIALS to a file, run gcloud auth application-default login, or give the machine a service account: %w", err)
	}
	client, err := gcp.NewHTTPClient(fewTries{cloudTransport()}, credentials.TokenSource)
	if err != nil {
		return nil, nil, err
	}
	c, err := storage.NewClient(ctx, append(options, option.WithHTTPClient(&client.Client))...)
	if err != nil {
		return nil, nil, err
	}
	// Each request may be repeated: files have the names of their bytes, and notes conditions.
	c.SetRetry(storage.WithPolicy(storage.RetryAlways), storage.WithMaxAttempts(cloudTries), storage.WithErrorFunc(tryAgain),
		storage.WithBackoff(gax.Backoff{Initial: cloudFirst, Max: cloudPause}))
	b, err := gcsblob.OpenBucket(ctx, nil, name, &gcsblob.Options{Client: c})
	return b, gsCloud, err
}
