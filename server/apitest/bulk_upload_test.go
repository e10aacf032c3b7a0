package apitest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/issue/bulk"
	"tcode/server/tenant"
)

// TestBulkPlans: bulk jobs need their own entitlement and that of their product. A
// quota counts them, and the audit log has an entry for each job that a tenant
// makes, cancels or retries.
func TestBulkPlans(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct {
		path string
		kind tenant.Entitlement
	}{{stampJobsPath, tenant.EntitledStamps}, {documentJobsPath, tenant.EntitledTrust}} {
		failed, waiting := w.failedJob(tt.path), w.waitingJob(tt.path)
		body := w.jobBody(tt.path)
		for _, has := range []tenant.Entitlement{tenant.EntitledBulk, tt.kind} {
			plan(w.Rig, "ACME01", func(p *tenant.Plan) { p.All, p.Entitled = false, []tenant.Entitlement{has} })
			for _, q := range []harness.Request{{Path: tt.path, Body: body}, {Path: tt.path + "/" + failed + "/retry"}} {
				q.Method, q.Key = "POST", w.Key
				if a := w.WantCode(w.Do(q), http.StatusForbidden, "FORBIDDEN"); a.Body["reason"] != "not_entitled" {
					t.Errorf("%s with %s: %s", q.Path, has, a.Raw)
				}
			}
			w.get(tt.path + "/" + failed + "/errors.csv")
		}
		w.Want(w.Post(w.Key, tt.path+"/"+waiting+"/cancel", nil), http.StatusNoContent)
		plan(w.Rig, "ACME01", func(p *tenant.Plan) { p.All = true })
		w.Want(w.Post(w.Key, tt.path+"/"+failed+"/retry", nil), http.StatusOK)
		rows, err := w.Admin.Tenants.Audit(t.Context(), tenant.AuditFilter{Tenant: "ACME01", Action: "bulk."})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range rows[:4] {
			got = append(got, r.Action+" "+r.Subject)
		}
		if want := []string{"bulk.retry " + failed, "bulk.cancel " + waiting, "bulk.create " + waiting, "bulk.create " + failed}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("audit rows %v, want %v", got, want)
		}
	}
	plan(w.Rig, "ACME01", func(p *tenant.Plan) { p.Quotas[tenant.KindBulkJobs] = 1 })
	a := w.WantCode(w.Post(w.Key, stampJobsPath, w.stampJobBody()), http.StatusForbidden, "FORBIDDEN")
	if a.Body["reason"] != "quota_exceeded" {
		t.Errorf("%s", a.Raw)
	}
}

// TestBulkOnce: an Idempotency-Key covers the whole body with its files, in any
// content encoding.
func TestBulkOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body, err := json.Marshal(w.stampJobBody())
	if err != nil {
		t.Fatal(err)
	}
	send := func(body any, encoding string) harness.Answer {
		return w.Do(harness.Request{Method: "POST", Path: stampJobsPath, Key: w.Key, Body: body, Header: http.Header{"Idempotency-Key": {"k"}, "Content-Encoding": {encoding}}})
	}
	first, again := w.Want(send(body, "identity"), http.StatusCreated), w.Want(send(packed(t, body), "gzip"), http.StatusCreated)
	if !bytes.Equal(first.Raw, again.Raw) || again.Header.Get("Idempotent-Replayed") != "true" || first.Header.Get("Location") != again.Header.Get("Location") {
		t.Errorf("the repeat: %v %s, first %s", again.Header, again.Raw, first.Raw)
	}
	at := bytes.LastIndex(body, []byte("UEsDB")) // inside the archive
	other := bytes.Clone(body)
	other[at+10] = map[bool]byte{true: 'B', false: 'A'}[other[at+10] == 'A']
	if a := send(other, "identity"); a.StatusCode != http.StatusUnprocessableEntity || a.Body["code"] != "IDEMPOTENCY_KEY_REUSED" {
		t.Errorf("another archive: %d %s", a.StatusCode, a.Raw)
	}
	list := w.get(stampJobsPath).Body
	if list["totalCount"] != 1.0 {
		t.Errorf("%v jobs, want 1", list["totalCount"])
	}
}

