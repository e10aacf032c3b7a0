//go:build linux

package opstest

import (
	"encoding/base64"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/platform/keyring"
	"tcode/server/store/storetest"
)

// TestFilesUnwritable: a gateway that cannot write files makes no stamp, not even
// in part, and says so. It still answers requests that need no file. When it can
// write files again it does all its work, without a restart.
func TestFilesUnwritable(t *testing.T) {
	for name, take := range map[string]func(t *testing.T, dir string) (giveBack func()){
		"read-only": func(t *testing.T, dir string) func() {
			if err := syscall.Mount(dir, dir, "", syscall.MS_BIND, ""); err != nil {
				if os.Getenv("CI") == "true" {
					t.Fatalf("mount: %v", err)
				}
				t.Skipf("mount: %v; a file in the folder's place is a test of the same", err)
			}
			t.Cleanup(func() { must(t, syscall.Unmount(dir, 0)) })
			remount := func(flags uintptr) { must(t, syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|flags, "")) }
			remount(syscall.MS_RDONLY)
			return func() { remount(0) }
		},
		"a file in the folder's place": func(t *testing.T, dir string) func() {
			must(t, os.Rename(dir, dir+".away"))
			must(t, os.WriteFile(dir, nil, 0o600))
			return func() {
				must(t, os.Remove(dir))
				must(t, os.Rename(dir+".away", dir))
			}
		},
	} {
		test := func(t *testing.T, folder string) {
			storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
				w := harness.NewWorldOn(t, e)
				files := filepath.Join(w.Dir, "files")
				before := len(partsOf(t, files))
				get := func(path string) harness.Answer { return w.Get("", path) }
				ready := func(status int) harness.Answer {
					t.Helper()
					a := get("/readyz")
					for end := time.Now().Add(time.Minute); a.StatusCode != status && time.Now().Before(end); a = get("/readyz") {
						time.Sleep(50 * time.Millisecond) // the gateway keeps the result for a second
					}
					return w.Want(a, status)
				}
				ready(http.StatusOK)
				giveBack := take(t, filepath.Join(w.Dir, folder))
				questions := []harness.Request{
					{Path: "/v1/tcode/stamps", Body: w.StampBody()},
					{Path: "/v1/tcode/stamps/" + w.Standing.Id.String() + "/replace", Body: w.ReplaceBody()},
					{Path: harness.DocumentsPath, Body: w.IssuanceBody()},
				}
				if folder == "files" {
					questions = append(questions, harness.Request{Path: "/v1/tcode/bulk-jobs", Body: map[string]any{
						"csvFileBase64": base64.StdEncoding.EncodeToString([]byte("fileName,name,documentTypeCode\na.pdf,A,DIP\n")),
						"zipFileBase64": base64.StdEncoding.EncodeToString([]byte("x")),
					}})
				} else {
					questions = append(questions, harness.Request{Path: "/v1/tcode/templates/placement/preview", Body: map[string]any{"pdf": harness.PDFBase64("preview")}})
				}
				for _, q := range questions {
					q.Method, q.Key = "POST", w.Key
					a := w.WantCode(w.Do(q), http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE")
					if message, _ := a.Body["message"].(string); a.Header.Get("Retry-After") == "" || !strings.Contains(message, "files") {
						t.Errorf("%s: %v %s", q.Path, a.Header, a.Raw)
					}
				}
				if a := ready(http.StatusServiceUnavailable); !strings.Contains(string(a.Raw), "cannot store") {
					t.Errorf("/readyz: %s", a.Raw)
				}
				w.Want(get("/healthz"), http.StatusOK)
				ref := w.Standing.Reference
				a := w.Want(get("/v1/tcode/verify/reference/"+ref), http.StatusOK)
				if a.Data()["verdict"] != "valid" {
					t.Errorf("verdict: %s", a.Raw)
				}
				// A revocation needs no file.
				w.Want(w.Post(w.Key, "/v1/tcode/stamps/"+w.Standing.Id.String()+"/revoke", nil), http.StatusNoContent)
				a = w.Want(w.Get(w.Key, "/v1/tcode/stamps"), http.StatusOK)
				count := a.Body["totalCount"]

				giveBack()
				ready(http.StatusOK)
				a = w.Want(w.Get(w.Key, "/v1/tcode/stamps"), http.StatusOK)
				if a.Body["totalCount"] != count {
					t.Errorf("%v stamps, were %v", a.Body["totalCount"], count)
				}
				w.FreshStamp()
				if _, kinds := fsck(t, w.Admin, server.FsckOptions{}); len(kinds) != 0 {
					t.Errorf("fsck: %v", kinds)
				}
				if parts := partsOf(t, files); len(parts) != before {
					t.Errorf("half-written files: %v", parts)
				}
			})
		}
		for _, folder := range []string{"files", "spool"} {
			t.Run(folder+" "+name, func(t *testing.T) { test(t, folder) })
		}
	}
}

// partsOf returns the files in the folder of a store that are not part of it.
func partsOf(t *testing.T, dir string) (parts []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && len(d.Name()) != 64 {
			parts = append(parts, path)
		}
		return err
	}))
	return parts
}

// TestKeysetUnreadable: a gateway that cannot read its master keyset says that it
// is not ready, and makes no stamps with keys that it cannot open. It is ready
// again once the file is back.
//
//engine:sqlite the file of keys decides
func TestKeysetUnreadable(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t)
	get := func() harness.Answer { return w.Get("", "/readyz") }
	w.Want(get(), http.StatusOK)
	path := filepath.Join(w.Dir, keyring.FileName)
	must(t, os.Rename(path, path+".away"))
	w.WantCode(get(), http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE")
	must(t, os.Rename(path+".away", path))
	w.Want(get(), http.StatusOK)
}
