package trust

import (
	"bytes"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"
)

// SignNote signs a document's text, as its Text method returns it, and returns
// the signed note: text, blank line, one line a signature in the order given.
// Signing a signed note again adds a signature, so that holders of root keys
// can sign one after the other; a second signature of the same key replaces the
// first.
func SignNote(textOrNote []byte, signers ...*Signer) ([]byte, error) {
	n := &note.Note{Text: string(textOrNote)}
	if bytes.Contains(textOrNote, []byte("\n\n")) {
		var unverified *note.UnverifiedNoteError
		if _, err := note.Open(textOrNote, nil); !errors.As(err, &unverified) {
			return nil, &SyntaxError{Reason: "neither a text nor a signed note"}
		}
		n = unverified.Note
	}
	list := make([]note.Signer, len(signers))
	for i, s := range signers {
		list[i] = s
	}
	signed, err := note.Sign(n, list...)
	if err != nil {
		return nil, fmt.Errorf("sign note: %w", err)
	}
	return signed, nil
}

// SignedBy returns those keys, which must be distinct, whose signatures raw
// has. A text without a signature has none. The error wraps [ErrSignature] if a
// signature in the name of one of keys is wrong.
func SignedBy(raw []byte, keys []VerifierKey) ([]VerifierKey, error) {
	if !bytes.Contains(raw, []byte("\n\n")) {
		return nil, nil
	}
	var by []VerifierKey
	for _, k := range keys {
		_, n, err := openNote(raw, []VerifierKey{k})
		if err != nil {
			return nil, err
		}
		if n > 0 {
			by = append(by, k)
		}
	}
	return by, nil
}

// openNote checks the signatures of raw against keys, which must be distinct,
// and returns the text and the number of keys that have signed. It ignores
// lines of other keys: witnesses and the holders of the other root sign the
// same text.
func openNote(raw []byte, keys []VerifierKey) (text string, signed int, err error) {
	verifiers := make([]note.Verifier, len(keys))
	for i, k := range keys {
		if verifiers[i], err = k.NoteVerifier(); err != nil {
			return "", 0, err
		}
	}
	n, err := note.Open(raw, note.VerifierList(verifiers...))
	var (
		unverified *note.UnverifiedNoteError
		invalid    *note.InvalidSignatureError
	)
	switch {
	case err == nil:
		return n.Text, len(n.Sigs), nil
	case errors.As(err, &unverified):
		return unverified.Note.Text, 0, nil
	case errors.As(err, &invalid):
		return "", 0, fmt.Errorf("%w: key %s", ErrSignature, invalid.Name)
	}
	return "", 0, &SyntaxError{Reason: "no signed note"}
}

// openOnline opens a document that one key, the online key, must have signed.
func openOnline(fp Fingerprint, online VerifierKey, kind string, limit int, raw []byte) (*lines, error) {
	l, err := checkHead(fp, kind, limit, raw)
	if err != nil {
		return nil, err
	}
	text, signed, err := openNote(raw, []VerifierKey{online})
	if err != nil {
		return nil, err
	}
	if signed == 0 {
		return nil, fmt.Errorf("%w: want %s", ErrForeignKey, online)
	}
	l.rest = text[l.typeLine:]
	return l, nil
}
