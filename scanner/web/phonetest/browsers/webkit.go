package browsers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"sync"
	"time"
)

// webkit is WebKitGTK's MiniBrowser, driven by the protocol of its remote inspector. WebKitWebDriver has no part in it: under
// automation MiniBrowser forgets everything that a site stores.
type webkit struct {
	link *link
	note func(kind, what string)

	mu      sync.Mutex // guards target, which changes when another process shows the page
	target  string
	changed chan struct{} // closed when target changes
}

func miniBrowser() (string, error) {
	all, err := filepath.Glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser")
	if err == nil && len(all) == 0 {
		err = errors.New("MiniBrowser is not installed (Debian: libwebkit2gtk-4.1-0)")
	}
	if err != nil {
		return "", err
	}
	return all[0], nil
}

// webkitCommand returns the command that starts MiniBrowser. If files is set, scripts find the functions for private files.
func webkitCommand(display, url string, files bool) (command, error) {
	program, err := miniBrowser()
	if err != nil {
		return command{}, err
	}
	port, err := freePort()
	if err != nil {
		return command{}, err
	}
	args := []string{program, "--enable-developer-extras=true", "--full-screen"}
	if files {
		args = append(args, "--features=StorageAPI,FileSystem,AccessHandle")
	}
	return command{
		args: append(args, url), env: []string{"WEBKIT_INSPECTOR_HTTP_SERVER=" + port, "DISPLAY=" + display},
		connect: func(ctx context.Context, note func(kind, what string)) (driver, error) {
			return connectWebKit(ctx, port, note)
		},
	}, nil
}

// freePort returns an address of this machine at which nothing listens.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

var inspectable = regexp.MustCompile(`/socket/[0-9]+/[0-9]+/WebPage`)

// connectWebKit waits until MiniBrowser lists its page, and connects to it.
func connectWebKit(ctx context.Context, port string, note func(kind, what string)) (driver, error) {
	for {
		if path, err := webPage(ctx, port); err == nil {
			w := &webkit{note: note, changed: make(chan struct{})}
			w.mu.Lock() // until link is set
			w.link, err = dial("ws://"+port+path, w.event)
			w.mu.Unlock()
			return w, err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func webPage(ctx context.Context, port string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+port+"/", nil)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	path := inspectable.Find(page)
	if path == nil {
		return "", errors.New("no page yet")
	}
	return string(path), nil
}

func (w *webkit) event(method string, params json.RawMessage) {
	var p struct {
		TargetInfo struct {
			TargetID, Type string
			IsProvisional  bool
		}
		TargetID, Message, NewTargetID string
	}
	switch method {
	case "Target.dispatchMessageFromTarget":
		if json.Unmarshal(params, &p) == nil {
			w.lane().deliver([]byte(p.Message))
		}
	case "Target.targetCreated":
		if json.Unmarshal(params, &p) == nil && p.TargetInfo.Type == "page" && !p.TargetInfo.IsProvisional {
			w.enter(p.TargetInfo.TargetID)
		}
	case "Target.didCommitProvisionalTarget":
		if json.Unmarshal(params, &p) == nil {
			w.enter(p.NewTargetID)
		}
	default:
		w.pageEvent(method, params)
	}
}

func (w *webkit) lane() *link {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.link
}

// enter makes target the page's process, and asks it for its events.
func (w *webkit) enter(target string) {
	w.mu.Lock()
	w.target = target
	close(w.changed)
	w.changed = make(chan struct{})
	w.mu.Unlock()
	go func() {
		for _, domain := range []string{"Runtime", "Console", "Network", "Page"} {
			_, _ = w.call(context.Background(), domain+".enable", struct{}{})
		}
	}()
}

// pageEvent notes requests and errors.
func (w *webkit) pageEvent(method string, params json.RawMessage) {
	var p struct {
		Request struct{ URL string }
		Message struct{ Source, Level, Text, URL string }
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	switch method {
	case "Network.requestWillBeSent":
		w.note("request", p.Request.URL)
	case "Console.messageAdded":
		if p.Message.Text == noManifest {
			return
		}
		if p.Message.Level == "error" && p.Message.Source != "network" || p.Message.Source == "security" {
			w.note("wrong", p.Message.Source+": "+p.Message.Text+" "+p.Message.URL)
		}
	}
}

// noManifest is an error on the console of a browser that knows no manifests: it ignores that part of the policy and fetches none.
const noManifest = "Unrecognized Content-Security-Policy directive 'manifest-src'.\n"

// call sends a command to the page's process.
func (w *webkit) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	for {
		w.mu.Lock()
		l, target, changed := w.link, w.target, w.changed
		w.mu.Unlock()
		if target != "" {
			return l.call(ctx, method, params, func(id int, command any) any {
				raw, _ := json.Marshal(command) // it is marshalled by call in any case
				return map[string]any{"id": -id, "method": "Target.sendMessageToTarget", "params": map[string]any{"targetId": target, "message": string(raw)}}
			})
		}
		select {
		case <-changed:
		case <-l.gone:
			return nil, errGone
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// evaluate evaluates an expression whose value is a promise of a string.
func (w *webkit) evaluate(ctx context.Context, expression string) (string, error) {
	type outcome struct {
		Result struct {
			ObjectID    string
			Value       json.RawMessage
			Description string
		}
		WasThrown bool
	}
	var promise, settled outcome
	raw, err := w.call(ctx, "Runtime.evaluate", map[string]any{"expression": expression})
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(raw, &promise); err != nil || promise.WasThrown {
		return "", fmt.Errorf("thrown: %s, %w", promise.Result.Description, err)
	}
	raw, err = w.call(ctx, "Runtime.awaitPromise", map[string]any{"promiseObjectId": promise.Result.ObjectID, "returnByValue": true})
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(raw, &settled); err != nil || settled.WasThrown {
		return "", fmt.Errorf("thrown: %s %s, %w", settled.Result.Description, settled.Result.Value, err)
	}
	var value string
	return value, json.Unmarshal(settled.Result.Value, &value)
}

func (w *webkit) reload(ctx context.Context) error {
	_, err := w.call(ctx, "Page.reload", map[string]any{"ignoreCache": false})
	return err
}

// picture returns a data URL of the page as PNG.
func (w *webkit) picture(ctx context.Context, width, height int) (string, error) {
	raw, err := w.call(ctx, "Page.snapshotRect", map[string]any{"x": 0, "y": 0, "width": width, "height": height, "coordinateSystem": "Viewport"})
	if err != nil {
		return "", err
	}
	var p struct{ DataURL string }
	return p.DataURL, json.Unmarshal(raw, &p)
}
