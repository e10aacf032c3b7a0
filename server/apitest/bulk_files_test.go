package apitest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/server/internal/harness"
	"tcode/server/issue/bulk/intake"
)

// get returns a file of a job, which is not JSON in the contract.
func (w *world) get(address string) harness.Answer {
	w.T.Helper()
	return w.Want(w.Get(w.Key, address), http.StatusOK)
}

const mark = "\ufeff"

// tableOf reads a CSV file, which has a byte order mark.
func tableOf(t testing.TB, file []byte) [][]string {
	t.Helper()
	text, ok := strings.CutPrefix(string(file), mark)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || !ok {
		t.Fatalf("%q: %v", file, err)
	}
	return rows
}

// TestBulkCorrectProblems: errors.csv of a refused file is the whole file with the
// problems of each row. A person corrects it and sends it again, and the job makes
// all rows.
//
//engine:sqlite the files of the upload decide, not rows
func TestBulkCorrectProblems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	archive := zipBase64(t, map[string][]byte{"Müller.pdf": harness.PDF("m"), "b.pdf": harness.PDF("b")})
	send := func(csv string) map[string]any {
		return w.ended(stampJobsPath, map[string]any{"csvFileBase64": base64Of(csv), "zipFileBase64": archive})
	}
	refused := send(mark + "Name;fileName;DOCUMENTTYPECODE;externalId\r\n" +
		"\"Zeugnis; \"\"Müller\"\"\nzweite Zeile\";Müller.pdf;DIP;m-1\r\n" +
		"'=cmd|' /C calc'!A0;missing.pdf;DIP;m-2\r\n\r\n" +
		"Later;b.pdf;NO;m-1\r\n" +
		"Extra;b.pdf;DIP;m-4;too;much\r\n")
	if refused["status"] != "Failed" || refused["message"] == nil {
		t.Fatalf("%v", refused)
	}
	a := w.get(stampJobsPath + "/" + refused["id"].(string) + "/errors.csv")
	want := mark + "Name;fileName;DOCUMENTTYPECODE;externalId;_error\r\n" +
		"\"Zeugnis; \"\"Müller\"\"\r\nzweite Zeile\";Müller.pdf;DIP;m-1;\r\n" +
		"'=cmd|' /C calc'!A0;missing.pdf;DIP;m-2;\"fileName is not in the ZIP archive; pack the file too, or correct the name\"\r\n" +
		"Later;b.pdf;NO;m-1;\"externalId is that of line 2 too; documentTypeCode is an unknown code, not one in use such as CON, CRT, DIP, EMP, IDC, INV, LTR, MED, PMT, TCK, TRN, WBL\"\r\n" +
		"Extra;b.pdf;DIP;m-4;\"has 6 cells where the header has 4; quote cells that contain ';'\";too;much\r\n"
	if diff := cmp.Diff(want, string(a.Raw)); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	corrected := strings.NewReplacer("missing.pdf", "b.pdf", ";NO;m-1;", ";DIP;m-3;", ";too;much", "").Replace(want)
	done := send(corrected)
	if counts := done["counts"].(map[string]any); done["status"] != "Completed" || counts["succeeded"] != 4.0 {
		t.Fatalf("corrected: %v", done)
	}
	names := map[string]bool{}
	for _, row := range w.get(stampJobsPath + "/" + done["id"].(string) + "/rows").Body["items"].([]any) {
		st := w.get("/v1/tcode/stamps/" + row.(map[string]any)["id"].(string)).Data()
		names[st["name"].(string)] = true
	}
	if diff := cmp.Diff(map[string]bool{"Zeugnis; \"Müller\"\nzweite Zeile": true, "=cmd|' /C calc'!A0": true, "Later": true, "Extra": true}, names); diff != "" {
		t.Errorf("stamps, -want +got:\n%s", diff)
	}
}

// TestBulkUnreadable: errors.csv names the problem of a file that has no readable
// rows.
//
//engine:sqlite the files of the upload decide, not rows
func TestBulkUnreadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	archive := zipBase64(t, nil)
	for csv, want := range map[string]string{
		"name\nM\xfcller\n": "2,name,M\ufffdller,\"byte 0xFC is not UTF-8; save the file as \"\"CSV UTF-8\"\" (it looks like Windows-1252 or another single-byte encoding)\"",
		"name\n\"open\nx\n": "2,name,,\"a quoted cell is not closed, or a quote inside it is not doubled (\"\"\"\"); what follows was not read\"",
		"name,name\na,b\n":  "1,name,,there are two columns of this name",
		"fileName,name\n,=" + strings.Repeat("1", intake.MaxCell) + "\n\"": "2,name,'=" + strings.Repeat("1", intake.MaxValue-2) + "…,is longer than 65536 bytes",
		strings.Repeat(",", 1000): "1,,,has more than 256 cells; what follows was not read",
	} {
		j := w.ended(stampJobsPath, map[string]any{"csvFileBase64": base64Of(csv), "zipFileBase64": archive})
		got := string(w.get(stampJobsPath + "/" + j["id"].(string) + "/errors.csv").Raw)
		if !strings.HasPrefix(got, mark+"line,column,value,_error\r\n"+want+"\r\n") {
			t.Errorf("%.40q: %v, %s", csv, j["status"], got)
		}
	}
}

