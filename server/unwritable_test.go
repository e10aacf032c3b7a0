//go:build linux

package server_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/platform/keyring"
	"tcode/server/store/storetest"
)

// TestFilesUnwritable: where files cannot be stored or worked on nothing is made, in whole or
// in half, and says so; what needs no file goes on; and with the files back
// everything does, without a restart.
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
				w := newWorldOn(t, e)
				files := filepath.Join(w.dir, "files")
				before := len(partsOf(t, files))
				get := func(path string) answer { return w.do(request{method: "GET", path: path}) }
				ready := func(status int) answer {
					t.Helper()
					a := get("/readyz")
					for end := time.Now().Add(time.Minute); a.StatusCode != status && time.Now().Before(end); a = get("/readyz") {
						time.Sleep(50 * time.Millisecond) // what was found holds for a second
					}
					return w.want(a, status)
				}
				ready(http.StatusOK)
				giveBack := take(t, filepath.Join(w.dir, folder))
				questions := []request{
					{path: "/v1/tcode/stamps", body: w.stampBody()},
					{path: "/v1/tcode/stamps/" + w.standing["id"].(string) + "/replace", body: w.replaceBody()},
					{path: documentsPath, body: w.issuanceBody()},
				}
				if folder == "files" {
					questions = append(questions, w.ask("createTcodeBulkJob"))
				} else {
					questions = append(questions, request{path: "/v1/tcode/templates/placement/preview", body: map[string]any{"pdf": pdfOf("preview")}})
				}
				for _, q := range questions {
					q.method, q.key = "POST", w.key
					a := w.wantCode(w.do(q), http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE")
					if message, _ := a.body["message"].(string); a.Header.Get("Retry-After") == "" || !strings.Contains(message, "cannot read or write") {
						t.Errorf("%s: %v %s", q.path, a.Header, a.raw)
					}
				}
				if a := ready(http.StatusServiceUnavailable); !strings.Contains(string(a.raw), "cannot store") {
					t.Errorf("/readyz: %s", a.raw)
				}
				w.want(get("/healthz"), http.StatusOK)
				ref := w.standing["reference"].(string)
				a := w.want(get("/v1/tcode/verify/reference/"+ref), http.StatusOK)
				if a.data()["verdict"] != "valid" {
					t.Errorf("verdict: %s", a.raw)
				}
				// A revocation needs no file.
				w.want(w.do(request{method: "POST", path: "/v1/tcode/stamps/" + w.standing["id"].(string) + "/revoke", key: w.key}), http.StatusNoContent)
				a = w.want(w.do(request{method: "GET", path: "/v1/tcode/stamps", key: w.key}), http.StatusOK)
				count := a.body["totalCount"]

				giveBack()
				ready(http.StatusOK)
				a = w.want(w.do(request{method: "GET", path: "/v1/tcode/stamps", key: w.key}), http.StatusOK)
				if a.body["totalCount"] != count {
					t.Errorf("%v stamps, were %v", a.body["totalCount"], count)
				}
				w.freshStamp()
				if _, kinds := fsck(t, w.admin, server.FsckOptions{}); len(kinds) != 0 {
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

// partsOf are the files of a store that are none of it.
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
// is not ready, makes no stamps by keys that it cannot open, and goes on once the
// file is back.
func TestKeysetUnreadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	get := func() answer { return w.do(request{method: "GET", path: "/readyz"}) }
	w.want(get(), http.StatusOK)
	path := filepath.Join(w.dir, keyring.FileName)
	must(t, os.Rename(path, path+".away"))
	w.wantCode(get(), http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE")
	must(t, os.Rename(path+".away", path))
	w.want(get(), http.StatusOK)
}
