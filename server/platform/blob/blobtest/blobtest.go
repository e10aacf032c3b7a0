// Package blobtest runs the server of buckets for tests, and lets tests open them.
package blobtest

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "tcode/server/platform/blob/s3"
)

// Keys sets credentials of S3 for this process, once: they are read from the environment.
var Keys = sync.OnceFunc(func() {
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "secret-of-the-test",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	} {
		os.Setenv(name, value)
	}
})

// A Bucket is a new, empty bucket.
type Bucket struct {
	URL  string // for [blob.OpenURL]
	Stop func() // ends the server before the test does
}

// version is that of the S3 server, versitygw.
const version = "v1.8.0"

// S3 returns a bucket of a server in a process of its own, with its files on the disk, that
// lives until the test ends.
func S3(t testing.TB) Bucket {
	t.Helper()
	Keys()
	program := install(t, "versitygw", "github.com/versity/versitygw/cmd/versitygw", version)
	root := attributeFolder(t, os.TempDir(), "/var/tmp")
	if err := os.Mkdir(filepath.Join(root, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	addr, _, _ := freeAddress(t)
	// Attributes of objects are attributes of their files, so that both change in one step. With
	// its --sidecar they do not.
	stop := run(t, addr, exec.Command(program, "--quiet", "--port", addr,
		"--access", os.Getenv("AWS_ACCESS_KEY_ID"), "--secret", os.Getenv("AWS_SECRET_ACCESS_KEY"),
		"posix", root))
	return Bucket{URL: Address("files", "http://"+addr), Stop: stop}
}

// Address returns the address of a bucket of a server.
func Address(bucket, endpoint string) string {
	q := url.Values{"endpoint": {strings.TrimSuffix(endpoint, "/")}, "region": {"us-east-1"}, "path_style": {"true"}}
	return "s3://" + bucket + "?" + q.Encode()
}