// TestBulkCorrectFailures: errors.csv of a job that ran has the failed rows. A
// second job with the right files makes them.
//
//engine:sqlite the files of the upload decide, not rows
func TestBulkCorrectFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rows := "fileName\tname\tdocumentTypeCode\texternalId\ngood.pdf\tGood\tDIP\tg\nbad.pdf\t-Bad\tDIP\tb\n"
	j := w.ended(stampJobsPath, map[string]any{
		"csvFileBase64": base64Of(rows), "zipFileBase64": zipBase64(t, map[string][]byte{"good.pdf": harness.PDF("g"), "bad.pdf": []byte("%PDF-1.7\nnothing")}),
	})
	address := stampJobsPath + "/" + j["id"].(string)
	if j["status"] != "CompletedWithErrors" {
		t.Fatalf("%v", j)
	}
	failed := w.get(address + "/rows?State=Failed").Body
	row := failed["items"].([]any)[0].(map[string]any)
	if failed["totalCount"] != 1.0 || row["line"] != 3.0 || row["code"] != "INVALID_PDF" || row["message"] == nil || row["id"] != nil {
		t.Errorf("%v", failed)
	}
	got := string(w.get(address + "/errors.csv").Raw)
	if want := mark + "fileName\tname\tdocumentTypeCode\texternalId\t_error\r\nbad.pdf\t'-Bad\tDIP\tb\t" + row["message"].(string) + "\r\n"; got != want {
		t.Fatalf("%q\nwant %q", got, want)
	}
	again := w.ended(stampJobsPath, map[string]any{"csvFileBase64": base64Of(got), "zipFileBase64": zipBase64(t, map[string][]byte{"bad.pdf": harness.PDF("b")})})
	if again["status"] != "Completed" {
		t.Fatalf("%v", again)
	}
	one := w.get(stampJobsPath + "/" + again["id"].(string) + "/rows").Body["items"].([]any)[0].(map[string]any)
	if st := w.get("/v1/tcode/stamps/" + one["id"].(string)).Data(); st["name"] != "-Bad" {
		t.Errorf("the name came back as %q", st["name"])
	}
}

// TestBulkResults: the archive has the stamped files, under names that are safe on
// every system, and a manifest with a line for each row.
func TestBulkResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files := map[string][]byte{"in/Zeugnis Müller.pdf": harness.PDF("m"), "CON.pdf": harness.PDF("c"), "=1+1.pdf": harness.PDF("f"), "bad.pdf": []byte("%PDF-1.7\nnothing")}
	files["found.pdf"] = bytes.Replace(harness.PDF("w"), []byte("startxref"), []byte("startxxxx"), 1) // stamped, with a warning
	letter, err := os.ReadFile("../../testdata/documents/letter.pdf")
	if err != nil {
		t.Fatal(err)
	}
	files["mail.pdf"] = bytes.ToValidUTF8(letter, []byte("\uFFFD")) // changed as text on its way
	rows := "fileName,name,documentTypeCode,externalId\nZeugnis Müller.pdf,M,DIP,m\ncon.pdf,C,DIP,c\n'=1+1.pdf,F,DIP,f\nbad.pdf,B,DIP,b\n" +
		"found.pdf,W,DIP,w\nmail.pdf,T,DIP,t\n"
	j := w.ended(stampJobsPath, map[string]any{"csvFileBase64": base64Of(rows), "zipFileBase64": zipBase64(t, files)})
	address := stampJobsPath + "/" + j["id"].(string)
	a := w.get(address + "/results.zip")
	got := unzipped(t, a.Raw)
	manifest := tableOf(t, got["manifest.csv"])
	want := [][]string{{"line", "state", "fileName", "externalId", "id", "reference", "file", "sha256", "warnings", "_error"}}
	for i, base := range []string{"Zeugnis Müller", "document", "=1+1", "", "found", ""} {
		row := w.get(address + "/rows").Body["items"].([]any)[i].(map[string]any)
		line := []string{fmt.Sprint(i + 2), row["state"].(string), strings.Replace(row["fileName"].(string), "=", "'=", 1), []string{"m", "c", "f", "b", "w", "t"}[i]}
		if base == "" {
			want = append(want, append(line, "", "", "", "", "", row["message"].(string)))
			continue
		}
		id, ref := row["id"].(string), row["reference"].(string)
		name := base + "_" + ref + ".pdf"
		sum := sha256.Sum256(got[name])
		if !bytes.Equal(got[name], w.Download(w.Key, id, "stamped")) {
			t.Errorf("%s is not the stamped PDF: %d bytes", name, len(got[name]))
		}
		want = append(want, append(line, id, ref, strings.Replace(name, "=", "'=", 1), hex.EncodeToString(sum[:]), strings.Join(stringsOf(row["warnings"], nil), "; "), ""))
	}
	if warned, mailed := want[5][8], want[6][9]; !strings.Contains(warned, "cross-reference of the file is damaged") || !strings.Contains(mailed, "changed as text on its way") {
		t.Errorf("the warning %q, the error %q", warned, mailed)
	}
	if diff := cmp.Diff(want, manifest); diff != "" || len(got) != 5 {
		t.Errorf("%d files; -want +got:\n%s", len(got), diff)
	}
}