// TestBulkUploadEnds: an upload leaves nothing behind, however it ends.
//
//engine:sqlite the files of the upload decide, not rows
func TestBulkUploadEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := rows(w.Rig)
	good, err := json.Marshal(w.stampJobBody())
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{
		"broken JSON": string(good[:len(good)-1]), "no Base64": strings.Replace(string(good), "UEsDB", "UEsD!", 1), "line breaks": strings.Replace(string(good), "UEsDB", `UEs\nDB`, 1),
		"empty": `{"csvFileBase64":"","zipFileBase64":""}`, "nothing": "",
	} {
		if a := w.Do(harness.Request{Method: "POST", Path: stampJobsPath, Key: w.Key, Body: body, Header: http.Header{"Content-Type": {"application/json"}}}); a.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.Raw)
		}
	}
	addr := strings.TrimPrefix(w.URL, "http://")
	for range 3 { // clients that go away
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n%s", stampJobsPath, w.Key, good[:len(good)/2])
		conn.Close()
	}
	deadline := time.Now().Add(10 * time.Second)
	// A new file has its name for a moment.
	for open, named := 1, 1; open > 0 || named > 0; time.Sleep(10 * time.Millisecond) {
		if open, named = openBelow(t, filepath.Join(w.Dir, "spool", "work-")), uploads(t, w.Dir); (open > 0 || named > 0) && time.Now().After(deadline) {
			t.Fatalf("%d files of uploads are open, %d are left", open, named)
		}
	}
	after := rows(w.Rig)
	if before["bulk_jobs"] != after["bulk_jobs"] || before["once"] != after["once"] {
		t.Errorf("the upload stored rows: %v", changed(before, after))
	}
}

// openBelow counts the open files of this process whose path begins with prefix,
// also those without a name.
func openBelow(t *testing.T, prefix string) (n int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		unmeasured(t, err)
	}
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && strings.HasPrefix(target, prefix) {
			n++
		}
	}
	return n
}

// TestBulkSlowUpload: an upload may take longer than the server's time for a
// request, as long as it goes on.
//
//engine:sqlite the files of the upload decide, not rows
func TestBulkSlowUpload(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *server.Config) { c.Timeouts.Read, c.Timeouts.Write = time.Second, time.Second })
	body, err := json.Marshal(w.stampJobBody())
	if err != nil {
		t.Fatal(err)
	}
	in, out := io.Pipe()
	go func() {
		for part := range 8 {
			out.Write(body[part*len(body)/8 : (part+1)*len(body)/8])
			time.Sleep(300 * time.Millisecond)
		}
		out.Close()
	}()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+stampJobsPath, in)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("x-api-key", w.Key)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if raw, err := io.ReadAll(res.Body); res.StatusCode != http.StatusCreated {
		t.Errorf("%d %s %v", res.StatusCode, raw, err)
	}
}

// TestBulkResultsCutShort: the answer with an archive ends with an error if the
// gateway cannot complete the archive.
//
//engine:sqlite the files of the upload decide, not rows
func TestBulkResultsCutShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files := map[string][]byte{}
	noise := make([]byte, 100_000) // does not compress: the answer begins before the gateway finds the fault
	rand.NewChaCha8([32]byte{}).Read(noise)
	noise = []byte("% " + hex.EncodeToString(noise) + "\n")
	rows := "fileName,name,documentTypeCode\n"
	for i := range 4 {
		name := fmt.Sprintf("%d.pdf", i)
		files[name] = append(harness.PDF(name), noise...)
		rows += name + "," + name + ",DIP\n"
	}
	j := w.ended(stampJobsPath, map[string]any{"csvFileBase64": base64Of(rows), "zipFileBase64": zipBase64(t, files)})
	address := stampJobsPath + "/" + j["id"].(string)
	last := w.get(address + "/rows").Body["items"].([]any)[3].(map[string]any)
	st := w.get("/v1/tcode/stamps/" + last["id"].(string)).Data()
	err := filepath.WalkDir(filepath.Join(w.Dir, "files"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == st["stampedSha256"] {
			return os.Remove(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+address+"/results.zip", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("x-api-key", w.Key)
	res, err := new(http.Transport).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if raw, err := io.ReadAll(res.Body); err == nil || res.StatusCode != http.StatusOK {
		t.Errorf("%d, an archive of %d bytes that ends well, without one of its files", res.StatusCode, len(raw))
	}
}

// TestBulkKinds: the job of one product is unknown at the address of the other.
//
//engine:sqlite the files of the upload decide, not rows
func TestBulkKinds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, other := range map[string]string{stampJobsPath: documentJobsPath, documentJobsPath: stampJobsPath} {
		id := w.doneJob(path)
		for _, rest := range []string{"", "/progress", "/rows", "/errors.csv", "/results.zip"} {
			w.WantCode(w.Get(w.Key, other+"/"+id+rest), http.StatusNotFound, "NOT_FOUND")
		}
		for _, action := range []bulk.Action{bulk.Retry, bulk.Cancel} {
			w.WantCode(w.Post(w.Key, other+"/"+id+"/"+string(action), nil), http.StatusNotFound, "NOT_FOUND")
		}
	}
}
