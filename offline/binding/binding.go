// Package binding ties a payload to the bytes of the file that was stamped
// (FORMAT.md; offline/README.md, "Binding"). Start with [Check].
//
//	          ┌──────────── file[:End] ─────────────┐
//	original bytes │ revision: mark │ hole │ rest    │ bytes that follow
//	          └ hashed ─────────────┘      └ hashed ┘
//	                                  │
//	      mark ─▶ Fingerprint == payload's?   hole == Hole(as read)?           len(file) == End?
//	                     │ no                        │ no                          │ no
//	                 mismatch                     mismatch                      appended      else match
//
// The mark says where the hole is and where the stamped file ends. It proves
// nothing: the fingerprint, which the issuer signed, covers the mark too. The
// hole holds the drawn symbol and nothing else, because a signature cannot lie
// under its own fingerprint.
//
// The package opens no file, starts no goroutine and also runs in a browser.
package binding

import (
	"bytes"
	"fmt"

	"tcode/offline/payload"
)

// A State says how a payload relates to the file it was read from. The words
// are frozen: programs store, sync and print them.
type State string

// The four states. Only Match and Appended say that the stamped bytes are
// genuine; only Mismatch says that they are not.
const (
	Match      State = "match"       // the very file that was stamped
	Appended   State = "appended"    // the stamped file, and bytes after it
	Mismatch   State = "mismatch"    // the stamp's object on other bytes, or drawn over
	NotChecked State = "not_checked" // paper, photo, or a copy that was saved again
)

// Codes of an [Outcome]. They are frozen as the states are.
const (
	CodeMatch       = "binding_match"
	CodeAppended    = "binding_appended"    // unsigned bytes follow
	CodeSigned      = "binding_signed"      // the bytes that follow look like a signed revision
	CodeStamped     = "binding_stamped"     // the bytes that follow hold another TCode mark
	CodeFingerprint = "binding_fingerprint" // no mark of this reference has the payload's fingerprint
	CodeRepainted   = "binding_repainted"   // the fingerprint matches, but the symbol in the file is not the one that was read
	CodeTooMany     = "binding_marks"       // too many marks of one reference: see maxHashed
	CodeNoMark      = "binding_no_mark"     // the file holds no mark to check
)

// maxHashed bounds the marks of one reference for which Check hashes the file.
// A stamped file has one. Hashing 25 MiB eight times takes 0.2 s on one core.
const maxHashed = 8

// An Outcome is the answer of [Check].
type Outcome struct {
	State         State
	AppendedBytes int64  // bytes after the stamped file; 0 unless State is Appended
	Code          string // one of the Code constants
	Detail        string // one sentence for people, without personal data
}

// Check decides whether p was stamped on file. m is the symbol as it was read,
// after error correction. The work is at most a small multiple of len(file).
// Check has no error, because it gives every file an answer.
func Check(file []byte, p payload.Payload, m Modules) Outcome {
	marks, more := marksOf(file, p.Reference, maxHashed)
	if len(marks) == 0 {
		return Outcome{State: NotChecked, Code: CodeNoMark, Detail: "nothing in the file ties it to the stamp: it is a copy that was saved or scanned anew, or another document"}
	}
	if more {
		return Outcome{State: Mismatch, Code: CodeTooMany, Detail: fmt.Sprintf("more than %d marks claim this stamp", maxHashed)}
	}
	repainted := false
	for _, k := range marks {
		got, err := Fingerprint(file, k)
		if err != nil || got != p.Fingerprint {
			continue
		}
		if !bytes.Equal(file[k.Start:k.Start+k.Length], Hole(file, k, m)) {
			repainted = true
			continue
		}
		return follows(file[k.End:])
	}
	if repainted {
		return Outcome{State: Mismatch, Code: CodeRepainted, Detail: "the symbol in the file is not the one that was read"}
	}
	return Outcome{State: Mismatch, Code: CodeFingerprint, Detail: "the stamp lies on another file, or the file was changed"}
}

// follows classifies the bytes after a stamped file that is otherwise intact.
// The classes go by appearance only: no signature is checked here.
func follows(rest []byte) Outcome {
	n := int64(len(rest))
	switch {
	case n == 0:
		return Outcome{State: Match, Code: CodeMatch, Detail: "the file is the one that was stamped"}
	case bytes.Contains(rest, []byte("/ByteRange")) && bytes.Contains(rest, []byte("%%EOF")):
		return Outcome{Appended, n, CodeSigned, fmt.Sprintf("%d bytes follow the stamped file and look like a signed revision", n)}
	case bytes.Contains(rest, []byte(markPrefix)):
		return Outcome{Appended, n, CodeStamped, fmt.Sprintf("%d bytes follow the stamped file and hold another TCode stamp", n)}
	case len(bytes.TrimSpace(rest)) == 0:
		return Outcome{Appended, n, CodeAppended, fmt.Sprintf("%d bytes of white space follow the stamped file", n)}
	}
	return Outcome{Appended, n, CodeAppended, fmt.Sprintf("%d unsigned bytes follow the stamped file", n)}
}
