package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/issue/bulk"
	"tcode/server/issue/bulk/intake"
	"tcode/server/issue/stamp"
	"tcode/server/platform/spool"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// upload returns a CSV file of n rows and its archive.
func upload(t testing.TB, n int) (csv, archive *bytes.Reader) {
	t.Helper()
	rows := []string{"fileName,name,documentTypeCode,externalId"}
	for i := range n {
		rows = append(rows, fmt.Sprintf("diploma.pdf,Row %d,DIP,R-%d", i+1, i+1))
	}
	return bytes.NewReader([]byte(strings.Join(rows, "\n"))), harness.ZIP(t, map[string][]byte{"in/Diploma.pdf": harness.PDF("diploma")})
}

// over waits until a job is over.
func over(r *harness.Rig, ref, id string) bulk.Job {
	r.T.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		j, err := r.Admin.Bulk.Get(r.T.Context(), ref, bulk.TCode, id)
		if err != nil {
			r.T.Fatal(err)
		}
		if j.Status.Over() {
			return j
		}
	}
	r.T.Fatal("the job does not end")
	return bulk.Job{}
}

func order(r *harness.Rig, ref string, q bulk.Request) bulk.Job {
	r.T.Helper()
	q.Product = bulk.TCode
	j, err := r.Admin.Bulk.Create(r.T.Context(), r.Identity(ref), q)
	if err != nil {
		r.T.Fatal(err)
	}
	return j
}

//race:on rows are stamped concurrently
func TestBulkStamps(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		r := harness.StartOn(t, e)
		r.Tenant("ACME01")
		csv, archive := upload(t, 12)
		made := order(r, "ACME01", bulk.Request{CSV: csv, ZIP: archive})
		j := over(r, "ACME01", made.ID)
		if diff := cmp.Diff(bulk.Counts{Total: 12, Succeeded: 12}, j.Counts); diff != "" || j.Status != bulk.Completed || j.StartedAt.IsZero() || j.FinishedAt.Before(j.StartedAt) {
			t.Fatalf("%+v\n%s", j, diff)
		}
		rows, err := r.Admin.Bulk.Rows(t.Context(), "ACME01", bulk.TCode, j.ID)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			st, err := r.Admin.Stamps.Get(t.Context(), "ACME01", row.Made.ID)
			if err != nil || st.Name != fmt.Sprintf("Row %d", i+1) || st.ExternalID != fmt.Sprintf("R-%d", i+1) || st.Reference.String() != row.Made.Reference {
				t.Errorf("row %d: %+v, stamp %q %q, %v", i+1, row, st.Name, st.ExternalID, err)
			}
		}
		page, err := r.Admin.Stamps.List(t.Context(), "ACME01", stamp.Filter{})
		if err != nil || page.TotalCount != 12 {
			t.Errorf("%d stamps, %v, want 12", page.TotalCount, err)
		}
		report, err := r.Admin.Fsck(t.Context(), server.FsckOptions{}, func(p store.Problem) { t.Errorf("fsck: %+v", p) })
		if err != nil || report.Files == 0 {
			t.Errorf("fsck: %+v, %v", report, err)
		}
	})
}

//engine:sqlite the files of the upload decide, not rows
func TestBulkProblems(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		r := harness.StartOn(t, e)
		r.Tenant("ACME01")
		pdf := harness.PDF("diploma")
		csv := strings.Join([]string{
			"fileName;name;documentTypeCode;externalId",
			"a.pdf;Good;DIP;1",
			"missing.pdf;No file;DIP;2",
			"a.pdf;;XXX;3",
			"a.pdf;Twice;DIP;1",
			"b.pdf;No PDF;DIP;5",
			";No name of a file;DIP;6",
		}, "\r\n")
		j := over(r, "ACME01", order(r, "ACME01", bulk.Request{CSV: bytes.NewReader([]byte(csv)), ZIP: harness.ZIP(t, map[string][]byte{"a.pdf": pdf, "b.pdf": []byte("hello")})}).ID)
		want := []intake.Problem{
			{Line: 3, Column: "fileName", Message: "is not in the ZIP archive; pack the file too, or correct the name", Value: "missing.pdf"},
			{Line: 4, Column: "name", Message: "must not be empty"},
			{Line: 4, Column: "documentTypeCode", Message: "is an unknown code, not one in use such as CON, CRT, DIP, EMP, IDC, INV, LTR, MED, PMT, TCK, TRN, WBL", Value: "XXX"},
			{Line: 5, Column: "externalId", Message: "is that of line 2 too", Value: "1"},
			{Line: 6, Column: "fileName", Message: spool.NoDocument + ": it is a text file", Value: "b.pdf"},
			{Line: 7, Column: "fileName", Message: "must not be empty"},
		}
		if diff := cmp.Diff(want, j.Problems, cmpopts.IgnoreFields(intake.Problem{}, "Said")); diff != "" || j.Status != bulk.Failed || j.Counts.Succeeded != 0 {
			t.Errorf("%+v\n-want +got:\n%s", j, diff)
		}
		page, err := r.Admin.Stamps.List(t.Context(), "ACME01", stamp.Filter{})
		if err != nil || page.TotalCount != 0 {
			t.Errorf("%d stamps, %v, want none", page.TotalCount, err)
		}
	})
}

