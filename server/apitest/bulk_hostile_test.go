package apitest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"tcode/server/internal/harness"
	"tcode/server/platform/spool"
)

// mostGrowth is the limit of what a job adds to a gateway's peak memory, in bytes,
// with any upload.
const mostGrowth = 64 << 20

// measured starts a gateway in a process of its own, lets it warm up with a job
// and returns how much its peak memory has grown since.
func measured(t *testing.T) (w *world, grown func() int) {
	t.Helper()
	r, cmd, _ := harness.StartProcess(t)
	pid := cmd.Process.Pid
	w = bare(r)
	w.Key = w.Tenant("ACME01")
	w.ended(stampJobsPath, map[string]any{
		"csvFileBase64": base64Of("fileName,name,documentTypeCode\na.pdf,A,DIP\n"), "zipFileBase64": zipBase64(t, map[string][]byte{"a.pdf": harness.PDF("a")}),
	})
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil { // the peak begins again
		unmeasured(t, err)
	}
	before := residentPeak(t, pid)
	return w, func() int { return residentPeak(t, pid) - before }
}

// stream sends an order. It reads the archive from r and does not hold it.
func (w *world) stream(csv string, archive io.Reader, squeeze bool) harness.Answer {
	w.T.Helper()
	in, out := io.Pipe()
	go func() {
		var to io.Writer = out
		var zw *gzip.Writer
		if squeeze {
			zw, _ = gzip.NewWriterLevel(out, gzip.BestSpeed) // a valid level
			to = zw
		}
		fmt.Fprintf(to, `{"csvFileBase64":%q,"zipFileBase64":"`, base64Of(csv))
		enc := base64.NewEncoder(base64.StdEncoding, to)
		_, err := io.Copy(enc, archive)
		enc.Close()
		io.WriteString(to, `"}`)
		if zw != nil {
			zw.Close()
		}
		out.CloseWithError(err)
	}()
	req, err := http.NewRequestWithContext(w.T.Context(), http.MethodPost, w.URL+stampJobsPath, in)
	if err != nil {
		w.T.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("x-api-key", w.Key)
	if squeeze {
		req.Header.Set("Content-Encoding", "gzip")
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		w.T.Fatal(err)
	}
	defer res.Body.Close()
	a := harness.Answer{Response: res}
	if a.Raw, err = io.ReadAll(res.Body); err != nil {
		w.T.Fatal(err)
	}
	return a
}

// TestBulkUploadMemory: a gateway writes an archive of 200 MiB to disk as it comes,
// and copies it from there into the store. It refuses an archive with one more
// byte.
//
//engine:sqlite the measured gateway runs on SQLite
func TestBulkUploadMemory(t *testing.T) {
	t.Parallel()
	w, grown := measured(t)
	const most = 200 << 20
	noise := func(n int64) io.Reader { return io.LimitReader(rand.NewChaCha8([32]byte{}), n) }
	rows := "fileName,name,documentTypeCode\na.pdf,A,DIP\n"
	w.Want(w.stream(rows, noise(most), false), http.StatusCreated)
	w.Want(w.stream(rows, noise(mostGrowth+32<<20), true), http.StatusCreated) // compressing is the dear part
	if a := w.stream(rows, noise(most+1), false); a.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(a.Raw), "zipFileBase64") {
		t.Errorf("one byte more: %d %s", a.StatusCode, a.Raw)
	}
	if left := uploads(t, w.Dir); left != 0 {
		t.Errorf("%d files of uploads are left", left)
	}
	if n := grown(); n >= mostGrowth {
		t.Errorf("peak memory grew by %d MiB", n>>20)
	} else {
		t.Logf("peak memory grew by %d KiB", n>>10)
	}
}

// uploads counts the files that uploads leave in a data folder.
func uploads(t *testing.T, dir string) (n int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "spool"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "work-") {
			n++
		}
	}
	return n
}

