package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"

	"tcode/server/platform/jobs"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

const ring jobs.Kind = "ring"

// open returns a database of engine e with the tables of background work.
func open(t *testing.T, e storetest.Engine) (*sql.DB, jobs.Engine) {
	t.Helper()
	return openAt(t, storetest.Begin(t, e, t.TempDir()))
}

// openAt brings the tables up to date.
func openAt(t *testing.T, c store.Config) (*sql.DB, jobs.Engine) {
	t.Helper()
	db, err := store.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db.Background()
}

// add adds jobs in one transaction, and commits it or not.
func add(t *testing.T, db *sql.DB, e jobs.Engine, commit bool, js ...jobs.Job) {
	t.Helper()
	q, err := jobs.NewQueue(db, e)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
	for _, j := range js {
		if err := q.Add(t.Context(), tx, j); err != nil {
			t.Fatal(err)
		}
	}
	if commit {
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
}

// run starts a runner of the handlers until the test ends.
func run(t *testing.T, db *sql.DB, e jobs.Engine, hs ...jobs.Handler) *jobs.Runner {
	t.Helper()
	r, err := jobs.NewRunner(jobs.Config{DB: db, Engine: e, Handlers: hs, Poll: 20 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return r
}

// heard collects the subjects for which a handler was woken.
type heard struct {
	mu sync.Mutex
	n  map[string]int
	ch chan string
}

func newHeard() *heard { return &heard{n: map[string]int{}, ch: make(chan string, 1000)} }

func (h *heard) work(_ context.Context, subject string) error {
	h.mu.Lock()
	h.n[subject]++
	h.mu.Unlock()
	h.ch <- subject
	return nil
}

// next waits for a subject.
func (h *heard) next(t *testing.T) string {
	t.Helper()
	select {
	case s := <-h.ch:
		return s
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was woken")
		return ""
	}
}

func TestEachOnce(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		db, e := open(t, engine)
		h := newHeard()
		const n = 60
		var js []jobs.Job
		for i := range n {
			js = append(js, jobs.Job{Kind: ring, Subject: fmt.Sprint(i)})
		}
		add(t, db, e, false, jobs.Job{Kind: ring, Subject: "rolled back"})
		add(t, db, e, true, js...)
		handler := jobs.Handler{Kind: ring, AtOnce: 4, Work: h.work}
		run(t, db, e, handler) // like two gateways
		run(t, db, e, handler)
		for range n {
			h.next(t)
		}
		add(t, db, e, true, jobs.Job{Kind: ring, Subject: "last"})
		if s := h.next(t); s != "last" {
			t.Errorf("%q was woken once more", s)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		for i := range n {
			if h.n[fmt.Sprint(i)] != 1 {
				t.Errorf("%d was woken %d times", i, h.n[fmt.Sprint(i)])
			}
		}
		if h.n["rolled back"] > 0 {
			t.Error("a job was woken whose transaction was rolled back")
		}
	})
}

func TestDue(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		db, e := open(t, engine)
		h := newHeard()
		add(t, db, e, true, jobs.Job{Kind: ring, Subject: "in an hour", Due: time.Now().Add(time.Hour)}, jobs.Job{Kind: ring, Subject: "now"})
		asked := make(chan struct{}, 100)
		run(t, db, e, jobs.Handler{Kind: ring, Work: h.work, Every: 10 * time.Millisecond, Due: func(context.Context) error {
			asked <- struct{}{}
			return errors.New("called again")
		}})
		if s := h.next(t); s != "now" {
			t.Errorf("%q was woken", s)
		}
		for range 3 {
			<-asked
		}
		if len(h.ch) > 0 {
			t.Errorf("%q was woken too", <-h.ch)
		}
	})
}

