package apitest

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tcode/server/internal/harness"
	"tcode/server/issue/bulk"
)

const (
	stampJobsPath    = "/v1/tcode/bulk-jobs"
	documentJobsPath = "/v1/trust/bulk-jobs"
)

// stampJobBody returns an order of stamps with all its members.
func (w *world) stampJobBody() map[string]any {
	w.T.Helper()
	n := harness.Serial()
	return map[string]any{
		"tdocTemplateId": w.Tdoc, "placementTemplateId": w.Made(placementPath, placementBody()), "dryRun": false, "modeType": "standard",
		"csvFileBase64": base64Of(fmt.Sprintf("fileName,name,documentTypeCode,externalId,holder\na.pdf,Row %d,DIP,B-%d,Ada\n", n, n)),
		"zipFileBase64": zipBase64(w.T, map[string][]byte{"a.pdf": harness.PDF("row")}),
	}
}

// documentJobBody returns an order of Trust documents with all its members.
func (w *world) documentJobBody() map[string]any {
	n := harness.Serial()
	return map[string]any{
		"templateId": w.Trust, "issuancePath": "digital", "validityType": "Duration", "validityValue": 2, "validityUnit": "years",
		"scheduledFor": "2020-01-01T00:00:00Z", "dryRun": false, "modeType": "standard",
		"csvFileBase64": base64Of(fmt.Sprintf("recipientName,externalId,fileName,holder\nAda %d,B-%d,a.pdf,Ada\n", n, n)),
		"zipFileBase64": zipBase64(w.T, map[string][]byte{"a.pdf": harness.PDF("row")}),
	}
}

func base64Of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func zipBase64(t testing.TB, files map[string][]byte) string {
	t.Helper()
	b, err := io.ReadAll(harness.ZIP(t, files))
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b)
}

// jobBody returns the body of an order at an address.
func (w *world) jobBody(path string) map[string]any {
	if path == documentJobsPath {
		return w.documentJobBody()
	}
	return w.stampJobBody()
}

// ended sends an order, waits for its end and returns the job's record.
func (w *world) ended(path string, body map[string]any) map[string]any {
	w.T.Helper()
	return w.atEnd(path + "/" + w.Made(path, body))
}

// atEnd waits until the job at an address is over.
func (w *world) atEnd(address string) map[string]any {
	w.T.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		j := w.Want(w.Get(w.Key, address), http.StatusOK).Data()
		if bulk.Status(j["status"].(string)).Over() {
			return j
		}
	}
	w.T.Fatal("the job does not end")
	return nil
}

// doneJob returns the id of a job that has made its row.
func (w *world) doneJob(path string) string {
	w.T.Helper()
	if w.jobs == nil {
		w.jobs = map[string]string{}
	}
	if w.jobs[path] == "" {
		j := w.ended(path, w.jobBody(path))
		if j["status"] != "Completed" {
			w.T.Fatalf("%v", j)
		}
		w.jobs[path] = j["id"].(string)
	}
	return w.jobs[path]
}

// failedJob returns the id of a job whose files are invalid.
func (w *world) failedJob(path string) string {
	w.T.Helper()
	b := w.jobBody(path)
	b["csvFileBase64"] = base64Of("colour\nred\n")
	return w.ended(path, b)["id"].(string)
}

// waitingJob returns the id of a job that waits for its time.
func (w *world) waitingJob(path string) string {
	w.T.Helper()
	q := bulk.Request{
		Order: bulk.Order{Product: bulk.TCode}, ScheduledFor: time.Now().Add(time.Hour),
		CSV: strings.NewReader("x"), ZIP: strings.NewReader("x"),
	}
	if path == documentJobsPath {
		q.Order = bulk.Order{Product: bulk.Trust, TemplateID: w.Trust}
	}
	j, err := w.Admin.Bulk.Create(w.T.Context(), w.Identity("ACME01"), q)
	if err != nil {
		w.T.Fatal(err)
	}
	return j.ID
}

// goodBulk are the good requests of the routes of bulk jobs, and specialBulk
// those for statuses that have reasons of their own.
var (
	goodBulk    = map[string]func(w *world) harness.Request{}
	specialBulk = map[string]func(p *provoker) harness.Answer{}
)

func init() {
	for name, base := range map[string]string{"Tcode": stampJobsPath, "Trust": documentJobsPath} {
		done := func(w *world) harness.Request { return harness.Request{Path: w.doneJob(base)} }
		create := "create" + name + "BulkJob"
		goodBulk[create] = func(w *world) harness.Request { return harness.Request{Body: w.jobBody(base)} }
		goodBulk["list"+name+"BulkJobs"] = func(*world) harness.Request { return harness.Request{} }
		for _, id := range []string{"get%sBulkJob", "get%sBulkProgress", "list%sBulkRows", "get%sBulkErrors", "get%sBulkResults"} {
			goodBulk[fmt.Sprintf(id, name)] = done
		}
		goodBulk["retry"+name+"BulkJob"] = func(w *world) harness.Request { return harness.Request{Path: w.failedJob(base)} }
		goodBulk["cancel"+name+"BulkJob"] = func(w *world) harness.Request { return harness.Request{Path: w.waitingJob(base)} }

		specialBulk[create+" 400"] = with(create, body(`{}`))
		specialBulk[create+" 404"] = with(create, func(_ *provoker, q *harness.Request) {
			b := q.Body.(map[string]any)
			if delete(b, "tdocTemplateId"); base == documentJobsPath {
				b["templateId"] = anonymous
			} else {
				b["placementTemplateId"] = anonymous
			}
		})
		specialBulk[create+" 422"] = func(p *provoker) harness.Answer {
			return twice(create, func() any { return p.jobBody(base) })(p)
		}
		specialBulk["list"+name+"BulkJobs 400"] = with("list"+name+"BulkJobs", query("Page=0"))
		for _, action := range []string{"retry", "cancel"} {
			id := action + name + "BulkJob"
			specialBulk[id+" 409"] = with(id, func(p *provoker, q *harness.Request) {
				q.Path = base + "/" + p.doneJob(base) + "/" + action
			})
		}
	}
}

// unzipped returns the files of an archive by name.
func unzipped(t testing.TB, raw []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatalf("%v in %d bytes", err, len(raw))
	}
	out := map[string][]byte{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if out[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		in.Close()
	}
	return out
}
