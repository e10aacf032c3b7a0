package phonetest

import (
	"encoding/json"
	"strings"
	"testing"
)

// A Page is the app in a browser: a [Phone], or a browser of package browsers.
type Page interface {
	// TB returns the test of the page.
	TB() testing.TB
	// Evaluate evaluates a script, waits for the promise that it returns, and decodes the value as JSON into v, a pointer.
	Evaluate(script string, v any) error
}

// Eval evaluates a script; a promise is waited for.
func Eval[T any](p Page, script string) T {
	p.TB().Helper()
	v, err := TryEval[T](p, script)
	if err != nil {
		p.TB().Fatalf("%.200s: %v", script, err)
	}
	return v
}

// TryEval is Eval for a page that may be killed.
func TryEval[T any](p Page, script string) (T, error) {
	var v T
	err := p.Evaluate(script, &v)
	return v, err
}

// Quoted returns s as a string of JavaScript.
func Quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// A Reply is that of the engine to a request of [Ask].
type Reply[T any] struct {
	OK     bool
	Result T
	Code   string // of the error
	Why    string
}

// askScript asks the engine of the page: it is the page's own. Bytes of a file are in Base64.
const askScript = `(async () => {
	const {app} = await import('/scan/js/app.js');
	const end = Date.now() + 90000;
	while (!app.start && Date.now() < end) await new Promise((ok) => setTimeout(ok, 10));
	const members = MEMBERS, transfer = [];
	if (members.bytes) { members.bytes = Uint8Array.from(atob(members.bytes), (c) => c.charCodeAt(0)).buffer; transfer.push(members.bytes); }
	try {
		return {OK: true, Result: (await app.engine.ask(OP, members, transfer)) ?? null};
	} catch (e) {
		return {OK: false, Code: e.code ?? '', Why: e.message};
	}
})()`

// Ask sends a request to the engine of the page. A member bytes of type []byte is the content of a file.
func Ask[T any](p Page, op string, members map[string]any) (Reply[T], error) {
	if members == nil {
		members = map[string]any{}
	}
	raw, err := json.Marshal(members)
	if err != nil {
		p.TB().Fatal(err)
	}
	return TryEval[Reply[T]](p, strings.NewReplacer("MEMBERS", string(raw), "OP", Quoted(op)).Replace(askScript))
}

// Must is Ask for a request that succeeds.
func Must[T any](p Page, op string, members map[string]any) T {
	p.TB().Helper()
	r, err := Ask[T](p, op, members)
	if err != nil || !r.OK {
		p.TB().Fatalf("%s: %s %s, %v", op, r.Code, r.Why, err)
	}
	return r.Result
}
