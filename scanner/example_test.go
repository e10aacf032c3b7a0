package scanner_test

import (
	"context"
	"fmt"
	"os"

	"tcode/offline/payload"
	"tcode/scanner"
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
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

	r := scanner.ReadImage(context.Background(), page, scanner.Options{})
	for _, s := range r.Symbols {
		fmt.Println(s.Text, s.Rows, s.Cols)
	}
	empty := gray.New(400, 300)
	empty.Fill(255)
	fmt.Println(scanner.ReadImage(context.Background(), empty, scanner.Options{}).Reason.Code)
	// Output:
	// HELLOTCODE 14 14
	// low_contrast
}

// A Scanner reads whole files; child processes draw their pages.
func ExampleScanner_Read() {
	s := scanner.New(scanner.Config{})
	defer s.Close()
	file, err := os.ReadFile("../testdata/documents/letter.pdf")
	if err != nil {
		fmt.Println(err)
		return
	}
	err = s.Read(context.Background(), "letter.pdf", file, scanner.DocumentOptions{}, func(p scanner.Page) error {
		fmt.Println("page", p.Number, "of", p.Count, "has", len(p.Reading.Symbols), "symbols:", p.Reading.Reason.Code)
		return nil
	})
	fmt.Println(err)
	// Output:
	// page 1 of 1 has 0 symbols: nothing_found
	// <nil>
}
