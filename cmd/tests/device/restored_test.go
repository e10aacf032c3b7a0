package device_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/cmd/internal/world"
	"tcode/sync/uplink"
	"tcode/sync/wire"
)

// A home folder that was copied, or restored from an older copy, has the key
// and the numbers of another. The promises hold for each copy: no scan is lost
// or doubled, and none is done without a receipt. The gateway flags the device.

// A cloned is a device with a few scans, its gateway, and copies of its home.
type cloned struct {
	*world.World
	pdf  string
	want map[string]int // scans that were shown, each once
}

func newCloned(t *testing.T) *cloned {
	c := &cloned{World: world.New(t, 1), want: map[string]int{}}
	c.pdf = c.File("paper.pdf", c.Stamp(c.Issuers[0], "paper", world.SmallPDF(1)).PDF)
	if out, code := c.Scan("home")("enrol", "--gateway", c.URL()); code != 0 {
		t.Fatal(out)
	}
	return c
}

// verify scans the paper n times with the home.
func (c *cloned) verify(home string, n int) {
	c.T.Helper()
	files := []string{"verify", "--jobs", "1"}
	for range n {
		files = append(files, c.pdf)
	}
	out, code := c.Scan(home)(files...)
	if code != 0 {
		c.T.Fatalf("verify with %s: exit code %d\n%s", home, code, out)
	}
	for line := range strings.Lines(out) {
		var answer struct{ ScanID string }
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			c.T.Fatal(err)
		}
		c.want[answer.ScanID] = 1
	}
}

// sync sends the scans of the home; each is then done, and proven.
func (c *cloned) sync(home string, held int) {
	t := c.T
	t.Helper()
	if out, code := c.Scan(home)("sync"); code != 0 {
		t.Errorf("sync of %s: exit code %d\n%s", home, code, out)
	}
	if s := auditOf(t, c.Scan(home)); s.Problems != 0 || s.Scans["held"] != held ||
		s.NotInHistory != 0 {
		t.Errorf("history of %s, of %d scans:\n%s", home, held, s.out)
	}
}

// check checks that the gateway has each scan once, and the flag.
func (c *cloned) check(flag string) {
	c.T.Helper()
	at := c.ScansAtGateway()
	for id := range c.want {
		if at[id] != 1 {
			c.T.Errorf("scan %s is %d times at the gateway", id, at[id])
		}
	}
	if len(at) != len(c.want) {
		c.T.Errorf("%d scans at the gateway, want %d", len(at), len(c.want))
	}
	if out := c.gateway("device", "list"); !strings.Contains(out, `"flag":"`+flag+`"`) {
		c.T.Errorf("want the flag %q:\n%s", flag, out)
	}
}

// gateway runs tcode-gateway on the gateway's data.
func (c *cloned) gateway(args ...string) string {
	c.T.Helper()
	out, err := exec.Command(world.Program(c.T, "tcode-gateway"),
		append([]string{"--data", c.Data, "--json"}, args...)...).Output()
	if err != nil {
		c.T.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestTwoCopiesOfAHome: two copies of a home are used and synced, in either order.
func TestTwoCopiesOfAHome(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"home", "copy"}, {"copy", "home"}} {
		c := newCloned(t)
		c.verify("home", 2)
		copyHome(c.World, "copy")
		c.verify("home", 1)
		c.verify("copy", 2)
		held := map[string]int{"home": 3, "copy": 4}
		for _, home := range order {
			c.sync(home, held[home])
		}
		c.check("seq_reused")
		for _, home := range order { // again, and in the same order
			c.verify(home, 1)
			c.sync(home, held[home]+1)
		}
		c.check("seq_reused")
	}
}

