package blob_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"tcode/server/platform/blob"
	"tcode/server/platform/blob/blobtest"
)

// TestNoCredentials: the error of a machine without credentials for Azure tells in one line what to
// set, and what was tried. Not parallel: it sets the environment.
func TestNoCredentials(t *testing.T) {
	for _, name := range []string{"AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_TENANT_ID", "AZURE_CLIENT_ID"} {
		t.Setenv(name, "")
	}
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "prod") // no tools of developers
	t.Setenv("IDENTITY_ENDPOINT", "http://127.0.0.1:1/")
	t.Setenv("IDENTITY_HEADER", "x")
	_, err := blob.OpenURL(t.Context(), "azblob://files?account=files")
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "AZURE_STORAGE_KEY") ||
		!strings.Contains(err.Error(), "EnvironmentCredential: missing environment variable AZURE_TENANT_ID; ") || strings.Contains(err.Error(), "----") {
		t.Errorf("the error is %v", err)
	}
}

// TestForbidden: a bucket that may not be read has no missing files, removes none, and its
// errors tell no secret of a request. Not parallel: it sets the credentials.
func TestForbidden(t *testing.T) {
	const secret = "sv=2026-01-01&sig=c2VjcmV0"
	blobtest.GoogleAccount(t)
	t.Setenv("AZURE_STORAGE_KEY", "")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", secret)
	signed := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		signed = signed || r.URL.Query().Get("sig") == "c2VjcmV0"
		w.Header().Set("X-Ms-Error-Code", "AuthorizationFailure")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		if _, err := w.Write([]byte(`{"error":{"code":403,"message":"no permission"}}`)); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	name := strings.Repeat("0", 64)
	for _, address := range []string{
		"gs://files?" + url.Values{"endpoint": {server.URL}}.Encode(),
		"azblob://files?" + url.Values{"endpoint": {server.URL + "/tcodetest"}, "account": {"tcodetest"}}.Encode(),
	} {
		s, err := blob.OpenURL(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		check := func(what string, err error) {
			t.Helper()
			if !blob.IsUnavailable(err) || errors.Is(err, blob.ErrNotFound) {
				t.Errorf("%s: %s: %v", address, what, err)
			} else if strings.Contains(err.Error(), "c2VjcmV0") || strings.Contains(err.Error(), blobtest.Token) {
				t.Errorf("%s: %s: a secret in %v", address, what, err)
			}
		}
		_, err = s.Get(t.Context(), name)
		check("Get", err)
		_, err = s.Has(t.Context(), name)
		check("Has", err)
		_, err = s.Put(t.Context(), []byte("x"))
		check("Put", err)
		_, _, err = s.Note(t.Context(), "x")
		check("Note", err)
		check("SetNote", s.SetNote(t.Context(), "x", nil, "1"))
		check("Remove", s.Remove(t.Context(), name, 0))
		if strings.HasPrefix(address, "azblob") { // a server that is gone: the error has the address
			server.Close()
			_, err = s.Get(t.Context(), name)
			check("Get without a server", err)
		}
	}
	if !signed {
		t.Error("no request had the signature")
	}
}
