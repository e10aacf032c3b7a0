package jobs_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/offline/contain"
	"tcode/server/platform/hold"
	"tcode/server/platform/jobs"
	"tcode/server/store/storetest"
)

// workEnv names the folder of the items of a test program that is a work process.
const workEnv = "TCODE_TEST_WORK"

func TestMain(m *testing.M) {
	if dir := os.Getenv(workEnv); dir != "" {
		h := jobs.Handler{Kind: ring, Work: func(ctx context.Context, subject string) error { return workOff(ctx, filepath.Join(dir, subject)) }}
		if err := jobs.Serve(context.Background(), os.Stdin, os.Stdout, []jobs.Handler{h}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// workOff does the items of a folder, which are files: exit ends the process, hang does
// nothing, and others get the ending .done.
func workOff(ctx context.Context, dir string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range list {
		name := f.Name()
		if filepath.Ext(name) != "" {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		hold.Item(ctx, name)
		switch {
		case strings.Contains(name, "exit"):
			os.Exit(7)
		case strings.Contains(name, "memory"):
			take(func() { hold.Item(ctx, name) })
		case strings.Contains(name, "meet"):
			meet(dir, name)
		case strings.Contains(name, "hang"):
			select {}
		}
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, name+".done")); err != nil {
			return err
		}
	}
	hold.Item(ctx, "")
	return nil
}

// take takes memory without end. It calls each so often that it is never quiet.
func take(each func()) {
	for held := [][]byte{}; ; each() {
		b := make([]byte, 16<<20)
		for i := range b {
			b[i] = 1
		}
		held = append(held, b)
	}
}

// meet waits until another subject is at an item of that name.
func meet(dir, name string) {
	_ = os.WriteFile(filepath.Join(dir, name+".met"), nil, 0o600) // else the test does not end
	for met := []string{}; len(met) < 2; time.Sleep(10 * time.Millisecond) {
		met, _ = filepath.Glob(filepath.Join(filepath.Dir(dir), "*", name+".met"))
	}
}

// items makes the folder of a subject with items.
func items(t *testing.T, dir, subject string, names ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, subject), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, subject, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// An aside keeps what was set aside.
type aside struct {
	mu   sync.Mutex
	list []string
}

func (a *aside) add(dir string) func(ctx context.Context, subject, item, cause string) error {
	return func(_ context.Context, subject, item, cause string) error {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.list = append(a.list, subject+"/"+item+": "+cause)
		return os.Rename(filepath.Join(dir, subject, item), filepath.Join(dir, subject, cmp.Or(item, "all")+".aside"))
	}
}

// program returns the command of a work process on the folder of the items.
func program(dir string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env, cmd.Stderr = append(os.Environ(), workEnv+"="+dir), os.Stderr
		return cmd
	}
}

// apartRunner is a runner whose work processes are this test program.
func apartRunner(t *testing.T, e storetest.Engine, dir string, a *aside) func() *jobs.Runner {
	t.Helper()
	db, engine := open(t, e)
	if _, err := db.Exec(`INSERT INTO work_begun (id, kind, subject, process, until_at) VALUES ('1', 'ring', 'a', 'gone', $1)`, time.Now().Add(-time.Minute).UnixMilli()); err != nil {
		t.Fatal(err)
	}
	add(t, db, engine, true, jobs.Job{Kind: ring, Subject: "a"}, jobs.Job{Kind: ring, Subject: "b"})
	return func() *jobs.Runner {
		r, err := jobs.NewRunner(jobs.Config{
			DB: db, Engine: engine, Poll: 20 * time.Millisecond, Log: slog.New(slog.DiscardHandler), ApartMemory: 256 << 20,
			Apart: program(dir),
			Handlers: []jobs.Handler{{
				Kind: ring, AtOnce: 2, Timeout: -1, Quiet: 2 * time.Second, SetAside: a.add(dir),
				Work: func(context.Context, string) error { t.Error("work in the gateway"); return nil },
				Free: func(context.Context, string, string) error { return nil },
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// left returns the names of the files of a subject.
func left(t *testing.T, dir, subject string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(dir, subject))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		names = append(names, f.Name())
	}
	return names
}

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// After a gateway went with work that it had begun, all work runs apart, and concurrently until the
// process ends. Items that end their process, or do nothing, are set aside after the second time,
// and others are done.
func TestApart(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		dir := t.TempDir()
		items(t, dir, "a", "0-meet", "1-exit", "2", "3-hang", "4", "5-memory", "6")
		items(t, dir, "b", "0-meet", "1", "2")
		var set aside
		r := apartRunner(t, e, dir, &set)()
		defer r.Stop(context.WithoutCancel(t.Context())) //nolint:errcheck // the database is closed next
		until(t, "all items are over", func() bool {
			return !slices.ContainsFunc(append(left(t, dir, "a"), left(t, dir, "b")...), func(s string) bool { return filepath.Ext(s) == "" })
		})
		want := []string{"0-meet.done", "0-meet.met", "1-exit.aside", "2.done", "3-hang.aside", "4.done", "5-memory.aside", "6.done"}
		if got := left(t, dir, "a"); !slices.Equal(got, want) {
			t.Errorf("items: %q, want %q", got, want)
		}
		set.mu.Lock()
		defer set.mu.Unlock()
		wantAside := []string{"a/1-exit: exit status 7", "a/3-hang: nothing happened for 2s", "a/5-memory: more than 256 MiB of memory"}
		if !slices.Equal(set.list, wantAside) {
			t.Errorf("set aside: %q, want %q", set.list, wantAside)
		}
	})
}

// A runner that ends, or is told to end while an item does not, blames nothing.
func TestApartBlamesNothingAtTheEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	items(t, dir, "a", "1", "2-hang")
	var set aside
	start := apartRunner(t, storetest.SQLite, dir, &set)
	for range 2 {
		r := start()
		until(t, "the first item is done", func() bool { return slices.Contains(left(t, dir, "a"), "1.done") })
		end, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.Stop(end); err != nil {
			t.Fatal(err)
		}
	}
	if len(set.list) > 0 {
		t.Errorf("set aside: %q", set.list)
	}
}

// Work in the gateway that hangs gives its place to others, and is tried apart.
func TestHang(t *testing.T) {
	t.Parallel()
	db, engine := open(t, storetest.SQLite)
	add(t, db, engine, true, jobs.Job{Kind: ring, Subject: "hang"}, jobs.Job{Kind: ring, Subject: "other"})
	h := newHeard()
	run(t, db, engine, jobs.Handler{Kind: ring, Timeout: -1, Quiet: 200 * time.Millisecond, Work: func(ctx context.Context, s string) error {
		if s == "hang" {
			select {}
		}
		return h.work(ctx, s)
	}})
	if s := h.next(t); s != "other" {
		t.Errorf("%q was done", s)
	}
}

// Own work runs apart after its process has ended. It is not tried without end, unless nothing can
// take its place, and then with growing waits.
func TestOwn(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		ownWork(t, e, false)
		ownWork(t, e, true)
	})
}

