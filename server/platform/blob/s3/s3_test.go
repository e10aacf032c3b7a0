package s3_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tcode/server/platform/blob"
	"tcode/server/platform/blob/blobtest"
)

// withoutKeys leaves this process no credentials of S3 but those that the test gives it.
func withoutKeys(t *testing.T) (dir string) {
	t.Helper()
	blobtest.Keys() // sets those of all tests, once
	dir = t.TempDir()
	for _, name := range []string{
		"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "false")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(dir, "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(dir, "credentials"))
	return dir
}

// TestCredentials: credentials come from the files of a profile and from the machine's role; without any,
// the error tells in one line what to set. Not parallel: it sets the environment.
func TestCredentials(t *testing.T) {
	dir := withoutKeys(t)
	used := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/role" {
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(`{"AccessKeyId":"of-role","SecretAccessKey":"s","Token":"t","Expiration":"2999-01-01T00:00:00Z"}`))
			return
		}
		_, used, _ = strings.Cut(r.Header.Get("Authorization"), "Credential=")
		used, _, _ = strings.Cut(used, "/")
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	address := blobtest.Address("files", server.URL)
	usedBy := func() string {
		t.Helper()
		s, err := blob.OpenURL(t.Context(), address)
		if err != nil {
			t.Error(err)
			return ""
		}
		defer s.Close()
		if _, err := s.Get(t.Context(), strings.Repeat("0", 64)); err == nil {
			t.Error("a file that does not exist")
		}
		return used
	}
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:1/role")
	_, err := blob.OpenURL(t.Context(), address)
	if err == nil || !strings.Contains(err.Error(), "set AWS_ACCESS_KEY_ID") || strings.Contains(err.Error(), "\n") {
		t.Errorf("no credentials: %v", err)
	}
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", server.URL+"/role")
	if got := usedBy(); got != "of-role" {
		t.Errorf("the role's are not used, but %q", got)
	}
	text := "[default]\naws_access_key_id = of-default\naws_secret_access_key = s\n" +
		"[desk]\naws_access_key_id = of-profile\naws_secret_access_key = s\n"
	if err := os.WriteFile(filepath.Join(dir, "credentials"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := usedBy(); got != "of-default" {
		t.Errorf("those of the file are not used, but %q", got)
	}
	t.Setenv("AWS_PROFILE", "desk")
	if got := usedBy(); got != "of-profile" {
		t.Errorf("those of the profile are not used, but %q", got)
	}
}

// TestForbidden: a bucket that may not be read has no missing files and removes none, and its errors
// tell no secret of a request, also where the server is gone.
func TestForbidden(t *testing.T) {
	t.Parallel()
	blobtest.Keys() // sets the credentials
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
	}))
	s, err := blob.OpenURL(t.Context(), blobtest.Address("files", server.URL))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	name := strings.Repeat("0", 64)
	for range 2 {
		_, get := s.Get(t.Context(), name)
		_, has := s.Has(t.Context(), name)
		_, put := s.Put(t.Context(), []byte("x"))
		_, _, note := s.Note(t.Context(), "x")
		set, remove := s.SetNote(t.Context(), "x", nil, "1"), s.Remove(t.Context(), name, 0)
		for i, err := range []error{get, has, put, note, set, remove} {
			switch {
			case !blob.IsUnavailable(err) || errors.Is(err, blob.ErrNotFound):
				t.Errorf("%d: %v", i, err)
			case strings.Contains(err.Error(), "secret-of-the-test"), strings.Contains(err.Error(), "?prefix"):
				t.Errorf("%d: a secret in %v", i, err)
			}
		}
		server.Close()
	}
}

// TestIgnoredConditions: a store that ignores the conditions of writes is refused.
func TestIgnoredConditions(t *testing.T) {
	t.Parallel()
	blobtest.Keys()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"0123456789abcdef0123456789abcdef"`)
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2026 15:04:05 GMT")
		if r.Method == http.MethodGet {
			w.Write([]byte("note"))
		}
	}))
	defer server.Close()
	s, err := blob.OpenURL(t.Context(), blobtest.Address("files", server.URL))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.ProveConditions(t.Context(), "store"); !errors.Is(err, blob.ErrConditions) {
		t.Errorf("ProveConditions = %v, want ErrConditions", err)
	}
}
