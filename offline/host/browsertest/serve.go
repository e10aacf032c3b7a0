//go:build !js

package browsertest

import (
	"io"
	"net/http"
	"strconv"
)

const page = `<!doctype html><meta charset="utf-8"><title>tests</title><script>new Worker('/browsertest/worker.js')</script>`

// worker starts the program. Its output goes to the server by requests that block, so that each line is known before the program
// goes on.
const worker = `'use strict';
function tell(path, body) {
	const request = new XMLHttpRequest();
	request.open('POST', '/browsertest/' + path, false);
	request.send(body);
}
async function start() {
	importScripts('/browsertest/wasm_exec.js');
	globalThis.fs.writeSync = (fd, bytes) => { tell('output', bytes.slice()); return bytes.length };
	globalThis.process.cwd = () => '/';
	const settings = await (await fetch('/browsertest/settings')).json();
	const go = new Go();
	let code = 0;
	go.argv = settings.args;
	go.env = settings.env;
	go.exit = n => { code = n };
	const made = await WebAssembly.instantiateStreaming(fetch('/browsertest/tests.wasm'), go.importObject);
	await go.run(made.instance);
	return code;
}
start().then(code => tell('exit?code=' + code), error => {
	tell('output', String(error && error.stack || error) + '\n');
	tell('exit?code=3');
});
`

func (p *Program) routes(program, loader string) http.Handler {
	mux := http.NewServeMux()
	text := func(path, kind, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, body)
		})
	}
	text("/browsertest/", "text/html", page)
	text("/browsertest/worker.js", "text/javascript", worker)
	mux.HandleFunc("GET /browsertest/wasm_exec.js", func(w http.ResponseWriter, q *http.Request) { http.ServeFile(w, q, loader) })
	mux.HandleFunc("GET /browsertest/tests.wasm", func(w http.ResponseWriter, q *http.Request) { http.ServeFile(w, q, program) })
	mux.HandleFunc("GET /browsertest/settings", func(w http.ResponseWriter, _ *http.Request) {
		raw, err := p.settings()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = w.Write(raw)
	})
	mux.HandleFunc("POST /browsertest/output", p.output)
	mux.HandleFunc("POST /browsertest/exit", func(_ http.ResponseWriter, q *http.Request) {
		code, err := strconv.Atoi(q.FormValue("code"))
		if err != nil {
			code = 3
		}
		p.current().exit(code)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, q *http.Request) {
		if p.Handler == nil {
			http.NotFound(w, q)
			return
		}
		p.Handler.ServeHTTP(w, q)
	})
	return mux
}

func (p *Program) output(w http.ResponseWriter, q *http.Request) {
	raw, err := io.ReadAll(q.Body)
	if err != nil {
		return // the browser is gone
	}
	now := p.current()
	for _, line := range now.wrote(string(raw)) {
		if p.OnLine != nil && p.OnLine(line) {
			now.cut()
			return
		}
	}
	w.WriteHeader(http.StatusNoContent)
}