// TestBulkDocumentProblems: a job names all problems of a row, not only the first.
//
//engine:sqlite the files of the upload decide, not rows
func TestBulkDocumentProblems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := w.documentJobBody()
	body["templateId"] = w.Made(harness.TrustTemplatesPath, map[string]any{"name": "Graded", "documentTypeCode": "DIP", "fields": []any{
		map[string]any{"key": "grade", "type": "number", "required": true}, map[string]any{"key": "seen", "type": "date"},
	}})
	body["csvFileBase64"] = base64Of("recipientName,recipientEmail,expiresAt,fileName,grade,seen\n" +
		"Ada,ada,soon,,good,today\n" +
		"Grace,,2020-01-31,,,2026-01-31\n")
	j := w.ended(documentJobsPath, body)
	var got []string
	for _, p := range j["problems"].([]any) {
		problem := p.(map[string]any)
		got = append(got, fmt.Sprintf("%v %v", problem["line"], problem["column"]))
	}
	want := []string{"2 recipientEmail", "2 expiresAt", "2 grade", "2 seen", "3 expiresAt", "3 grade"}
	if diff := cmp.Diff(want, got); diff != "" || j["status"] != "Failed" || j["message"] != "6 problems in the files: nothing was made" {
		t.Errorf("%v %q\n-want +got:\n%s", j["status"], j["message"], diff)
	}
}

// TestBulkTrust: a job issues documents with and without a PDF, with their times of
// validity.
func TestBulkTrust(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := w.documentJobBody()
	body["issuancePath"] = "digital"
	body["validityType"], body["validUntil"] = "Until", "2040-05-06T07:08:09Z"
	delete(body, "validityValue")
	delete(body, "validityUnit")
	body["csvFileBase64"] = base64Of("recipientName,fileName,expiresAt,holder\nAda,a.pdf,,x\nBob,,2031-12-31,y\n")
	j := w.ended(documentJobsPath, body)
	if j["status"] != "Completed" || j["settings"].(map[string]any)["validUntil"] != "2040-05-06T07:08:09Z" {
		t.Fatalf("%v", j)
	}
	address := documentJobsPath + "/" + j["id"].(string)
	var expires []any
	for _, row := range w.get(address + "/rows").Body["items"].([]any) {
		expires = append(expires, w.get(harness.DocumentsPath + "/" + row.(map[string]any)["id"].(string)).Data()["expiresAt"])
	}
	if diff := cmp.Diff([]any{"2040-05-06T07:08:09Z", "2032-01-01T00:00:00Z"}, expires); diff != "" {
		t.Error(diff)
	}
	if got := unzipped(t, w.get(address+"/results.zip").Raw); len(got) != 2 || !strings.Contains(string(got["manifest.csv"]), "Succeeded") {
		t.Errorf("%d files", len(got))
	}
	for change, field := range map[string]string{`"validUntil":null`: "validUntil", `"validityUnit":"days"`: "validityUnit", `"validUntil":"2001-01-01T00:00:00Z"`: "validUntil"} {
		b := w.documentJobBody()
		b["validityType"], b["validUntil"] = "Until", "2040-05-06T07:08:09Z"
		delete(b, "validityValue")
		delete(b, "validityUnit")
		name, value, _ := strings.Cut(strings.ReplaceAll(change, `"`, ""), ":")
		if b[name] = any(value); value == "null" {
			b[name] = nil
		}
		a := w.WantCode(w.Post(w.Key, documentJobsPath, b), 400, "VALIDATION_FAILED")
		if errs := a.Body["errors"].(map[string]any); len(errs) != 1 || errs[field] == nil {
			t.Errorf("%s: %v", change, errs)
		}
	}
}

