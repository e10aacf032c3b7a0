// Package python is the client of a gateway in Python: one file that needs the standard
// library alone. The program in folder generate writes it from the contract, and every
// gateway serves it at /docs/tcode_client.py.
//
//	openapi.yaml ─▶ generate ─▶ tcode_client.py ─▶ Source
package python

import _ "embed"

//go:generate go run ./generate ../../httpapi/api/openapi.yaml tcode_client.py

// Source is the client. It must not be changed.
//
//go:embed tcode_client.py
var Source []byte