// packedAs returns an archive as one writer makes it.
func packedAs(t *testing.T, fill func(z *zip.Writer)) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	fill(z)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func entry(t *testing.T, z *zip.Writer, name string, r io.Reader) {
	t.Helper()
	w, err := z.Create(name)
	if err == nil {
		_, err = io.Copy(w, r)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// hostileArchives returns archives by the messages about them.
func hostileArchives(t *testing.T) map[string][]byte {
	one := func(name string, r io.Reader) []byte {
		return packedAs(t, func(z *zip.Writer) { entry(t, z, name, r) })
	}
	text := func() io.Reader { return strings.NewReader("%PDF-1.7\n") }
	two := packedAs(t, func(z *zip.Writer) { entry(t, z, "a.pdf", text()); entry(t, z, "b.pdf", text()) })
	shared := bytes.Clone(two)
	last := bytes.LastIndex(shared, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(shared[last+42:], 0) // the local header of the first
	lied := bytes.Clone(two)
	end := bytes.LastIndex(lied, []byte("PK\x05\x06"))
	binary.LittleEndian.PutUint16(lied[end+8:], 65_534)
	binary.LittleEndian.PutUint16(lied[end+10:], 65_534)
	return map[string][]byte{
		"is packed more than 100 to 1, which no PDF is; make the PDF anew":                                                         one("a.pdf", io.LimitReader(zeroReader{}, 20<<20)),
		"is larger than 25 MiB; save the PDF smaller, for example with pictures of fewer pixels":                                   one("a.pdf", io.LimitReader(zeroReader{}, 300<<20)),
		"the entry \"../../a.pdf\" of the ZIP archive has a name that leads out of its folder; pack the files anew, in one folder": one("../../a.pdf", text()),
		"entries of the ZIP archive share bytes; pack the files anew":                                                              shared,
		"the ZIP archive has more than 10000 entries; split it and its CSV file into several jobs": packedAs(t, func(z *zip.Writer) {
			for i := range 65_534 {
				entry(t, z, fmt.Sprint(i), strings.NewReader(""))
			}
		}),
		"two entries of the ZIP archive have the name \"a.pdf\"; rename one of the files, and pack them anew": packedAs(t, func(z *zip.Writer) { entry(t, z, "a.pdf", text()); entry(t, z, "a.pdf", text()) }),
		"the file is not a ZIP archive, or is cut off; pack the PDFs into a ZIP archive, and send that":       bytes.Repeat([]byte("PK\x03\x04"), 1<<20),
		"the ZIP archive has more than 10000 entries; split it and its CSV file into several jobs ":           lied,
		spool.NoDocument: one("a.pdf", bytes.NewReader(two)),
	}
}

// hostileTables returns CSV files by the messages about them.
func hostileTables() map[string]string {
	const most = 8 << 20
	wide := utf16.Encode([]rune(mark + strings.Repeat("ä\n", most/4-1)))
	unicode := make([]byte, 0, most)
	for _, u := range wide {
		unicode = binary.LittleEndian.AppendUint16(unicode, u)
	}
	return map[string]string{
		"has more than 256 cells; what follows was not read":                                                  strings.Repeat(",", most),
		"a quoted cell is not closed, or a quote inside it is not doubled (\"\"); what follows was not read ": `fileName,"` + strings.Repeat("x\n", most/2-20),
		"a column's name is longer than 65536 bytes":                                                          strings.Repeat("x", most),
		"the file has more than 5000 rows; split it":                                                          "fileName,name,documentTypeCode\n" + strings.Repeat("a\n", most/2-20),
		"the file has a null character; it is no CSV text":                                                    strings.Repeat("\x00", most),
		"the CSV file has no header line":                                                                     strings.Repeat("\n", most),
		"the file has more than 5000 rows; split it ":                                                         string(unicode),
		"has 256 cells where the header has 3; quote cells that contain ','":                                  "fileName,name,documentTypeCode\n" + strings.Repeat(strings.Repeat("aaaaa,", 255)+"b\n", most/1533),
		"the file has more than 5000 rows; split it  ":                                                        "fileName,name,documentTypeCode\n" + strings.Repeat(`"",'=1+1,""`+"\n", most/16),
		"a quoted cell is not closed, or a quote inside it is not doubled (\"\"); what follows was not read":  "fileName,name,documentTypeCode\n" + `"x"y,` + strings.Repeat("\n", most-100),
	}
}

// TestBulkHostile: a gateway refuses archives and tables made to attack, names
// the reason and makes nothing. The job and its reports cost little memory.
//
//engine:sqlite the measured gateway runs on SQLite
func TestBulkHostile(t *testing.T) {
	t.Parallel()
	w, grown := measured(t)
	good := "fileName,name,documentTypeCode\na.pdf,=1+1,DIP\n"
	most := 0
	send := func(said, csv string, archive []byte) {
		t.Helper()
		said = strings.TrimSpace(said)
		a := w.Want(w.stream(csv, bytes.NewReader(archive), false), http.StatusCreated)
		address := a.Header.Get("Location")
		j := w.atEnd(address)
		raw := fmt.Sprint(j["problems"])
		if j["status"] != "Failed" || !strings.Contains(raw, said) {
			t.Errorf("%s: %v %.300s", said, j["status"], raw)
		}
		list := string(w.get(address + "/errors.csv").Raw)
		if strings.Contains(strings.ReplaceAll(list, "'=1+1", ""), "=1+1") {
			t.Errorf("%s: the answer has a formula: %.200s", said, list)
		}
		w.get(address + "/results.zip")
		if n := grown(); n > most {
			most = n
			t.Logf("%4d MiB after: %s", n>>20, said)
		}
	}
	for said, archive := range hostileArchives(t) {
		send(said, good, archive)
	}
	for said, csv := range hostileTables() {
		send(said, csv, harmless(t))
	}
	if n := grown(); n >= mostGrowth {
		t.Errorf("peak memory grew by %d MiB", n>>20)
	}
	if page := w.get("/v1/tcode/stamps").Body; page["totalCount"] != 1.0 {
		t.Errorf("%v stamps, want only that of the warm-up", page["totalCount"])
	}
	if left := uploads(t, w.Dir); left != 0 {
		t.Errorf("%d files are left", left)
	}
}

func harmless(t *testing.T) []byte {
	return packedAs(t, func(z *zip.Writer) { entry(t, z, "a.pdf", strings.NewReader("%PDF-1.7\n")) })
}
