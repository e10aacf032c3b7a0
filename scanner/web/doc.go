// Package web serves the scanner as an app for phones: pages, programs and the engine as WebAssembly,
// under /scan/. Call [New] and mount the handler there.
//
//	app/ (html, css, ES modules, texts) ──┐
//	built/ (engine, by go generate)  ─────┼─▶ release: path ─▶ bytes, SHA-256, gzip, brotli ─▶ ServeHTTP
//	icons, release.js, sw.js  ────────────┘            │
//	                                                   └─▶ list of hashes in sw.js ─▶ phone keeps all of it
//
// The app is a set of plain files. A phone fetches all of them once, checks each against its hash, and
// then needs no server. Nothing is loaded from another origin, and the Content-Security-Policy allows
// no inline script or style.
//
// A program that is built without the engine (go generate ./scanner/web) answers every request with
// the command that builds it, or takes the engine from a folder ([NewFrom]). [App.Manifest] has the
// hashes of all files, which an operator publishes.
package web

//go:generate go run ./engine/build/command -o built
