package blobtest_test

import (
	"testing"

	"tcode/server/platform/blob"
	"tcode/server/platform/blob/blobtest"
)

// TestServer: the server of S3 has an empty bucket. The first run builds it.
func TestServer(t *testing.T) {
	t.Parallel()
	bucket := blobtest.S3(t)
	s, err := blob.OpenURL(t.Context(), bucket.URL)
	if err != nil {
		t.Fatal(err)
	}
	if empty, err := s.Empty(t.Context()); err != nil || !empty {
		t.Errorf("%s: %v, %v, want an empty bucket", bucket.URL, empty, err)
	}
}
