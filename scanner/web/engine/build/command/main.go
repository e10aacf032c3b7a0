// Command command writes the engine of the scanner app into a folder:
//
//	go run ./scanner/web/engine/build/command -o scanner/web/built
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"tcode/scanner/web/engine/build"
)

func main() {
	to := flag.String("o", "built", "folder for the files, which must exist")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := build.Into(ctx, *to, nil); err != nil {
		fmt.Fprintln(os.Stderr, "build the engine:", err)
		os.Exit(1)
	}
}