// TestCSVTemplates: a job accepts the columns and the example of csv-fields.
//
//engine:sqlite the files of the upload decide, not rows
func TestCSVTemplates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct{ fields, jobs, member, id string }{
		{tdocPath + "/" + w.Tdoc, stampJobsPath, "tdocTemplateId", w.Tdoc},
		{harness.TrustTemplatesPath + "/" + w.Trust, documentJobsPath, "templateId", w.Trust},
	} {
		a := w.Want(w.Do(harness.Request{Method: "GET", Path: tt.fields + "/csv-fields", Key: w.Key, Header: http.Header{"Accept": {"text/csv"}}}), http.StatusOK)
		rows := tableOf(t, a.Raw)
		b := w.jobBody(tt.jobs)
		b["csvFileBase64"] = base64.StdEncoding.EncodeToString(a.Raw)
		files := map[string][]byte{}
		for i, name := range rows[0] {
			if name == "fileName" {
				files[rows[1][i]] = harness.PDF("example")
			}
		}
		b["zipFileBase64"] = zipBase64(t, files)
		if j := w.ended(tt.jobs, b); j["status"] != "Completed" {
			t.Errorf("the example of %s: %v", tt.jobs, j)
		}
	}
}

// TestBulkOffice: files as offices make them are read, where they have one meaning. What has
// two is a problem of its cell.
//
//engine:sqlite the files of the upload decide, not rows
func TestBulkOffice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := w.documentJobBody()
	body["templateId"] = w.Made(harness.TrustTemplatesPath, map[string]any{"name": "Graded", "documentTypeCode": "DIP", "fields": []any{
		map[string]any{"key": "grade", "type": "number"}, map[string]any{"key": "date of birth", "type": "date"},
	}})
	body["dryRun"], body["issuancePath"] = true, "digital"
	send := func(csv string) map[string]any {
		body["csvFileBase64"] = base64Of(csv)
		return w.ended(documentJobsPath, body)
	}
	good := send("\"sep=|\"\rRecipientName|expiresAt|generatePdf|Date\u00a0of birth|grade|\rAda|31.12.2099 00:00|FALSCH|1.2.1990|1.234,5|\r\rGrace|2099-12-31 00:00:00|Non|1990/2/1|2,5||\r||||\r")
	if good["status"] != "Completed" || good["counts"].(map[string]any)["total"] != 2.0 {
		t.Errorf("%v", good)
	}
	bad := send("recipientName;expiresAt;generatePdf;date of birth;grade\nAda;12/31/2099;maybe;1/2/1990;1,234\nGrace;46752;;31.2.1990;x\n")
	var got []string
	for _, p := range bad["problems"].([]any) {
		problem := p.(map[string]any)
		got = append(got, fmt.Sprintf("%v %v %v", problem["line"], problem["column"], problem["message"]))
	}
	const order = " does not say which number is the day, the month or the century; write the year first, such as 2026-01-31"
	want := []string{
		"2 expiresAt" + order, "2 generatePdf must be true or false", "2 grade may be 1234 or 1.234; write the one that is meant", "2 date of birth" + order,
		"3 expiresAt is a count of days, as spreadsheets keep dates; format the column as text or date, such as 2026-01-31",
		"3 grade must be a number such as -12.50", "3 date of birth must be a date such as 2026-01-31",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestBulkSwapped: a CSV file and an archive that are swapped are one problem.
//
//engine:sqlite the files of the upload decide, not rows
func TestBulkSwapped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rows, archive := base64Of("fileName,name,documentTypeCode\na.pdf,A,DIP\n"), zipBase64(t, map[string][]byte{"a.pdf": harness.PDF("a")})
	workbook := zipBase64(t, map[string][]byte{"[Content_Types].xml": nil, "xl/workbook.xml": nil})
	for _, tt := range []struct {
		csv, zip string
		want     []string
	}{
		{archive, rows, []string{"the CSV file and the ZIP archive are swapped; send the CSV file as CSV and the ZIP archive as ZIP"}},
		{workbook, archive, []string{`the CSV file is an Excel workbook; save it in Excel as "CSV UTF-8", and send that file`}},
		{rows, workbook, []string{"the file sent as ZIP archive is an office document; pack the PDFs into a ZIP archive, and send that"}},
	} {
		j := w.ended(stampJobsPath, map[string]any{"csvFileBase64": tt.csv, "zipFileBase64": tt.zip})
		var got []string
		for _, p := range j["problems"].([]any) {
			got = append(got, p.(map[string]any)["message"].(string))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}
