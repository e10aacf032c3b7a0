package browsers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// firefox is Firefox, driven by WebDriver BiDi, which it has built in.
type firefox struct {
	link    *link
	note    func(kind, what string)
	context string // of its only page
}

// firefoxSettings keep Firefox from pages and requests of its own, and from asking about the window that was killed.
const firefoxSettings = `user_pref("app.normandy.enabled", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.sessionstore.resume_from_crash", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("toolkit.startup.max_resumed_crashes", -1);
`

func firefoxProgram() (string, error) {
	for _, name := range []string{"firefox-esr", "firefox"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Firefox is installed (Debian: firefox-esr)")
}

// firefoxCommand returns the command that starts Firefox, and the function that connects to it.
func firefoxCommand(profile, url string) (command, error) {
	program, err := firefoxProgram()
	if err != nil {
		return command{}, err
	}
	port, err := freePort()
	if err != nil {
		return command{}, err
	}
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(firefoxSettings), 0o600); err != nil {
		return command{}, err
	}
	_, number, _ := net.SplitHostPort(port) // freePort joined it
	return command{
		args: []string{program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=" + number, "--remote-allow-origins=" + origin, url},
		connect: func(ctx context.Context, note func(kind, what string)) (driver, error) {
			return connectFirefox(ctx, port, note)
		},
	}, nil
}

// connectFirefox waits until Firefox listens and has its page.
func connectFirefox(ctx context.Context, port string, note func(kind, what string)) (driver, error) {
	f := &firefox{note: note}
	for {
		var err error
		if f.link, err = dial("ws://"+port+"/session", f.event); err == nil {
			break
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, err
		}
	}
	if _, err := f.call(ctx, "session.new", map[string]any{"capabilities": struct{}{}}); err != nil {
		return nil, err
	}
	if _, err := f.call(ctx, "session.subscribe", map[string]any{"events": []string{"log.entryAdded", "network.beforeRequestSent"}}); err != nil {
		return nil, err
	}
	var tree struct{ Contexts []struct{ Context string } }
	raw, err := f.call(ctx, "browsingContext.getTree", struct{}{})
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &tree); err != nil || len(tree.Contexts) == 0 {
		return nil, fmt.Errorf("no page: %s, %w", raw, err)
	}
	f.context = tree.Contexts[0].Context
	_, err = f.call(ctx, "browsingContext.setViewport", map[string]any{"context": f.context, "viewport": map[string]any{"width": 390, "height": 844}})
	return f, err
}

func (f *firefox) event(method string, params json.RawMessage) {
	var p struct {
		Level, Text string
		Request     struct{ URL string }
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	switch {
	case method == "network.beforeRequestSent":
		f.note("request", p.Request.URL)
	case method == "log.entryAdded" && p.Level == "error":
		f.note("wrong", p.Text)
	}
}

func (f *firefox) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return f.link.call(ctx, method, params, nil)
}

func (f *firefox) evaluate(ctx context.Context, expression string) (string, error) {
	raw, err := f.call(ctx, "script.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "target": map[string]any{"context": f.context}})
	if err != nil {
		return "", err
	}
	var r struct {
		Type             string
		Result           struct{ Value string }
		ExceptionDetails struct{ Text string }
	}
	if err := json.Unmarshal(raw, &r); err != nil || r.Type != "success" {
		return "", fmt.Errorf("thrown: %s, %w", r.ExceptionDetails.Text, err)
	}
	return r.Result.Value, nil
}

func (f *firefox) reload(ctx context.Context) error {
	_, err := f.call(ctx, "browsingContext.reload", map[string]any{"context": f.context, "wait": "none"})
	return err
}

func (f *firefox) picture(ctx context.Context, _, _ int) (string, error) {
	raw, err := f.call(ctx, "browsingContext.captureScreenshot", map[string]any{"context": f.context})
	if err != nil {
		return "", err
	}
	var p struct{ Data string }
	return p.Data, json.Unmarshal(raw, &p)
}