//engine:sqlite the files of the upload decide, not rows
func TestBulkDryRun(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	r.Tenant("ACME01")
	csv, _ := upload(t, 3)
	archive := harness.ZIP(t, map[string][]byte{"diploma.pdf": harness.PDF("diploma"), "other.pdf": nil})
	j := over(r, "ACME01", order(r, "ACME01", bulk.Request{Order: bulk.Order{DryRun: true}, CSV: csv, ZIP: archive}).ID)
	if j.Status != bulk.Completed || len(j.Problems) > 0 || j.Counts.Total != 3 || j.Counts.Succeeded != 0 {
		t.Errorf("%+v", j)
	}
	if diff := cmp.Diff(bulk.Unmatched{Files: []bulk.UnmatchedName{{Name: "other.pdf"}}}, j.Unmatched); diff != "" {
		t.Error(diff)
	}
	if p := j.Progress(time.Now()); p.Percent != 100 || p.ETA != 0 {
		t.Errorf("%+v", p)
	}
}

// TestBulkUnmatched: rows without a file and files without a row are listed beside each other,
// each with the nearest name of the other list.
//
//engine:sqlite the files of the upload decide, not rows
func TestBulkUnmatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rows := "fileName,name,documentTypeCode,externalId\nMueller Anna,A,DIP,1\nletters/b.pdf,B,DIP,2\nzzz.pdf,Z,DIP,3\n"
	files := map[string][]byte{"in/Mu\u0308ller, Anna.pdf": harness.PDF("a"), "b.pdf": harness.PDF("b"), "notes.pdf": harness.PDF("n"), "__MACOSX/._b.pdf": nil}
	j := w.ended(stampJobsPath, map[string]any{"dryRun": true, "csvFileBase64": base64Of(rows), "zipFileBase64": zipBase64(t, files)})
	got, err := json.Marshal(j["unmatched"])
	want := `{"files":[{"fileName":"in/Müller, Anna.pdf","nearest":"Mueller Anna"},{"fileName":"notes.pdf","nearest":null}],"moreFiles":0,"moreRows":0,` +
		`"rows":[{"fileName":"Mueller Anna","line":2,"nearest":"in/Müller, Anna.pdf"},{"fileName":"zzz.pdf","line":4,"nearest":null}]}`
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil || j["status"] != "Failed" {
		t.Errorf("%v, %v\n%s", j["status"], err, diff)
	}
	var said []string
	for _, p := range j["problems"].([]any) {
		said = append(said, p.(map[string]any)["message"].(string))
	}
	if diff := cmp.Diff([]string{`is not in the ZIP archive; did you mean "in/Müller, Anna.pdf"?`, "is not in the ZIP archive; pack the file too, or correct the name"}, said); diff != "" {
		t.Error(diff)
	}
}

// TestBulkCancelAndRetry: a cancelled job makes no more rows, and a retried one
// makes only the missing ones.
func TestBulkCancelAndRetry(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		r := harness.StartOn(t, e)
		r.Tenant("ACME01")
		csv, archive := upload(t, 60)
		j := order(r, "ACME01", bulk.Request{CSV: csv, ZIP: archive})
		at := 0
		for deadline := time.Now().Add(time.Minute); at < 3; time.Sleep(5 * time.Millisecond) {
			now, err := r.Admin.Bulk.Get(t.Context(), "ACME01", bulk.TCode, j.ID)
			if err != nil || now.Status.Over() || time.Now().After(deadline) {
				t.Fatalf("%v %+v", err, now)
			}
			at = now.Counts.Succeeded
		}
		cancelled, err := r.Admin.Bulk.Change(t.Context(), r.Identity("ACME01"), bulk.TCode, j.ID, bulk.Cancel)
		if err != nil || cancelled.Status != bulk.Cancelling {
			t.Fatalf("%v %+v", err, cancelled)
		}
		stopped := over(r, "ACME01", j.ID)
		if stopped.Status != bulk.Cancelled || stopped.Counts.Pending() != 0 || stopped.Counts.Skipped == 0 || stopped.Counts.Succeeded != cancelled.Counts.Succeeded {
			t.Errorf("cancelled at %+v, stopped at %+v", cancelled.Counts, stopped.Counts)
		}
		if _, err := r.Admin.Bulk.Change(t.Context(), r.Identity("ACME01"), bulk.TCode, j.ID, bulk.Retry); err != nil {
			t.Fatal(err)
		}
		if done := over(r, "ACME01", j.ID); done.Status != bulk.Completed || done.Counts.Succeeded != 60 {
			t.Errorf("retried: %+v", done)
		}
		page, err := r.Admin.Stamps.List(context.WithoutCancel(t.Context()), "ACME01", stamp.Filter{})
		if err != nil || page.TotalCount != 60 {
			t.Errorf("%d stamps, %v, want 60", page.TotalCount, err)
		}
	})
}
