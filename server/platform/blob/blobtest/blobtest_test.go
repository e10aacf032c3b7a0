package blobtest_test

import (
	"testing"

	"tcode/server/platform/blob"
	"tcode/server/platform/blob/blobtest"
)

// TestServers: both servers of S3 have an empty bucket. The first run builds one of them.
func TestServers(t *testing.T) {
	t.Parallel()
	for _, bucket := range []blobtest.Bucket{blobtest.S3(t), blobtest.Versity(t)} {
		s, err := blob.OpenURL(t.Context(), bucket.URL)
		if err != nil {
			t.Fatal(err)
		}
		if empty, err := s.Empty(t.Context()); err != nil || !empty {
			t.Errorf("%s: %v, %v, want an empty bucket", bucket.URL, empty, err)
		}
	}
}
