package stamp_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// childEnv makes the test binary a gateway that stamps until it is killed.
const childEnv = "TCODE_TEST_STAMP_CHILD"

// TestKilled repeatedly kills a process that stamps and revokes: each stamp that the
// process reported exists with its files, each reported revocation holds, and no
// record is incomplete.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(childEnv); dir != "" {
		stampForEver(t, dir)
		return
	}
	t.Parallel()
	rounds := 10
	if testing.Short() {
		rounds = 3
	}
	dir := t.TempDir()
	clock := storetest.NewClock(time.Now())
	b := storetest.Open(t, dir, clock)
	b.Tenant(t, "Acme", "ACME01")
	told := make(map[string]string) // stamp id to the last report on it
	for round := range rounds {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$", "-test.v=false")
		cmd.Env = append(os.Environ(), childEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; n < 5+3*round && lines.Scan(); n++ {
			var id, word string
			if _, err := fmt.Sscan(lines.Text(), &id, &word); err != nil {
				t.Fatalf("%q: %v", lines.Text(), err)
			}
			told[id] = word
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed: that is an error
	}
	if len(told) < rounds*rounds/2 { // each round reports more
		t.Fatalf("only %d stamps reported", len(told))
	}
	for id, word := range told {
		st, err := b.Stamps.Get(t.Context(), "ACME01", id)
		if err != nil {
			t.Errorf("%s %s: %v", id, word, err)
			continue
		}
		if word == "revoked" && st.Status != stamp.Revoked {
			t.Errorf("%s was told to be revoked and is %s", id, st.Status)
		}
	}
	checkWhole(t, b)
}

// checkWhole checks every stored stamp, reported or not.
func checkWhole(t *testing.T, b *storetest.Bundle) {
	t.Helper()
	seen := 0
	for page := 1; ; page++ {
		p, err := b.Stamps.List(t.Context(), "ACME01", stamp.Filter{Page: page, PageSize: 100})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Items) == 0 {
			break
		}
		for _, s := range p.Items {
			seen++
			for _, kind := range []string{"stamped", "original", "barcode", "payload"} {
				f, err := b.Stamps.File(t.Context(), "ACME01", s.ID, kind)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := fileBytes(b, "ACME01", f); err != nil {
					t.Errorf("%s of %s: %v", kind, s.ID, err)
				}
			}
			r, err := b.Verify.ByReference(t.Context(), verify.Viewer{}, s.Reference.String())
			if err != nil || (r.Verdict == verify.Valid) != (s.Status == stamp.Active) {
				t.Errorf("%s is %s: %s, %v", s.ID, s.Status, r.Verdict, err)
			}
		}
	}
	if n := count(t, b, "status_entries"); n != seen {
		t.Errorf("%d status entries for %d stamps", n, seen)
	}
	for _, q := range []string{
		`SELECT count(*) FROM stamps s JOIN status_entries e ON e.shard = s.shard AND e.entry = s.entry
			WHERE (s.status = 'Revoked') <> (e.value = 1)`,
		`SELECT count(*) FROM stamps s WHERE (s.status = 'Revoked') <> (SELECT count(*) = 2 FROM stamp_events v
			WHERE v.tenant = s.tenant AND v.stamp_id = s.id)`,
	} {
		var n int
		if err := storetest.Raw(t, b.Dir).QueryRow(q).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d stamps disagree with their parts (%v): %s", n, err, q)
		}
	}
}

// stampForEver is the child: it prints each operation after its end.
func stampForEver(t *testing.T, dir string) {
	clock := storetest.NewClock(time.Now())
	b := storetest.Open(t, filepath.Clean(dir), clock)
	tn, err := b.Tenants.Tenant(t.Context(), "ACME01")
	if err != nil {
		t.Fatal(err)
	}
	id := tenant.Identity{Tenant: tn}
	for i := 0; ; i++ {
		st, err := b.Stamps.Create(context.Background(), id, storetest.Request(fmt.Sprint(os.Getpid(), " ", i)))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(st.ID, "created")
		if err := b.Stamps.Act(context.Background(), id, st.ID, stamp.ActionRevoke, "kill"); err != nil {
			t.Fatal(err)
		}
		fmt.Println(st.ID, "revoked")
	}
}