// TestRestoredHome: after a sync an older copy is restored, which was made
// before anything was sent, while a batch was in transit, or after it.
func TestRestoredHome(t *testing.T) {
	t.Parallel()
	c := newCloned(t)
	c.verify("home", 3)
	copyHome(c.World, "before")
	// The gateway's answer takes some time.
	var during sync.Once
	target := c.URL()
	proxy := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		req, err := http.NewRequestWithContext(r.Context(), r.Method, target+r.URL.Path, r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		req.Header = r.Header.Clone()
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Error(err)
			return
		}
		defer res.Body.Close()
		if r.URL.Path == wire.Path {
			during.Do(func() { copyHome(c.World, "during") })
		}
		for name, values := range res.Header {
			rw.Header()[name] = values
		}
		rw.WriteHeader(res.StatusCode)
		io.Copy(rw, res.Body)
	}))
	defer proxy.Close()
	if out, code := c.Scan("home")("sync", "--gateway", proxy.URL); code != 0 {
		t.Fatalf("sync: exit code %d\n%s", code, out)
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "during")); err != nil {
		t.Fatal(err)
	}
	copyHome(c.World, "after")
	c.verify("home", 2)
	c.sync("home", 5)
	c.check("")

	// The same scans again are duplicates, with a receipt of their own.
	c.sync("before", 3)
	c.sync("during", 3)
	c.check("")
	// The gateway receives the same numbers again.
	for _, home := range []string{"before", "during", "after"} {
		c.verify(home, 1)
		c.sync(home, 4)
		c.check("seq_reused")
	}
	// The gateway learns of the copy again from the home that was in use.
	c.gateway("device", "clear", c.scannerOf("home"))
	c.verify("home", 1)
	c.sync("home", 6)
	c.check("")

	// Only the history is restored: the program reports its losses until a
	// person has seen them.
	older := filepath.Join(c.Dir, "after", "outbox.db")
	for _, suffix := range []string{"-wal", "-shm"} {
		os.Remove(filepath.Join(c.Dir, "home", "outbox.db"+suffix))
	}
	change(t, filepath.Join(c.Dir, "after"), `PRAGMA wal_checkpoint(TRUNCATE)`)
	world.WriteFile(t, filepath.Join(c.Dir, "home", "outbox.db"), world.ReadFile(t, older))
	out, code := c.Scan("home")("sync")
	if code != 1 || !strings.Contains(out, `"lost":2`) {
		t.Errorf("with an older history: exit code %d\n%s", code, out)
	}
	if out, code := c.Scan("home")("history", "--seen"); code != 0 {
		t.Errorf("history --seen: exit code %d\n%s", code, out)
	}
	c.verify("home", 1)
	if out, code := c.Scan("home")("sync"); code != 0 {
		t.Errorf("after it was seen: exit code %d\n%s", code, out)
	}
	c.check("")
}

func (c *cloned) scannerOf(home string) string {
	c.T.Helper()
	key, err := uplink.ReadKey(filepath.Join(c.Dir, home, "device.key"))
	if err != nil {
		c.T.Fatal(err)
	}
	return wire.ScannerID(key.Public().(ed25519.PublicKey))
}

// TestOneBatchIDTwice: the gateway does not decide by the id of a batch. The
// same scans under it are duplicates, other scans are new, and each answer has
// its own receipt.
func TestOneBatchIDTwice(t *testing.T) {
	t.Parallel()
	c := newCloned(t)
	p := c.Stamp(c.Issuers[0], "other", world.SmallPDF(2))
	key, err := uplink.ReadKey(filepath.Join(c.Dir, "home", "device.key"))
	if err != nil {
		t.Fatal(err)
	}
	now := wire.TruncateMillis(time.Now())
	item := func(seq uint64) wire.Item {
		id, err := uuid.NewV7()
		if err != nil {
			t.Fatal(err)
		}
		c.want[id.String()] = 1
		return wire.Item{
			ScanID: id.String(), Seq: seq, Payload: wire.PayloadString(p.Raw),
			ScannedAt: now, OfflineVerdict: "valid",
		}
	}
	first, second := item(1), item(2)
	changed := first
	changed.Context.Note = "another"
	for _, tt := range []struct {
		items []wire.Item
		want  string
	}{
		{[]wire.Item{first}, "accepted"},
		{[]wire.Item{first}, "duplicate"},
		{[]wire.Item{second, first}, "accepted duplicate"},
		{[]wire.Item{changed, second}, "conflict duplicate"},
		{[]wire.Item{first, second}, "duplicate duplicate"},
	} {
		b := wire.Batch{ID: "always-the-same", ScannerID: wire.ScannerID(key.Public().(ed25519.PublicKey)), SentAt: now, Items: tt.items}
		raw, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		deviceKey, signature, err := wire.SignBatch(b, key)
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.URL()+wire.Path,
			bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", wire.HeaderBatchID: b.ID, wire.HeaderDeviceKey: deviceKey, wire.HeaderBatchSignature: signature,
		} {
			req.Header.Set(name, value)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := wire.DecodeReply([]byte(world.ReadAll(t, res.Body)))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, it := range tt.items {
			r, _ := reply.Result(it.ScanID)
			got = append(got, string(r.Result))
		}
		text, _, _ := strings.Cut(reply.Receipt, "\n\n")
		receipt, err := wire.ParseReceipt([]byte(text + "\n"))
		if err != nil || receipt.Match(b, reply.Results) != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("answered %s, want %s; receipt %v, %v", strings.Join(got, " "), tt.want, err, receipt.Match(b, reply.Results))
		}
	}
	c.check("")
}
