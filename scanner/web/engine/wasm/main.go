//go:build js

// Command wasm is the scanner in a worker of the browser: it takes the requests that engine-worker.js hands it and answers
// them (PROTOCOL.md in the folder above).
package main

import (
	"context"
	"syscall/js"
	"time"

	"tcode/offline/contain"
	"tcode/scanner/gray"
	"tcode/scanner/web/engine"
	"tcode/scanner/web/engine/door"
	"tcode/sync/transport/fetch"
)

// version is that of the app, set by the build.
var version = "devel"

// requestLimit is the longest time that one request takes.
const requestLimit = time.Minute

func main() {
	var d *door.Door
	stores := stores{asked: func() { d.GiveUp() }}
	d = door.New(door.Config{
		Trust: stores.trust, Scans: stores.scans, Notes: stores.notes, Take: stores.take, Key: deviceKey, Storage: stores.report,
		Transport: fetch.New(requestLimit), Origin: js.Global().Get("location").Get("origin").String(), Version: version, Decode: decodeJPEG,
		Picture: openPicture,
		Event:   func(message []byte) { js.Global().Call("tcodeEvent", string(message)) },
	})
	js.Global().Set("tcodeAsk", js.FuncOf(func(_ js.Value, args []js.Value) any {
		// The worker keeps its buffer, so it is copied before this call returns.
		request, data := args[0].String(), []byte(nil)
		if args[1].Truthy() {
			data = make([]byte, args[1].Length())
			js.CopyBytesToGo(data, args[1])
		}
		answered := args[2]
		contain.Start("ask", func() error {
			reply, file := d.Ask(context.Background(), []byte(request), data)
			answered.Invoke(string(reply), arrayOf(file))
			return nil
		})
		return nil
	}))
	warm()
	js.Global().Call("tcodeReady")
	select {}
}

// arrayOf returns bytes as a Uint8Array; nil gives null.
func arrayOf(file []byte) js.Value {
	if file == nil {
		return js.Null()
	}
	array := js.Global().Get("Uint8Array").New(len(file))
	js.CopyBytesToJS(array, file)
	return array
}

// warm reads a made-up frame, so that the first real one is not slow.
func warm() {
	img := gray.New(640, 480)
	for i := range img.Pix {
		img.Pix[i] = byte(i/640/8%2*80 + i/8%2*80)
	}
	new(engine.Engine).Warm(context.Background(), img)
}
