package offline_test

import (
	"fmt"

	"tcode/offline"
	"tcode/testdata"
)

// A stamp on paper is never plain green: the operator must compare.
func ExampleVector_Run() {
	raw, err := testdata.Vectors.ReadFile("vectors/verdict/valid-not-checked.json")
	if err != nil {
		panic(err)
	}
	v, err := offline.ParseVector(raw)
	if err != nil {
		panic(err)
	}
	r, err := v.Run()
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Verdict, r.Assurance, r.Binding)
	fmt.Println(r.Reason)
	// Output:
	// valid signature_and_status not_checked
	// Genuine stamp: compare the document with Diploma (DIP) by Acme Institute (ACME01), issued 2026-05-16; grade: 5.5; Holder: Ann Ax. Not revoked as of 2026-06-15 11:00 UTC.
}
