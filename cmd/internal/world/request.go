package world

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/offline/host/litedb"
	"tcode/server"
	"tcode/server/store"
	"tcode/sync/feed"
)

// send makes a request of an issuer and returns the answer, whatever it is.
func (w *World) send(by Issuer, method, url string, body []byte) (status int, answer []byte) {
	w.T.Helper()
	req, err := http.NewRequestWithContext(w.T.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		w.T.Fatal(err)
	}
	req.Header.Set("x-api-key", by.APIKey)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.T.Fatal(err)
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(res.Body)
	if err != nil {
		w.T.Fatalf("%s %s: %s %s (%v)", method, url, res.Status, answer, err)
	}
	return res.StatusCode, answer
}

// Fetch makes a request, with JSON unless body is nil, and returns the answer; anything but
// success fails the test.
func (w *World) Fetch(by Issuer, method, url string, body []byte) []byte {
	w.T.Helper()
	status, answer := w.send(by, method, url, body)
	if status >= http.StatusMultipleChoices {
		w.T.Fatalf("%s %s: %d %s", method, url, status, answer)
	}
	return answer
}

// Call sends JSON and decodes the answer; anything but success fails the test.
func (w *World) Call(by Issuer, method, path string, body, into any) {
	w.T.Helper()
	var raw []byte
	if body != nil {
		raw = w.encode(body)
	}
	answer := w.Fetch(by, method, w.URL()+path, raw)
	if into == nil {
		return
	}
	if err := json.Unmarshal(answer, into); err != nil {
		w.T.Fatalf("%s %s: %v in %s", method, path, err, answer)
	}
}

// Try posts JSON and returns the status and the answer, whatever they are.
func (w *World) Try(by Issuer, path string, body any) (status int, answer map[string]any) {
	w.T.Helper()
	status, raw := w.send(by, http.MethodPost, w.URL()+path, w.encode(body))
	if err := json.Unmarshal(raw, &answer); err != nil {
		w.T.Fatal(err)
	}
	return status, answer
}

func (w *World) encode(body any) []byte {
	w.T.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		w.T.Fatal(err)
	}
	return raw
}

// Download returns a file of the stamp with that id: kind is "original", "stamped" or "payload".
func (w *World) Download(by Issuer, id, kind string) []byte {
	w.T.Helper()
	var link struct{ Data struct{ URL string } }
	w.Call(by, http.MethodGet, "/v1/tcode/stamps/"+id+"/download?type="+kind, nil, &link)
	return w.Fetch(by, http.MethodGet, link.Data.URL, nil)
}

// Republish makes the gateway publish immediately, as its publisher would within a minute. It
// stops the gateway for that time.
func (w *World) Republish() {
	w.T.Helper()
	w.Down()
	g, err := server.Open(w.T.Context(), server.Config{Init: true, Data: w.Data})
	if err != nil {
		w.T.Fatal(err)
	}
	if _, err := g.Publisher.Publish(w.T.Context()); err != nil {
		w.T.Fatal(err)
	}
	if err := g.Close(); err != nil {
		w.T.Fatal(err)
	}
	w.Start()
}

// AwaitPublished waits until the newest timestamp comes from the gateway's present clock, which
// is ahead of this machine's.
func (w *World) AwaitPublished(ahead time.Duration) {
	w.T.Helper()
	end := time.Now().Add(time.Minute)
	for ; time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		res, err := http.Get(w.URL() + feed.Path + "timestamp")
		if err != nil {
			w.T.Fatal(err)
		}
		raw := ReadAll(w.T, res.Body)
		_, rest, _ := strings.Cut(raw, "\nissued ")
		issued, _, _ := strings.Cut(rest, "\n")
		at, err := time.Parse(time.RFC3339, issued)
		if d := time.Since(at.Add(-ahead)); err == nil && d.Abs() < time.Hour {
			return
		}
	}
	w.T.Fatal("nothing was published under this clock")
}

// ScansAtGateway counts the gateway's rows of every scan id.
func (w *World) ScansAtGateway() map[string]int {
	w.T.Helper()
	return ScansIn(w.T, w.Data)
}

// ScansIn counts the rows of each scan id in a gateway's folder.
func ScansIn(t testing.TB, data string) map[string]int {
	t.Helper()
	file := filepath.Join(data, store.FileName)
	db, err := litedb.Open(t.Context(), file, litedb.Options{QuickCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const query = `SELECT scan_id, count(*) FROM scans GROUP BY scan_id`
	rows, err := db.Reader().QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	at := map[string]int{}
	for rows.Next() {
		var id string
		var n int
		if err := rows.Scan(&id, &n); err != nil {
			t.Fatal(err)
		}
		at[id] = n
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return at
}
