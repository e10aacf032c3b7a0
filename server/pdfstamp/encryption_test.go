package pdfstamp_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/pdfstamp"
)

// encryptions are the arguments of qpdf for each kind of encryption there is.
var encryptions = []struct {
	name string
	args string // key length and the options after it
}{
	{"V1 R2, RC4 40", "40"},
	{"V2 R3, RC4 128", "128 --use-aes=n"},
	{"V4 R4, RC4 128", "128 --use-aes=n --force-V4"},
	{"V4 R4, RC4 128, clear metadata", "128 --use-aes=n --force-V4 --cleartext-metadata"},
	{"V4 R4, AES 128", "128 --use-aes=y"},
	{"V4 R4, AES 128, clear metadata", "128 --use-aes=y --cleartext-metadata"},
	{"V5 R5, AES 256", "256 --force-R5"},
	{"V5 R6, AES 256", "256"},
	{"V5 R6, AES 256, clear metadata", "256 --cleartext-metadata"},
}

// encrypt has qpdf encrypt pdf.
func encrypt(t testing.TB, pdf []byte, objectStreams, user, owner, args string) []byte {
	t.Helper()
	in, out := filepath.Join(t.TempDir(), "in.pdf"), filepath.Join(t.TempDir(), "out.pdf")
	if err := os.WriteFile(in, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	line := []string{"--allow-weak-crypto", "--static-id", "--static-aes-iv", "--object-streams=" + objectStreams, "--encrypt", user, owner}
	line = append(append(line, strings.Fields(args)...), "--", in, out)
	if text, code := run(t, "qpdf", line...); code != 0 && code != 3 {
		t.Fatalf("qpdf %s: %s", line, text)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// withStrings is a page whose resources hold a string that must be encrypted
// again: the table of an indexed colour space, which is the colour of a large
// rectangle.
var withStrings = pdfSpec{
	page:      a4 + "/LastModified(D:20260101000000Z)",
	resources: "/ColorSpace<</C [/Indexed/DeviceRGB 1 <4080C0FF0000>]>>",
	contents:  []string{"/C cs 0 sc 100 100 300 300 re f", text("one")},
}

// TestEncrypted: a file that opens without a password stays encrypted as it is,
// and every reader finds the stamp on it and the page as it was.
func TestEncrypted(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"qpdf", "pdftoppm", "mutool"} {
		need(t, tool)
	}
	s := newStamper(t)
	plain := withStrings.build()
	for _, e := range encryptions {
		for _, packed := range []string{"disable", "generate"} {
			t.Run(e.name+"/object streams "+packed, func(t *testing.T) {
				t.Parallel()
				pdf := encrypt(t, plain, packed, "", "owner", e.args)
				st, k := stamped(t, s, pdf, pdfstamp.Placement{}, payload.Reference{1})
				if got := k.check(st.PDF); got.State != binding.Match {
					t.Errorf("binding %+v", got)
				}
				if again, _ := stamped(t, s, pdf, pdfstamp.Placement{}, payload.Reference{1}); !bytes.Equal(st.PDF, again.PDF) {
					t.Error("the same stamp twice gives different bytes")
				}
				if bytes.Contains(st.PDF[len(pdf):], binding.SymbolStream(k.modules)) {
					t.Error("the symbol is not encrypted")
				}
				keep(t, st.PDF)
				v := verdict{}
				compare(t, &v, pdf, st, k.text)
				if v.worse || len(v.changed) != 0 || !v.read {
					t.Errorf("%+v", v)
				}
				two, k2 := stamped(t, s, st.PDF, pdfstamp.Placement{Anchor: geometry.TopLeft}, payload.Reference{2})
				if got := k2.check(two.PDF); got.State != binding.Match {
					t.Errorf("a second stamp: %+v", got)
				}
			})
		}
	}
}

// TestPermissions: the permissions of the empty password apply.
func TestPermissions(t *testing.T) {
	t.Parallel()
	need(t, "qpdf")
	s := newStamper(t)
	plain := withStrings.build()
	for _, tt := range []struct{ name, user, owner, args, code string }{
		{"40 bits, changes forbidden", "", "o", "40 --modify=n", fault.CodePDFNotStampable},
		{"128 bits, nothing allowed", "", "o", "128 --use-aes=n --modify=none", fault.CodePDFNotStampable},
		{"128 bits, annotations only", "", "o", "128 --use-aes=y --modify=annotate", fault.CodePDFNotStampable},
		{"256 bits, nothing allowed", "", "o", "256 --modify=none", fault.CodePDFNotStampable},
		{"256 bits, all but assembly", "", "o", "256 --assemble=n", ""},
		{"no printing", "", "o", "256 --print=none --extract=n", ""},
		{"nothing allowed, but the owner's password is empty", "u", "", "256 --allow-insecure --modify=none", ""},
		{"both empty, 40 bits", "", "", "40 --modify=n", ""},
		{"both empty, 128 bits", "", "", "128 --use-aes=n --modify=none", ""},
		{"user password, 40 bits", "u", "o", "40", fault.CodeInvalidPDF},
		{"user password, 128 bits", "u", "o", "128 --use-aes=n", fault.CodeInvalidPDF},
		{"user password, AES", "u", "o", "128 --use-aes=y", fault.CodeInvalidPDF},
		{"user password, 256 bits", "u", "o", "256", fault.CodeInvalidPDF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pdf := encrypt(t, plain, "preserve", tt.user, tt.owner, tt.args)
			var k sealed
			st, err := s.Stamp(t.Context(), pdf, pdfstamp.Placement{}, payload.Reference{1}, side, k.seal(payload.Reference{1}))
			if tt.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				if got := k.check(st.PDF); got.State != binding.Match {
					t.Errorf("binding %+v", got)
				}
				return
			}
			if err == nil || fault.As(err).Code != tt.code {
				t.Fatalf("err = %v, want %s", err, tt.code)
			}
		})
	}
}

// TestHandlers: encryption that is not the standard's is named as the reason.
func TestHandlers(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	for name, trailer := range map[string]string{
		"another handler":  "/Encrypt<</Filter/FOPN_foweb/V 1>>",
		"public key":       "/Encrypt<</Filter/Adobe.PubSec/V 4>>",
		"a later version":  "/Encrypt<</Filter/Standard/V 6/R 7>>",
		"a mix":            "/Encrypt<</Filter/Standard/V 5/R 3>>",
		"another filter":   "/Encrypt<</Filter/Standard/V 4/R 4/CF<</X<</CFM/ROT13>>>>/StmF/X/StrF/X>>",
		"an absent filter": "/Encrypt<</Filter/Standard/V 4/R 4/StmF/X/StrF/X>>",
	} {
		var k sealed
		_, err := s.Stamp(t.Context(), pdfSpec{page: a4, trailer: trailer}.build(), pdfstamp.Placement{}, payload.Reference{1}, side, k.seal(payload.Reference{1}))
		if err == nil || fault.As(err).Code != fault.CodePDFNotStampable || !strings.Contains(err.Error(), "own software") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
