// Package httpapi is the gateway's HTTP interface: the handlers of the routes
// that the contract in package api has, and nothing of the domain behind them.
// Call [New].
//
//	request ─▶ gate: all that is the same for every route ─▶ handler ─▶ service
//	             ▲                                              │
//	             └──── error handler: fault.Kind ─▶ status ◀────┘
//
// The routing in server.gen.go is generated from the contract. routes.go has
// what the contract does not say of an operation.
//
// Answers are closed: all members of a schema are there, null where there is
// nothing to say, and no others. This package and gate are the only ones that
// know Echo.
package httpapi

//go:generate go tool oapi-codegen -config oapi-codegen.yaml -o server.gen.go api/openapi.yaml