func TestFailedWorkIsTriedAgain(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		db, e := open(t, engine)
		h := newHeard()
		add(t, db, e, true, jobs.Job{Kind: ring, Subject: "a"})
		run(t, db, e, jobs.Handler{Kind: ring, Work: func(ctx context.Context, s string) error {
			if err := h.work(ctx, s); err != nil {
				return err
			}
			switch h.n[s] {
			case 1:
				return errors.New("not yet")
			case 2:
				panic("nor now")
			}
			return nil
		}})
		for range 3 {
			if s := h.next(t); s != "a" {
				t.Errorf("%q was woken", s)
			}
		}
	})
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		db, e := open(t, engine)
		ended := make(chan error, 1)
		add(t, db, e, true, jobs.Job{Kind: ring, Subject: "a"})
		run(t, db, e, jobs.Handler{Kind: ring, Timeout: 50 * time.Millisecond, Work: func(ctx context.Context, _ string) error {
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil
		}})
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended by %v", err)
		}
	})
}

// TestStop: Stop waits for work in progress as long as the context allows, and then ends
// it.
func TestStop(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		db, e := open(t, engine)
		add(t, db, e, true, jobs.Job{Kind: ring, Subject: "a"})
		begun, ended := make(chan struct{}), make(chan struct{})
		r := run(t, db, e, jobs.Handler{Kind: ring, Timeout: -1, Work: func(ctx context.Context, _ string) error {
			close(begun)
			<-ctx.Done()
			close(ended)
			return nil
		}})
		<-begun
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := r.Stop(ctx); err != nil {
			t.Error(err)
		}
		select {
		case <-ended:
		default:
			t.Error("stopped with work under way")
		}
	})
}

func TestAddRefuses(t *testing.T) {
	t.Parallel()
	db, e := open(t, storetest.SQLite)
	q, err := jobs.NewQueue(db, e)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing is to be kept
	for _, j := range []jobs.Job{{}, {Kind: ring}, {Subject: "a"}} {
		if err := q.Add(t.Context(), tx, j); err == nil {
			t.Errorf("%+v was added", j)
		}
	}
}

// A database that is away gets one line in the log, however many polls fail.
func TestOutageIsOneLine(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		db, e := open(t, engine)
		var log lockedBuffer
		h := newHeard()
		due := make(chan struct{}, 1000)
		r, err := jobs.NewRunner(jobs.Config{
			DB: db, Engine: e, Poll: 20 * time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil)),
			Handlers: []jobs.Handler{{Kind: ring, Work: h.work}, {Kind: "other", Work: h.work, Every: 10 * time.Millisecond, Due: func(ctx context.Context) error {
				due <- struct{}{}
				return db.PingContext(ctx)
			}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		add(t, db, e, true, jobs.Job{Kind: ring, Subject: "a"})
		h.next(t)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		for range 100 { // a second of sweeps, and of polls of two queues
			<-due
		}
		if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "background work: ") {
			t.Errorf("%d lines:\n%s", n, log.String())
		}
		go r.Stop(context.WithoutCancel(t.Context())) //nolint:errcheck // it tries for seconds to give up what it leads
	})
}

type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A job that waits in tables of River 0.31 is done after the tables are brought
// up to date.
func TestMigrateKeepsJobs(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		c := storetest.Begin(t, engine, t.TempDir())
		owner := storetest.RawOf(t, c)
		var d riverdriver.Driver[*sql.Tx] = riversqlite.New(owner)
		if engine == storetest.Postgres {
			d = riverdatabasesql.New(owner)
		}
		m, err := rivermigrate.New(d, &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Migrate(t.Context(), rivermigrate.DirectionDown, &rivermigrate.MigrateOpts{TargetVersion: 6}); err != nil {
			t.Fatal(err)
		}
		if _, err := owner.Exec(`INSERT INTO river_job (args, kind, max_attempts, queue) VALUES ('{"work":"ring","subject":"waiting"}', 'wake', 25, 'ring')`); err != nil {
			t.Fatal(err)
		}
		db, e := openAt(t, c)
		h := newHeard()
		add(t, db, e, true, jobs.Job{Kind: ring, Subject: "next"})
		run(t, db, e, jobs.Handler{Kind: ring, Work: h.work})
		got := []string{h.next(t), h.next(t)}
		slices.Sort(got)
		if !slices.Equal(got, []string{"next", "waiting"}) {
			t.Errorf("woken: %q", got)
		}
	})
}
