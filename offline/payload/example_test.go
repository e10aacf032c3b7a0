package payload_test

import (
	"crypto/ed25519"
	"fmt"
	"time"

	"tcode/offline/payload"
)

// An issuer seals a payload and encodes it for a symbol; a scanner decodes it.
func Example() {
	signer := ed25519.NewKeyFromSeed([]byte("an example, not a secret at all."))
	p := payload.Payload{
		Issuer:       "ACME01",
		KeySeq:       1,
		Reference:    payload.Reference{0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x55, 0xAA},
		DocumentType: "DIP",
		IssuedAt:     time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC),
		Fields:       []payload.Field{{Key: "holder", Value: "Ada Lovelace"}},
	}
	if err := p.Seal(signer); err != nil {
		fmt.Println(err)
		return
	}
	raw, err := p.Append(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	text := payload.EncodeText(raw)
	_, side, err := payload.Codewords(text)
	fmt.Println(len(raw), "bytes,", len(text), "characters,", side, "modules", err)

	scanned, err := payload.DecodeText(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := payload.Parse(scanned)
	if err != nil {
		fmt.Println(err)
		return
	}
	key, err := payload.KeyOf(signer.Public()) // on a device: from the issuer's record
	if err != nil {
		fmt.Println(err)
		return
	}
	core := payload.Core(scanned)
	fmt.Println(got.Reference, got.Issuer, got.Fields[0].Value, key.Verify(core, got.Signature))
	// Output:
	// 129 bytes, 201 characters, 44 modules <nil>
	// TCR-04HMASW9NF6YYNDA ACME01 Ada Lovelace true
}
