package apitest

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"tcode/server/internal/harness"
	"tcode/server/issue/stamp"
)

// stampsPath is where stamps are made.
const stampsPath = "/v1/tcode/stamps"

// largePDF is a file of about size bytes, most of them comments.
func largePDF(text string, size int) []byte {
	line := []byte(strings.Repeat("%", 1023) + "\n")
	return append(harness.PDF(text), bytes.Repeat(line, size/len(line))...)
}

// TestLargeFilesInMemory: a gateway never holds a whole file in memory: neither
// one that it receives, for any operation and in any encoding, nor one that it
// sends.
func TestLargeFilesInMemory(t *testing.T) {
	t.Parallel()
	w, grown := measured(t)
	w.FurnishTrust()
	pdf := base64.StdEncoding.EncodeToString(largePDF("large", stamp.DefaultMaxPDF-8<<10))
	with := func(body map[string]any) map[string]any {
		body["pdf"] = pdf
		if body["issuancePath"] != nil {
			body["issuancePath"] = "both"
		}
		return body
	}
	var made string // the first stamp
	for i, q := range []struct {
		path   string
		body   map[string]any
		status int
	}{
		{stampsPath, with(w.StampBody()), 201},
		{stampsPath + "/" + w.FreshStamp() + "/replace", with(w.ReplaceBody()), 200},
		{"/v1/tcode/templates/placement/preview", map[string]any{"pdf": pdf}, 200},
		{harness.DocumentsPath, with(w.IssuanceBody()), 201},
		{harness.DocumentsPath + "/" + w.freshDocument() + "/replace", with(w.replacementBody()), 200},
		{stampsPath, map[string]any{"name": "n", "documentTypeCode": "DIP", "pdf": pdf + strings.Repeat("AAAA", 4<<10)}, 413}, // at its end
		{stampsPath, map[string]any{"name": "n", "documentTypeCode": "DIP", "pdf": pdf + "!"}, 400},
	} {
		body, err := json.Marshal(q.body)
		if err != nil {
			t.Fatal(err)
		}
		encodings := []string{"identity"}
		if i%3 == 0 {
			encodings = append(encodings, "gzip")
		}
		for _, encoding := range encodings {
			sent, h := body, http.Header{"Idempotency-Key": {fmt.Sprint("k", i)}, "Content-Encoding": {encoding}}
			if encoding == "gzip" {
				sent = packed(t, body)
			}
			a := w.Want(w.Do(harness.Request{Method: "POST", Path: q.path, Key: w.Key, Body: sent, Header: h}), q.status)
			if made == "" {
				made = a.Data()["id"].(string)
			}
			if again := a.Header.Get("Idempotent-Replayed") != ""; again != (encoding == "gzip" && q.status < 300 && !strings.HasSuffix(q.path, "preview")) {
				t.Errorf("%s in %s: answered from the stored answer: %t", q.path, encoding, again)
			}
		}
	}
	var downloads errgroup.Group
	_, path, _ := strings.Cut(w.get(stampsPath + "/" + made + "/download").Data()["url"].(string), "/v1/")
	for range 20 {
		downloads.Go(func() error {
			res, err := http.Get(w.URL + "/v1/" + path)
			if err != nil {
				return err
			}
			defer res.Body.Close()
			time.Sleep(100 * time.Millisecond) // all requests have begun
			n, err := io.Copy(io.Discard, res.Body)
			if err == nil && n < stamp.DefaultMaxPDF-9<<10 {
				err = fmt.Errorf("%s, %d bytes", res.Status, n)
			}
			return err
		})
	}
	if err := downloads.Wait(); err != nil {
		t.Errorf("download: %v", err)
	}
	if n := grown(); n > mostGrowth { // less than three of the files, of which 20 went out concurrently
		t.Errorf("peak memory grew by %d KiB", n>>10)
	} else {
		t.Logf("peak memory grew by %d KiB", n>>10)
	}
}

// packed is data in gzip.
func packed(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	if _, err := zw.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestLargeFilesEnd: a request with a file leaves no file on the disk and none
// open, however it ends.
func TestLargeFilesEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := rows(w.Rig)
	pdf := base64.StdEncoding.EncodeToString(largePDF("large", 1<<20))
	good := `{"name":"n","documentTypeCode":"DIP","pdf":"` + pdf + `"}`
	for name, body := range map[string]string{
		"cut off":       good[:len(good)-1],
		"no Base64":     strings.Replace(good, `"}`, `!"}`, 1),
		"line breaks":   strings.Replace(good, pdf[:40], pdf[:40]+`\n`, 1),
		"twice":         strings.Replace(good, `"name"`, `"pdf":"AAAA","name"`, 1),
		"no such type":  strings.Replace(good, "DIP", "N-O", 1),
		"not a PDF":     `{"name":"n","documentTypeCode":"DIP","pdf":"` + strings.Repeat("AAAA", 100_000) + `"}`,
		"another name":  strings.Replace(good, `"pdf"`, `"Pdf"`, 1),
		"two documents": good + good,
	} {
		h := http.Header{"Content-Type": {"application/json"}}
		want := http.StatusBadRequest
		if name == "another name" || name == "two documents" { // a second file, or one of no member, is too long for the rest
			want = http.StatusRequestEntityTooLarge
		}
		if a := w.Do(harness.Request{Method: "POST", Path: stampsPath, Key: w.Key, Body: body, Header: h}); a.StatusCode != want {
			t.Errorf("%s: %d %.200s", name, a.StatusCode, a.Raw)
		}
	}
	for range 3 { // clients that go away
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", stampsPath, w.Key, len(good), good[:len(good)/2])
		conn.Close()
	}
	folder := filepath.Join(w.Dir, "spool")
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		open, left := openBelow(t, folder), entries(t, folder)
		if open == 0 && left == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d files are open, %d are left", open, left)
		}
	}
	for table, n := range rows(w.Rig) {
		if (table == "stamps" || table == "once") && n != before[table] {
			t.Errorf("%d rows of %s, before %d", n, table, before[table])
		}
	}
}

// entries counts the entries of a folder.
func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
