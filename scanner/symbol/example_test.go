package symbol_test

import (
	"context"
	"fmt"

	"tcode/offline/payload"
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
)

// ReadImage reads one page or photo, here a drawn one.
func ExampleReadImage() {
	page := gray.New(400, 300)
	page.Fill(255)
	data, side, err := payload.Codewords("HELLOTCODE")
	if err != nil {
		fmt.Println(err)
		return
	}
	size, _ := ecc200.SizeOf(side, side)
	dark, err := ecc200.Encode(data, size)
	if err != nil {
		fmt.Println(err)
		return
	}
	simulate.Draw(page, simulate.Symbol{Rows: side, Cols: side, Dark: dark}, simulate.Place{X: 100, Y: 80, ModulePx: 4, Quiet: 4}, 20, 240)

	r := symbol.ReadImage(context.Background(), page, symbol.Options{})
	for _, s := range r.Symbols {
		fmt.Println(s.Text, s.Rows, s.Cols)
	}
	empty := gray.New(400, 300)
	empty.Fill(255)
	fmt.Println(symbol.ReadImage(context.Background(), empty, symbol.Options{}).Reason.Code)
	// Output:
	// HELLOTCODE 14 14
	// low_contrast
}
