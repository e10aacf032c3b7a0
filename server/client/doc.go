// Package client calls a gateway's HTTP interface. Its calls are generated from
// the published contract, so that they cannot differ from it; the types of their
// bodies are in package api, which the gateway uses too.
//
//	c, err := client.New("https://gateway.example", client.WithKey(key))
//	res, err := c.CreateStampWithResponse(ctx, nil, api.CreateStampJSONRequestBody{...})
//	if err := client.Check(err, res); err != nil { ... } // a *client.Error says why
//	reference := res.JSON201.Data.Reference
//
// Every call has a WithResponse form, whose result holds the record in the field
// of its status. This package has no calls of offline devices: sync/feed fetches
// trust documents and sync/uplink delivers scans.
package client

//go:generate go tool -modfile=../../cmd/internal/lint/go.mod oapi-codegen -config oapi-codegen.yaml -o client.gen.go ../httpapi/api/openapi.yaml
