//go:build !js

// Command frame builds for GOOS=js only; see main_js.go.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "frame: build me with GOOS=js GOARCH=wasm")
	os.Exit(1)
}
