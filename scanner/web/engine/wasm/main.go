//go:build js

// Command wasm is the engine in a worker of the browser: it takes the requests that
// engine-worker.js hands it and answers them (PROTOCOL.md in the folder above). It keeps nothing
// yet: every answer says so, and the trust state lasts as long as the worker.
package main

import (
	"context"
	"syscall/js"

	"tcode/offline/host/journal"
	"tcode/offline/host/trustjournal"
	"tcode/scanner/gray"
	"tcode/scanner/web/engine"
)

func main() {
	var disk journal.Disk
	open := func(context.Context) (journal.Journal, error) { return disk.Open() }
	trust, err := trustjournal.Open(context.Background(), open, nil)
	if err != nil {
		panic(err)
	}
	e, err := engine.New(engine.Config{Trust: trust.Book})
	if err != nil {
		panic(err)
	}
	door := engine.NewDoor(e)
	js.Global().Set("tcodeAsk", js.FuncOf(func(_ js.Value, args []js.Value) any {
		// The worker keeps its buffer, so it is copied before this call returns.
		request, data := args[0].String(), []byte(nil)
		if args[1].Truthy() {
			data = make([]byte, args[1].Length())
			js.CopyBytesToGo(data, args[1])
		}
		reply := args[2]
		go func() { reply.Invoke(string(door.Ask(context.Background(), []byte(request), data))) }()
		return nil
	}))
	warm(e)
	js.Global().Call("tcodeReady")
	select {}
}

// warm reads a made-up frame, so that the first real one is not slow.
func warm(e *engine.Engine) {
	img := gray.New(640, 480)
	for i := range img.Pix {
		img.Pix[i] = byte(i/640/8%2*80 + i/8%2*80)
	}
	e.Warm(context.Background(), img)
}
