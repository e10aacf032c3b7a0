package scanner_test

import (
	"context"
	"fmt"
	"os"

	"tcode/scanner"
)

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
