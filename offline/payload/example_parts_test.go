package payload_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"time"

	"tcode/offline/payload"
)

// People type a reference when they have no reader.
func ExampleParseReference() {
	r, err := payload.ParseReference("tcr-04hmasw9nf6yynda")
	fmt.Println(r, err)
	_, err = payload.ParseReference("TCR-04HMASW9NF6YYNDU")
	fmt.Println(err != nil)
	// Output:
	// TCR-04HMASW9NF6YYNDA <nil>
	// true
}

func ExampleNewReference() {
	random := bytes.NewReader([]byte("not random")) // crypto/rand.Reader in a program
	r, err := payload.NewReference(random)
	fmt.Println(r, err)
	// Output:
	// TCR-DSQQ883JC5Q68VVD <nil>
}

// The text form holds the characters of a symbol. Each sequence of bytes has
// one text, and nothing else decodes.
func ExampleDecodeText() {
	text := payload.EncodeText([]byte{0xd7, 0x11, 0x04})
	raw, err := payload.DecodeText(text)
	fmt.Printf("%s %x %v\n", text, raw, err)
	_, err = payload.DecodeText(text + " ")
	fmt.Println(err != nil)
	// Output:
	// 8E3GK d71104 <nil>
	// true
}

// Parse tells where the bytes are wrong, but not whether they are genuine.
func ExampleParse() {
	_, err := payload.Parse([]byte{0xd7, 0x11})
	var syntax *payload.SyntaxError
	fmt.Println(errors.Is(err, payload.ErrTruncated), errors.As(err, &syntax))
	// Output:
	// true true
}

// A status index is the place of a stamp in the status shards.
func ExampleNewStatusIndex() {
	i := payload.NewStatusIndex(3, 14159)
	fmt.Println(i.Shard(), i.Entry(), uint32(i))
	// Output:
	// 3 14159 210767
}

// A key that verifies one core verifies no other.
func ExamplePublicKey_Verify() {
	signer := ed25519.NewKeyFromSeed([]byte("an example, not a secret at all."))
	p := payload.Payload{Issuer: "ACME01", DocumentType: "DIP", IssuedAt: time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)}
	if err := p.Seal(signer); err != nil {
		fmt.Println(err)
		return
	}
	core, err := p.AppendCore(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	key, err := payload.KeyOf(signer.Public())
	if err != nil {
		fmt.Println(err)
		return
	}
	genuine := key.Verify(core, p.Signature)
	core[5]++
	fmt.Println(genuine, key.Verify(core, p.Signature))
	// Output:
	// true false
}
