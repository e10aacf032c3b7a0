// Package httpapi is the gateway's HTTP interface: the routes of
// the contract in package api, and nothing of the domain behind them. Call [New].
//
//	request ─▶ trace, log, recover ─▶ route ─▶ Accept ─▶ key ──▶ rate ─▶ parameters ─▶ body ─▶ handler ─▶ service
//	               ▲                   404 405   406    401 403   429       400      400 413 415             │
//	               └────────────────────────── one error handler: fault.Kind ─▶ status ◀────────────────────┘
//
// What a request must look like is read from openapi.yaml when the program
// starts, so the published contract and the checks cannot drift apart. Package
// api and the routing in server.gen.go are generated from the same file.
//
// Answers are closed: all members of a schema are there, null where there is
// nothing to say, and no others. Under an Idempotency-Key one request runs at a
// time (once.go), and its answer stands in the transaction of what it did. This
// package is the only one that knows Echo.
package httpapi

//go:generate go tool oapi-codegen -config oapi-codegen.yaml -o server.gen.go api/openapi.yaml
