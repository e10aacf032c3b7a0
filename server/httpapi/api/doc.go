// Package api is the gateway's contract, openapi.yaml, with the Go types of its
// requests and answers.
//
//	openapi.yaml ─▶ overlay.yaml ─┬▶ models.gen.go: one type for each schema
//	                              ├▶ server/httpapi/server.gen.go: routes
//	             │                └▶ server/client/client.gen.go: calls
//	             ├▶ server/client/python/tcode_client.py
//	             └▶ server/httpapi: OpenAPI 3.1, as the gateway publishes it
//
// Begin with package client, which sends requests of these types, or with
// [YAML], the document itself. overlay.yaml changes the document for the
// generated code only: it removes media types that the code does not tell
// apart, and errors, which one place writes and one place reads.
package api

import _ "embed"

//go:generate go tool -modfile=../../../cmd/internal/lint/go.mod oapi-codegen -config oapi-codegen.yaml -o models.gen.go openapi.yaml

// YAML is the published contract. It must not be changed.
//
//go:embed openapi.yaml
var YAML []byte
