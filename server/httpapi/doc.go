// Package httpapi is the gateway's HTTP interface: the handlers of the routes
// in the contract of package api, without the domain behind them.
// Call [New].
//
//	request ─▶ gate: all that is the same for every route ─▶ handler ─▶ service
//	             ▲                                              │
//	             └──── error handler: fault.Kind ─▶ status ◀────┘
//
// The routing in server.gen.go is generated from the contract. routes.go
// describes operations beyond it: entitlements, limits, checks of queries.
//
// Answers are closed: all members of a schema are there, null where there is
// nothing to say, and no others. This package and gate are the only ones that
// know Echo.
package httpapi

//go:generate go tool -modfile=../../cmd/internal/lint/go.mod oapi-codegen -config oapi-codegen.yaml -o server.gen.go api/openapi.yaml
