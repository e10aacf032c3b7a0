//go:build unix

package opstest

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

// frozenBar is the time in which gateways go on beside one that is frozen. Tests allow
// slack times as much: they are about the limits of the protocol, and not about the machine.
const (
	frozenBar = 8 * time.Second
	killedBar = 20 * time.Second
	slack     = 3
)

// A frozenWorld is three gateways on one PostgreSQL, with the session of a bystander that
// locks what it likes.
type frozenWorld struct {
	*harness.Rig
	key  string
	db   *sql.DB
	gate []*harness.Rig
	proc []*exec.Cmd
}

// name is that of a gateway's sessions.
func name(i int) string { return fmt.Sprint("gateway-", i) }

func newFrozenWorld(t *testing.T) *frozenWorld {
	t.Helper()
	dir := t.TempDir()
	c := server.Config{
		Init: true, Data: dir, DatabaseURL: storetest.Begin(t, storetest.Postgres, dir).DatabaseURL,
		Readback: storetest.Readback{}, WebhooksAllowPrivate: true, Log: slog.New(slog.DiscardHandler),
	}
	admin, err := server.Open(t.Context(), c)
	must(t, err)
	t.Cleanup(func() { admin.Close() })
	w := &frozenWorld{Rig: &harness.Rig{T: t, Dir: dir, Engine: storetest.Postgres, Admin: admin}, db: storetest.Raw(t, dir)}
	w.key = w.Tenant("ACME01")
	for i := range 3 {
		proc, gate := w.Gateway(harness.NameEnv+"="+name(i), harness.HoldEnv+"=15s")
		w.proc, w.gate = append(w.proc, proc), append(w.gate, gate)
	}
	return w
}

// lock runs a statement that locks something in a transaction of a bystander, until release.
func (w *frozenWorld) lock(statement string) (pid int, release func()) {
	w.T.Helper()
	tx, err := w.db.BeginTx(context.WithoutCancel(w.T.Context()), nil)
	must(w.T, err)
	_, err = tx.Exec(statement)
	must(w.T, err)
	must(w.T, tx.QueryRow(`SELECT pg_backend_pid()`).Scan(&pid))
	return pid, sync.OnceFunc(func() { must(w.T, tx.Rollback()) })
}

// victim waits for a gateway whose session waits for the bystander pid, in a transaction
// that holds locks already, and freezes it there: its session stays idle in a transaction.
func (w *frozenWorld) victim(pid int, release func()) (i int) {
	w.T.Helper()
	defer release()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		var app string
		err := w.db.QueryRow(`SELECT application_name FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)) AND application_name LIKE 'gateway-%' LIMIT 1`, pid).Scan(&app)
		if err == nil {
			_, err = fmt.Sscanf(app, "gateway-%d", &i)
			must(w.T, err)
			break
		}
		if time.Now().After(end) {
			w.T.Fatalf("no gateway waits for the lock: %v", err)
		}
	}
	must(w.T, w.proc[i].Process.Signal(syscall.SIGSTOP))
	w.T.Cleanup(func() { _ = w.proc[i].Process.Signal(syscall.SIGCONT) })
	// The lock ends when all threads stand still: before, one of them might still send the next statement.
	var state syscall.WaitStatus
	if _, err := syscall.Wait4(w.proc[i].Process.Pid, &state, syscall.WUNTRACED, nil); err != nil || !state.Stopped() {
		w.T.Fatalf("the gateway does not stand still: %v, %v", state, err)
	}
	release()
	for end := time.Now().Add(frozenBar); ; time.Sleep(5 * time.Millisecond) {
		if w.idle(i) > 0 {
			return i
		}
		if time.Now().After(end) {
			w.T.Fatal("the frozen gateway's session is not idle in a transaction")
		}
	}
}

// idle returns the number of a gateway's sessions that are idle in a transaction.
func (w *frozenWorld) idle(i int) (n int) {
	w.T.Helper()
	must(w.T, w.db.QueryRow(`SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND state = 'idle in transaction'`, name(i)).Scan(&n))
	return n
}

// others returns the gateways beside i.
func (w *frozenWorld) others(i int) (a, b *harness.Rig) { return w.gate[(i+1)%3], w.gate[(i+2)%3] }

// thaw lets a frozen gateway go on once the server has ended its session.
func (w *frozenWorld) thaw(i int) {
	w.T.Helper()
	for end := time.Now().Add(slack * frozenBar); w.idle(i) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			w.T.Fatal("the server does not end the session of a gateway that stands still in a transaction")
		}
	}
	must(w.T, w.proc[i].Process.Signal(syscall.SIGCONT))
}

