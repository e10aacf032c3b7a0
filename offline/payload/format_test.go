package payload_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"tcode/offline/payload"
)

// TestFormatExample compares the worked example of FORMAT.md with the code: a
// description with one wrong byte is worse than none.
func TestFormatExample(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	v := readVectors(t, "ed25519-minimal")[0]
	raw := body(t, v)
	p, err := payload.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	core := payload.Core(raw)
	codewords, _, err := payload.Codewords(payload.EncodeText(raw))
	if err != nil {
		t.Fatal(err)
	}
	cose, err := payload.AppendCOSE(nil, p)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"public-key": hex.EncodeToString(key(t, v).Bytes()),
		"to-sign":    hex.EncodeToString(payload.ToSign(p.Algorithm, core)),
		"payload":    hex.EncodeToString(raw),
		"text":       payload.EncodeText(raw),
		"codewords":  hex.EncodeToString(codewords),
		"cose":       hex.EncodeToString(cose),
	}
	blocks := regexp.MustCompile("(?s)```([a-z-]+)\n(.*?)```").FindAllStringSubmatch(string(doc), -1)
	for _, block := range blocks {
		if got := strings.Join(strings.Fields(block[2]), ""); got != want[block[1]] {
			t.Errorf("example %s is\n%s, want\n%s", block[1], got, want[block[1]])
		}
		delete(want, block[1])
	}
	if len(want) != 0 {
		t.Errorf("FORMAT.md has no example of %v", want)
	}
	// FORMAT.md explains the core line by line.
	_, lines, _ := strings.Cut(string(doc), "Core, 44 bytes:\n")
	lines, _, _ = strings.Cut(lines, "What is signed:")
	var explained []byte
	for _, m := range regexp.MustCompile(`(?m)^    ((?:[0-9A-F]{2} ?)+) `).FindAllStringSubmatch(lines, -1) {
		explained = append(explained, unhex(t, strings.ReplaceAll(m[1], " ", ""))...)
	}
	if !bytes.Equal(explained, core) {
		t.Errorf("explained core is %x, want %x", explained, core)
	}
}

// TestFormatLimits: the numbers in the text are those of the code, and the text
// names every class of the vectors.
func TestFormatLimits(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.ReplaceAll(string(raw), ",", "")
	for what, n := range map[string]int{
		"%d to 4481 bytes": payload.MinLen, "108 to %d bytes": payload.MaxLen, "| text form | %d characters": payload.MaxTextLen,
		"%d bytes in 132x132": payload.MaxSymbolLen, "Unix time minus %d": payload.Epoch, "count 1 to %d": payload.MaxFields,
		"length of the key 1 to %d": payload.MaxFieldKey, "value in bytes 0 to %d": payload.MaxFieldValue,
	} {
		if want := fmt.Sprintf(what, n); !strings.Contains(doc, want) {
			t.Errorf("FORMAT.md does not say %q", want)
		}
	}
	if want := fmt.Sprintf("0x%X", payload.Magic); !strings.Contains(doc, want) {
		t.Errorf("FORMAT.md does not say %q", want)
	}
	for class := range classes() {
		if !strings.Contains(doc, "`"+class+"`") {
			t.Errorf("FORMAT.md does not name class %s", class)
		}
	}
}
