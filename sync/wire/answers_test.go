package wire_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/sync/wire"
)

// answerVectors are lists of answers with the digest that a receipt signs. Each
// bad list has one fault.
type answerVectors struct {
	Answers []struct {
		ScanID, Digest, Result, Code, Verdict, VerdictAtScan string
	} `json:"answers"`
	ScannerID string            `json:"scannerId"`
	List      string            `json:"list"`   // hexadecimal
	SHA256    string            `json:"sha256"` // the receipt's
	Bad       map[string]string `json:"bad"`    // the fault and the list
}

const wantBadLists = 9

func readAnswers(tb testing.TB) answerVectors {
	tb.Helper()
	raw, err := os.ReadFile("testdata/answers.json")
	if err != nil {
		tb.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var v answerVectors
	if err := dec.Decode(&v); err != nil {
		tb.Fatal(err)
	}
	if len(v.Answers) != 4 || len(v.Bad) != wantBadLists {
		tb.Fatalf("%d answers and %d bad lists", len(v.Answers), len(v.Bad))
	}
	return v
}

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	v := readAnswers(t)
	scanner, got, err := wire.ParseAnswers(unhex(t, v.List))
	if sum := sha256.Sum256(unhex(t, v.List)); hex.EncodeToString(sum[:]) != v.SHA256 {
		t.Errorf("digest %x", sum)
	}
	if err != nil || scanner != v.ScannerID {
		t.Fatalf("scanner %q, %v", scanner, err)
	}
	var want []wire.Answered
	for _, a := range v.Answers {
		w := wire.Answered{ScanID: a.ScanID, Result: wire.ItemOutcome(a.Result), Code: a.Code, Verdict: a.Verdict, VerdictAtScan: a.VerdictAtScan}
		copy(w.Digest[:], unhex(t, a.Digest))
		want = append(want, w)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	for fault, list := range v.Bad {
		if _, _, err := wire.ParseAnswers(unhex(t, list)); !errors.Is(err, wire.ErrAnswers) {
			t.Errorf("%s: %v, want ErrAnswers", fault, err)
		}
	}
}

// FuzzAnswers: an accepted list is read completely: no byte is left over.
func FuzzAnswers(f *testing.F) {
	v := readAnswers(f)
	f.Add(unhex(f, v.List))
	for _, list := range v.Bad {
		f.Add(unhex(f, list))
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		scanner, answers, err := wire.ParseAnswers(list)
		if err != nil {
			return
		}
		if again := wire.AppendAnswersForTest(nil, scanner, answers); !bytes.Equal(again, list) {
			t.Errorf("%x is read as %x", list, again)
		}
	})
}