// within runs do and reports the time that it took.
func within(t *testing.T, what string, bar time.Duration, begun time.Time, do func()) {
	t.Helper()
	do()
	took := time.Since(begun)
	t.Logf("%s: %.2f s (bar %v)", what, took.Seconds(), bar)
	if took > slack*bar {
		t.Errorf("%s took %v", what, took)
	}
}

// goOn checks that the gateways beside a frozen one stamp, revoke and publish.
func (w *frozenWorld) goOn(t *testing.T, frozen int, old harness.Answer) {
	t.Helper()
	a, b := w.others(frozen)
	before := timestamp(a)
	begun := time.Now()
	var all sync.WaitGroup
	all.Go(func() {
		within(t, "another gateway stamps", frozenBar, begun, func() {
			a.Want(a.Do(harness.Request{Method: "POST", Path: "/v1/tcode/stamps", Key: w.key, Body: harness.StampBody(fmt.Sprint("beside ", harness.Serial()))}), http.StatusCreated)
		})
	})
	all.Go(func() {
		within(t, "another gateway revokes", frozenBar, begun, func() {
			b.Want(b.Post(w.key, "/v1/tcode/stamps/"+old.Data()["id"].(string)+"/revoke", map[string]any{}), http.StatusNoContent)
		})
		within(t, "it is published", frozenBar, begun, func() {
			for timestamp(a) == before && time.Since(begun) < slack*frozenBar {
				time.Sleep(10 * time.Millisecond)
			}
		})
	})
	all.Wait()
}

// TestHolds: gateways that stand still or are killed do not hold up others for longer than
// the bars. The cases mostly wait, so they do so together, in one place of those that go test
// has for parallel tests.
func TestHolds(t *testing.T) {
	t.Parallel()
	cases := map[string]func(t *testing.T){}
	if !testing.Short() { // they start PostgreSQL themselves: the round on SQLite has them
		cases["frozen"], cases["frozen with an endpoint"], cases["frozen at random"] = frozen, frozenEndpoint, frozenAtRandom
	}
	engines := []storetest.Engine{storetest.SQLite, storetest.Postgres}
	if os.Getenv(storetest.EngineVariable) != "" {
		engines = []storetest.Engine{storetest.DefaultEngine()}
	}
	for _, e := range engines {
		cases["killed on "+string(e)] = func(t *testing.T) { killedHolds(t, e) }
	}
	var all sync.WaitGroup
	for name, test := range cases {
		all.Go(func() { t.Run(name, test) })
	}
	all.Wait()
}

// frozen: a gateway that stands still inside a transaction, with the hottest locks in its
// hand, does not stop the others, and never reports success for that transaction.
func frozen(t *testing.T) {
	w := newFrozenWorld(t)
	first := w.gate[0]
	made := func(name string) harness.Answer {
		return first.Want(first.Do(harness.Request{Method: "POST", Path: "/v1/tcode/stamps", Key: w.key, Body: harness.StampBody(name)}), http.StatusCreated)
	}
	stamps := 0
	old := func() harness.Answer { stamps++; return made(fmt.Sprint("old ", stamps)) }

	// asked freezes a gateway in the transaction of a request, which waits at its audit row
	// with all its other locks.
	asked := func(q harness.Request, done int) func(t *testing.T) {
		return func(t *testing.T) {
			beside := old()
			q.Key = w.key
			pid, release := w.lock(`LOCK TABLE audit IN SHARE MODE`)
			answers := sent(t, w.gate[0], q)
			i := w.victim(pid, release)
			if i != 0 {
				t.Fatalf("gateway %d is frozen", i)
			}
			w.goOn(t, i, beside)
			w.thaw(i)
			a := <-answers
			if a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
				t.Errorf("the request in the frozen gateway: %d %s, want 503 with Retry-After", a.StatusCode, a.Raw)
			}
			w.gate[0].Want(w.gate[0].Do(q), done)
		}
	}
	t.Run("stamp", asked(harness.Request{
		Method: "POST", Path: "/v1/tcode/stamps", Body: harness.StampBody("frozen"), Header: http.Header{"Idempotency-Key": {"frozen"}},
	}, http.StatusCreated))
	stamps++
	t.Run("revoke", asked(harness.Request{Method: "POST", Path: "/v1/tcode/stamps/" + old().Data()["id"].(string) + "/revoke", Body: map[string]any{}}, http.StatusNoContent))

	t.Run("publish", func(t *testing.T) {
		beside, another := old(), old()
		// A publisher waits at its first document, and has locked the head and all changed shards.
		pid, release := w.lock(`LOCK TABLE trust_objects IN SHARE MODE`)
		answers := sent(t, w.gate[0], harness.Request{Method: "POST", Path: "/v1/tcode/stamps/" + another.Data()["id"].(string) + "/revoke", Key: w.key, Body: map[string]any{}})
		i := w.victim(pid, release)
		w.goOn(t, i, beside)
		w.thaw(i)
		if a := <-answers; a.StatusCode != http.StatusNoContent && a.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("the revocation: %d %s", a.StatusCode, a.Raw)
		}
	})

	for _, g := range w.gate { // they all work again
		g.Want(g.Do(harness.Request{Method: "POST", Path: "/v1/tcode/stamps", Key: w.key, Body: harness.StampBody(fmt.Sprint("after ", harness.Serial()))}), http.StatusCreated)
	}
	const beside, after = 3, 3
	w.check(stamps + beside + after)
}

