package bounded_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tcode/offline/contain"
	"tcode/server/httpapi/bounded"
)

// A recorder is a recorder of answers whose connection a request can take over, as of HTTP/1.
type recorder struct {
	*httptest.ResponseRecorder
	taken bytes.Buffer // what was written to the connection then
	read  chan error
}

func (r *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	client, server := net.Pipe()
	go func() {
		_, err := io.Copy(&r.taken, client)
		r.read <- err
	}()
	return server, bufio.NewReadWriter(bufio.NewReader(server), bufio.NewWriter(server)), nil
}

// answer calls a handler with a limit of a minute; aborted: it broke the connection.
func answer(next http.HandlerFunc) (w *recorder, aborted bool) {
	w = &recorder{ResponseRecorder: httptest.NewRecorder(), read: make(chan error, 1)}
	defer func() { aborted = recover() == http.ErrAbortHandler }()
	bounded.Handler(next, time.Minute).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	return w, false
}

// cutOff begins a request that hangs, and waits for the end of its connection.
func cutOff(t *testing.T, next http.HandlerFunc) *recorder {
	t.Helper()
	w := &recorder{ResponseRecorder: httptest.NewRecorder(), read: make(chan error, 1)}
	go bounded.Handler(next, time.Minute).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if err := <-w.read; err != nil {
		t.Error(err)
	}
	return w
}

// TestHang: a request that ignores its end gets 503, what it held is released once, its later
// writes fail, and it is reported with its kind.
func TestHang(t *testing.T) {
	var events []contain.Event
	contain.Observe(func(e contain.Event) { events = append(events, e) })
	synctest.Test(t, func(t *testing.T) {
		begun, released := time.Now(), 0
		var late error
		w := cutOff(t, func(w http.ResponseWriter, r *http.Request) {
			bounded.Describe(r.Context(), "request-test", "abc", 2*time.Minute)
			release := bounded.Held(r.Context(), func() { released++ })
			defer release()
			w.Header().Set("X-Late", "1")
			time.Sleep(time.Hour)
			_, late = io.WriteString(w, "late")
		})
		if took := time.Since(begun); took != 2*time.Minute+contain.Grace {
			t.Errorf("cut off after %v", took)
		}
		got, err := http.ReadResponse(bufio.NewReader(&w.taken), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(got.Body)
		if h := got.Header; err != nil || got.StatusCode != 503 || h.Get("Retry-After") == "" || h.Get("X-Late") != "" ||
			!strings.Contains(string(body), `"traceId":"abc"`) {
			t.Errorf("%d %v %s, %v", got.StatusCode, h, body, err)
		}
		if released != 1 || contain.Behind() != 1 {
			t.Errorf("released %d times, %d behind", released, contain.Behind())
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if late == nil || released != 1 || contain.Behind() != 0 || w.Body.Len() > 0 {
			t.Errorf("at its end: %v, released %d times, %d behind, %s", late, released, contain.Behind(), w.Body)
		}
	})
	if len(events) != 1 || events[0].Name != "request-test" || !errors.Is(events[0].Err, contain.ErrHung) {
		t.Errorf("events: %v", events)
	}
}

// TestHangInAnswer: a client that has a part of the answer must not take it for the whole.
func TestHangInAnswer(t *testing.T) {
	contain.Observe(func(contain.Event) {})
	synctest.Test(t, func(t *testing.T) {
		w := cutOff(t, func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "part")
			time.Sleep(time.Hour)
		})
		if w.taken.Len() > 0 || w.Body.String() != "part" {
			t.Errorf("%q after %q", &w.taken, w.Body)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
	})
}

// TestEnds: answers that end by themselves are those of the handler.
func TestEnds(t *testing.T) {
	contain.Observe(func(contain.Event) {})
	for name, tt := range map[string]struct {
		serve   http.HandlerFunc
		status  int
		body    string
		aborted bool
	}{
		"answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Own", "1")
			w.WriteHeader(http.StatusTeapot)
			io.WriteString(w, "tea")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Errorf("flush: %v", err)
			}
		}, http.StatusTeapot, "tea", false},
		"no body":  {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Own", "1") }, 200, "", false},
		"panic":    {func(http.ResponseWriter, *http.Request) { panic("no") }, 500, `"code":"INTERNAL"`, false},
		"abort":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 200, "", true},
		"too late": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x"); panic("no") }, 200, "x", true},
	} {
		w, aborted := answer(tt.serve)
		own := w.Result().Header.Get("X-Own") != ""
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.body) || aborted != tt.aborted || own != (name == "answer" || name == "no body") {
			t.Errorf("%s: %d %s, aborted %v, headers %v", name, w.Code, w.Body, aborted, w.Result().Header)
		}
	}
}

// TestHangOnServer: with a real server the client of HTTP/1 gets 503, that of HTTP/2 an error, and
// the server goes on.
func TestHangOnServer(t *testing.T) {
	contain.Observe(func(contain.Event) {})
	for _, two := range []bool{false, true} {
		t.Run(fmt.Sprintf("http2=%v", two), func(t *testing.T) {
			t.Parallel()
			free := make(chan struct{})
			server := httptest.NewUnstartedServer(bounded.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/hang" {
					<-free
				}
				_, _ = io.WriteString(w, "good")
			}), time.Millisecond))
			server.EnableHTTP2 = two
			server.StartTLS()
			defer server.Close()
			defer close(free)
			get := func(path string) (status int, body string, err error) {
				r, err := server.Client().Get(server.URL + path)
				if err != nil {
					return 0, "", err
				}
				defer r.Body.Close()
				b, err := io.ReadAll(r.Body)
				return r.StatusCode, string(b), err
			}
			status, body, err := get("/hang")
			if two && err == nil || !two && (err != nil || status != 503 || !strings.Contains(body, "try again")) {
				t.Errorf("a request that hangs: %d %s, %v", status, body, err)
			}
			if status, body, err := get("/"); status != 200 || body != "good" || err != nil {
				t.Errorf("the next request: %d %s, %v", status, body, err)
			}
		})
	}
}