func ownWork(t *testing.T, e storetest.Engine, always bool) {
	t.Helper()
	dir := t.TempDir()
	items(t, dir, "a", "1", "2-exit", "3")
	items(t, dir, "b", "1")
	db, engine := open(t, e)
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := db.Exec(statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`INSERT INTO work_begun (id, kind, subject, process, until_at)
		VALUES ('1', 'ring', 'a', 'gone', $1)`, time.Now().Add(-time.Second).UnixMilli())
	r, err := jobs.NewRunner(jobs.Config{
		DB: db, Engine: engine, Apart: program(dir),
		Handlers: []jobs.Handler{{Kind: "queued"}, {
			Kind: ring, Own: true, Always: always,
			Work: func(context.Context, string) error { t.Error("work in the gateway"); return nil },
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 { // the second end is that of the subject: the item was not left out
		_ = r.Do(t.Context(), ring, "a")
		time.Sleep(2 * time.Second)
	}
	if err := r.Do(t.Context(), ring, "a"); always != contain.Fault(err) {
		t.Errorf("always %v: %v", always, err)
	}
	if e == storetest.Postgres { // another gateway may be at it
		exec(`INSERT INTO work_begun (id, kind, subject, process, until_at)
			VALUES ('2', 'ring', 'b', 'other', $1)`, time.Now().Add(time.Hour).UnixMilli())
		if err := r.Do(t.Context(), ring, "b"); err != nil || left(t, dir, "b")[0] != "1" {
			t.Errorf("work of another gateway: %v", err)
		}
		exec(`DELETE FROM work_begun WHERE id = '2'`)
	}
	if err := r.Do(t.Context(), ring, "b"); err != nil || left(t, dir, "b")[0] != "1.done" {
		t.Errorf("other work: %v", err)
	}
	// A person's order, or success, ends it.
	if err := os.Remove(filepath.Join(dir, "a", "2-exit")); err != nil {
		t.Fatal(err)
	}
	if !always {
		exec(`DELETE FROM work_faults`)
	}
	until(t, "the work is done", func() bool { return r.Do(t.Context(), ring, "a") == nil })
	n := -1
	err = db.QueryRow(`SELECT count(*) FROM work_faults WHERE item = ''`).Scan(&n)
	if err != nil || n != 0 {
		t.Errorf("%d records of faults, %v", n, err)
	}
	if err := r.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}
