package wire_test

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"time"

	"golang.org/x/mod/sumdb/note"

	"tcode/offline/trust"
	"tcode/sync/wire"
)

// exampleBatch returns one scan of a device with this key.
func exampleBatch(device ed25519.PrivateKey) wire.Batch {
	return wire.Batch{
		ID: "b-1", ScannerID: wire.ScannerID(device.Public().(ed25519.PublicKey)), SentAt: time.Date(2026, 11, 24, 8, 1, 0, 0, time.UTC),
		Items: []wire.Item{{
			ScanID: "0193a5b0-0000-7000-8000-000000000001", Seq: 1, Reference: "TCR-04HMASW9NF6YYNDA",
			ScannedAt: time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC), OfflineVerdict: "valid", Assurance: "signature_and_status", Binding: "match", TrustVersion: 7,
		}},
	}
}

var exampleDevice = ed25519.NewKeyFromSeed([]byte("an example device key, no secret"))

// A device signs its batch; the gateway detects a change.
func ExampleSignBatch() {
	b := exampleBatch(exampleDevice)
	deviceKey, signature, err := wire.SignBatch(b, exampleDevice)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(wire.VerifyBatch(b, deviceKey, signature))
	b.Items[0].OfflineVerdict = "revoked"
	fmt.Println(wire.VerifyBatch(b, deviceKey, signature) != nil)
	// Output:
	// <nil>
	// true
}

// DecodeBatch refuses JSON that two readers could understand differently.
func ExampleDecodeBatch() {
	body, err := exampleBatch(exampleDevice).Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := wire.DecodeBatch(body)
	fmt.Println(b.ScannerID == wire.ScannerID(exampleDevice.Public().(ed25519.PublicKey)), len(b.Items), err)

	twice := bytes.Replace(body, []byte(`"batchId":`), []byte(`"batchId":"b-2","batchId":`), 1)
	_, err = wire.DecodeBatch(twice)
	fmt.Println(err != nil)
	// Output:
	// true 1 <nil>
	// true
}

// A scan is done when a receipt of the gateway's online key covers the answer to it.
func ExampleReceipt() {
	key := ed25519.NewKeyFromSeed([]byte("an example online key, no secret"))
	signer, err := trust.NewSigner("online", key)
	if err != nil {
		fmt.Println(err)
		return
	}
	name, err := trust.NewVerifierKey("online", key.Public().(ed25519.PublicKey))
	if err != nil {
		fmt.Println(err)
		return
	}
	verifier, err := name.NoteVerifier()
	if err != nil {
		fmt.Println(err)
		return
	}
	b := exampleBatch(exampleDevice)
	results := []wire.ItemResult{{ScanID: b.Items[0].ScanID, Result: wire.Accepted, Verdict: "revoked", VerdictAtScan: "valid"}}
	receipt, _ := wire.NewReceipt(b, results, time.Date(2026, 11, 24, 8, 1, 1, 0, time.UTC))
	raw, err := wire.SignReceipt(receipt, signer)
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := wire.OpenReceipt(raw, verifier)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(got.Count, got.LastSeq, got.Match(b, results))
	results[0].Verdict = "valid" // an attacker's change
	fmt.Println(got.Match(b, results) != nil)
	// Output:
	// 1 1 <nil>
	// true
}

var _ note.Signer = (*trust.Signer)(nil)

// The text of a gateway's QR code makes a scanner pin the right root.
func ExampleParseEnrolmentCode() {
	root, err := trust.ParseFingerprint("9dac2f64ac9149a15249c314071dbf038678b6a63be30bfa8f6f9460df679d8e")
	if err != nil {
		fmt.Println(err)
		return
	}
	code, err := wire.EnrolmentCode("https://tcode.acme.example", root)
	if err != nil {
		fmt.Println(err)
		return
	}
	gateway, again, err := wire.ParseEnrolmentCode(code)
	fmt.Println(gateway, again == root, err)
	// Output:
	// https://tcode.acme.example true <nil>
}

// The worse of two verdicts counts.
func ExampleWorse() {
	fmt.Println(wire.Worse("not_found", "valid"), wire.Worse("valid", "revoked"), wire.Worse("unverified", "valid"))
	// Output:
	// not_found revoked valid
}