// check compares rows and files, and their number.
func (w *frozenWorld) check(stamps int) {
	w.T.Helper()
	if report, kinds := fsck(w.T, w.Admin, server.FsckOptions{}); len(kinds) != 0 || report.Stamps != stamps {
		w.T.Errorf("fsck: %+v, %v, want %d stamps", report, kinds, stamps)
	}
}

// frozenEndpoint: a gateway that stands still while it begins the tries of an endpoint, whose
// row it has locked, does not stop stamping, and another one delivers soon.
func frozenEndpoint(t *testing.T) {
	w := newFrozenWorld(t)
	hook := newHookReceiver(t)
	stamp := func() harness.Answer {
		g := w.gate[0]
		return g.Want(g.Do(harness.Request{Method: "POST", Path: "/v1/tcode/stamps", Key: w.key, Body: harness.StampBody(fmt.Sprint("paper ", harness.Serial()))}), http.StatusCreated)
	}
	beside := stamp()
	_, _, err := w.Admin.Webhooks.Create(t.Context(), "ACME01", hook.URL, nil)
	must(t, err)
	pid, release := w.lock(`LOCK TABLE webhook_tries IN SHARE MODE`)
	stamp()
	i := w.victim(pid, release)
	begun := time.Now()
	w.goOn(t, i, beside)
	within(t, "the next delivery", killedBar, begun, func() { hook.wait(t, 1) })
	w.thaw(i)
	w.check(3)
}

// sent sends a request and returns its answer when it comes.
func sent(t *testing.T, r *harness.Rig, q harness.Request) <-chan harness.Answer {
	answers := make(chan harness.Answer, 1)
	go func() {
		a, err := r.Try(q)
		if err != nil {
			t.Errorf("%s %s: %v", q.Method, q.Path, err)
			a.Response = &http.Response{}
		}
		answers <- a
	}()
	return answers
}

// A hookReceiver notes the deliveries that it gets.
type hookReceiver struct {
	URL string

	mu   sync.Mutex
	got  map[string]int // by the delivery's id
	hang chan struct{}  // not nil: it does not answer before this is closed
}

func newHookReceiver(t *testing.T) *hookReceiver {
	t.Helper()
	r := &hookReceiver{got: map[string]int{}}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	r.URL = s.URL
	return r
}

// ServeHTTP implements http.Handler.
func (r *hookReceiver) ServeHTTP(_ http.ResponseWriter, q *http.Request) {
	_, _ = io.Copy(io.Discard, q.Body)
	r.mu.Lock()
	r.got[q.Header.Get("TCode-Delivery")]++
	hang := r.hang
	r.mu.Unlock()
	if hang != nil {
		select {
		case <-hang:
		case <-q.Context().Done():
		}
	}
}

// posts returns the number of posts, and of different deliveries.
func (r *hookReceiver) posts() (all, different int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.got {
		all += n
	}
	return all, len(r.got)
}

// wait waits for a number of posts.
func (r *hookReceiver) wait(t *testing.T, n int) {
	t.Helper()
	for end := time.Now().Add(slack * killedBar); ; time.Sleep(5 * time.Millisecond) {
		if all, _ := r.posts(); all >= n {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("no post came")
		}
	}
}
