package apitest

import (
	"net/http"
	"testing"
	"time"

	"tcode/server/internal/harness"
	"tcode/server/tenant"
)

// TestRevokedKeyEndsJobs: a scheduled job ends with the key that ordered it, and makes nothing.
// The key's record lists that, and what the key made and stays.
//
//engine:sqlite TestAuthors has the jobs on both
func TestRevokedKeyEndsJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stolen := limitedKey(w.Rig, "ACME01", tenant.ScopeStamp, tenant.ScopeManage)
	made := w.Want(w.Post(stolen, keysPath, map[string]any{"name": "hidden", "scopes": []any{"stamp"}}), http.StatusCreated).Data()
	body := w.documentJobBody()
	body["scheduledFor"] = time.Now().AddDate(0, 3, 0).UTC().Format(time.RFC3339)
	job := w.Want(w.Post(stolen, documentJobsPath, body), http.StatusCreated).Data()
	prefix := stolen[len("tck_live_"):][:8]
	want := map[string]string{job["id"].(string): "bulk-job", made["prefix"].(string): "key"}
	left := w.Want(w.Get(w.Key, keysPath+"/"+prefix), http.StatusOK).Body["leftBehind"].([]any)
	for _, one := range left {
		l := one.(map[string]any)
		if kind := want[l["id"].(string)]; kind != l["kind"] || l["endsWithKey"] != (kind == "bulk-job") {
			t.Errorf("left behind: %v", l)
		}
	}
	if len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
	w.Want(w.Do(harness.Request{Method: "POST", Key: w.Key, Path: keysPath + "/" + prefix + "/revoke"}), http.StatusNoContent)
	ended := w.Want(w.Get(w.Key, documentJobsPath+"/"+job["id"].(string)), http.StatusOK).Data()
	if ended["status"] != "Failed" || ended["message"] != "its author may no longer issue" {
		t.Errorf("%v %v", ended["status"], ended["message"])
	}
	if left := w.Want(w.Get(w.Key, keysPath+"/"+prefix), http.StatusOK).Body["leftBehind"].([]any); len(left) != 1 {
		t.Errorf("left behind afterwards: %v", left)
	}
}
