// Command frame is our reader as WebAssembly. Package main of scanner/bench times it
// against zxing-wasm on the frames of a camera:
//
//	GOOS=js GOARCH=wasm go build -o frame.wasm ./scanner/bench/frame
//
// It gives its host the function tcodeRead(pixels Uint8Array, width, height),
// which returns the text of the first symbol or an empty string.
package main

import (
	"context"
	"syscall/js"

	"tcode/scanner/gray"
	"tcode/scanner/symbol"
)

func main() {
	var img gray.Image
	js.Global().Set("tcodeRead", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 3 || args[1].Int() <= 0 || args[2].Int() <= 0 || args[0].Length() != args[1].Int()*args[2].Int() {
			return ""
		}
		img.Reset(args[1].Int(), args[2].Int())
		js.CopyBytesToGo(img.Pix, args[0])
		got := symbol.ReadImage(context.Background(), &img, symbol.Options{MaxSymbols: 1})
		if len(got.Symbols) == 0 {
			return ""
		}
		return got.Symbols[0].Text
	}))
	select {} // the host calls
}
