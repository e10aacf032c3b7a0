package blobtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// versityVersion is the S3 server for tests of killed gateways.
const versityVersion = "v1.8.0"

// Versity runs versitygw, an S3 server in a process of its own with its files on the disk,
// until the test ends.
func Versity(t testing.TB) Bucket {
	t.Helper()
	keys()
	program, root := install(t, "versitygw", "github.com/versity/versitygw/cmd/versitygw", versityVersion), attributeFolder(t, os.TempDir(), "/var/tmp")
	if err := os.Mkdir(filepath.Join(root, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	addr, _, _ := freeAddress(t)
	// Attributes of objects are attributes of their files, so that both change in one step. With
	// its --sidecar they do not.
	stop := run(t, addr, exec.Command(program, "--quiet", "--port", addr, "--access", os.Getenv("AWS_ACCESS_KEY_ID"), "--secret", os.Getenv("AWS_SECRET_ACCESS_KEY"), "posix", root))
	return Bucket{URL: Address("files", "http://"+addr), Stop: stop}
}
