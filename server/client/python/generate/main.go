// Command generate writes the client in Python from the contract.
//
//	go run ./generate openapi.yaml tcode_client.py
package main

import (
	_ "embed"
	"fmt"
	"os"

	"github.com/getkin/kin-openapi/openapi3"
)

//go:embed head.py
var head string

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("want the contract and the file to write, not %d arguments", len(args))
	}
	doc, err := openapi3.NewLoader().LoadFromFile(args[0])
	if err != nil {
		return err
	}
	w := &writer{}
	w.text(head)
	w.types(doc)
	w.client(doc)
	return os.WriteFile(args[1], []byte(w.String()), 0o644) //nolint:gosec // source for everybody
}
