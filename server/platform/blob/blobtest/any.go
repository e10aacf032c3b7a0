package blobtest

import (
	"os"
	"testing"
)

// Any runs the kind of store that TCODE_TEST_BUCKET names, gs or azblob, until the test ends;
// without one, [S3], which starts fastest.
func Any(t testing.TB) Bucket {
	t.Helper()
	switch kind := os.Getenv("TCODE_TEST_BUCKET"); kind {
	case "":
		return S3(t)
	case "gs":
		return GS(t)
	case "azblob":
		return Azure(t)
	default:
		t.Fatalf("TCODE_TEST_BUCKET is %q, want gs or azblob", kind)
		return Bucket{}
	}
}
