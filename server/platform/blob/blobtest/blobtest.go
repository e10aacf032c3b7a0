// Package blobtest runs the servers of buckets for tests: [S3] in the process of the test,
// and [Versity], [GS] and [Azure] in processes of their own.
package blobtest

import (
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// keys sets credentials of S3 and Azure for this process, once: they are read from the environment.
var keys = sync.OnceFunc(func() {
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "secret-of-the-test",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"AZURE_STORAGE_KEY": AzureKey,
	} {
		os.Setenv(name, value)
	}
})

// A Bucket is a new, empty bucket.
type Bucket struct {
	URL  string // for [blob.OpenURL]
	Stop func() // ends the server before the test does
}

// S3 returns a bucket that lives until the test ends.
func S3(t testing.TB) Bucket {
	t.Helper()
	keys()
	backend := s3mem.New()
	const name = "files"
	if err := backend.CreateBucket(name); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server())
	t.Cleanup(server.Close)
	return Bucket{URL: Address(name, server.URL), Stop: server.Close}
}

// Address returns the address of a bucket of a server.
func Address(bucket, endpoint string) string {
	q := url.Values{"endpoint": {strings.TrimSuffix(endpoint, "/")}, "region": {"us-east-1"}, "path_style": {"true"}}
	return "s3://" + bucket + "?" + q.Encode()
}
