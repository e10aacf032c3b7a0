package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"tcode/offline/host/sandbox"
	"tcode/server/pdfstamp"
)

func main() {
	sandbox.Main(pdfstamp.Role())
	playRole()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
