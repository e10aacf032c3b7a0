package attack_test

import (
	"bytes"
	"crypto"
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"slices"
	"strings"
	"testing"

	"tcode/cmd/internal/device"
	"tcode/cmd/internal/world"
	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/scanner/answer"
	"tcode/server"
	"tcode/server/pdfstamp"
)

// TestLaunder: a document that was changed after one issuer's stamp does not
// become valid again by the stamp of another issuer, or of the same one.
func TestLaunder(t *testing.T) {
	w := world.New(t, 3)
	scans := w.ScanFiles("launder")
	s := w.Scanner("laundered")
	pay900 := func(b []byte) []byte {
		return update(b, world.Objects{4: world.Stream("", otherText)})
	}
	corner := func(pdf []byte) world.Paper {
		p, _ := w.StampAt(pdf, map[string]any{"name": "corner", "anchor": "bottom-left"})
		return p
	}
	first := corner(world.Sheet{}.PDF())
	for i, tt := range []struct {
		name   string
		papers []world.Paper // by their stamps, the first is the victim
	}{
		{
			"changed, then stamped by another",
			[]world.Paper{first, w.Stamp(w.Issuers[1], "mallory", pay900(first.PDF))},
		},
		{
			"changed, then stamped by the same",
			[]world.Paper{first, w.Stamp(w.Issuers[0], "again", pay900(first.PDF))},
		},
		{
			"something between that does nothing",
			[]world.Paper{first, w.Stamp(w.Issuers[1], "mallory",
				append(bytes.Clone(first.PDF), "% nothing\n"...))},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			last := tt.papers[len(tt.papers)-1]
			findings := w.Verify(s, last.PDF)
			under, over := about(t, findings, first), about(t, findings, last)
			if under.Result.Verdict != offline.Valid || under.Result.Binding != binding.Appended {
				t.Errorf("first: %s, %s", under.Result.Verdict, under.Result.Binding)
			}
			if over.Result.Binding != binding.Match || over.Settled() ||
				!strings.Contains(over.Caveats[0].Text,
					"it was added to after the stamp "+first.Reference) {
				t.Errorf("last: %s, %v; want a match, and a caveat about the first", over.Result.Binding, over.Caveats)
			}
			ways := [][]string{nil, {"--require-plain"}, {"--all-pages"}, {"--paper"}}
			if i > 0 { // a run takes a second
				ways = ways[i : i+1]
			}
			for _, args := range ways {
				got := scans(tt.name+".pdf", last.PDF, args...)
				if got.Exit != 1 || !strings.Contains(got.Out, "! VALID, BUT ADDED TO  ") ||
					strings.Contains(got.Out, "✓") {
					t.Errorf("verify %v: exit %d\n%s", args, got.Exit, got.Out)
				}
			}
		})
	}
	t.Run("chain of three", func(t *testing.T) {
		second := w.Stamp(w.Issuers[1], "mallory", pay900(first.PDF))
		p, _ := w.StampAt(second.PDF, map[string]any{"name": "top", "anchor": "top-left"})
		findings := w.Verify(s, p.PDF)
		if got := about(t, findings, first).Result.Binding; got != binding.Appended || len(findings) != 3 {
			t.Errorf("first of %d: %s", len(findings), got)
		}
		if asValid(findings, answer.Requirements{}) {
			t.Error("accepted")
		}
	})
	t.Run("changed before the first stamp's end", func(t *testing.T) {
		last := w.Stamp(w.Issuers[1], "mallory", edited(t, first.PDF, "Pay 100", "Pay 900"))
		findings := w.Verify(s, last.PDF)
		if got := about(t, findings, first).Result; got.Verdict != offline.NotFound || got.Binding != binding.Mismatch {
			t.Errorf("first: %s, %s", got.Verdict, got.Binding)
		}
		if asValid(findings, answer.Requirements{}) || about(t, findings, last).Settled() {
			t.Error("accepted, or plain green")
		}
	})
}

// unshown returns file with its only page replaced by one that shows no stamp.
func unshown(file []byte) []byte {
	return update(file, world.Objects{
		2:  "<</Type/Pages/Kids[60 0 R]/Count 1>>",
		60: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
	})
}

// TestHidden: stamps that no page shows are judged by the bytes of the file.
func TestHidden(t *testing.T) {
	w := world.New(t, 2)
	s, scans := w.Scanner("hidden"), w.ScanFiles("hides")
	below := w.Stamp(w.Issuers[0], "below", world.Sheet{}.PDF())
	top := w.Stamp(w.Issuers[1], "on top", unshown(below.PDF))
	mark := binding.Marks(below.PDF)[0]

	t.Run("revoked", func(t *testing.T) {
		w.Call(w.Issuers[0], http.MethodPost, "/v1/tcode/stamps/"+below.ID+"/revoke",
			map[string]any{"reason": "lost"}, nil)
		w.Republish()
		if _, err := s.Refresh(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		findings := w.Verify(s, top.PDF)
		f := about(t, findings, below)
		if !f.Hidden || f.Result.Verdict != offline.Revoked || f.ScanID == "" {
			t.Errorf("below: hidden %v, %s, scan %q", f.Hidden, f.Result.Verdict, f.ScanID)
		}
		if f := about(t, findings, top); f.Settled() || !strings.Contains(f.Caveats[0].Text, "which was revoked") {
			t.Errorf("on top: %v", f.Caveats)
		}
		got := scans("revoked.pdf", top.PDF, "--refresh")
		if got.Exit != 1 || !strings.Contains(got.Out, "✗ REVOKED  ") ||
			!strings.Contains(got.Out, "not seen on the pages") || strings.Contains(got.Out, "✓") {
			t.Errorf("exit %d\n%s", got.Exit, got.Out)
		}
	})
	t.Run("another's reference over it", func(t *testing.T) {
		// The whole text of a symbol identifies the stamp, not its reference.
		file := bytes.Replace(top.PDF, []byte(top.Reference), []byte(below.Reference), 1)
		for _, f := range w.Verify(s, file) {
			if f.Hidden && f.Result.Reference == below.Reference {
				return
			}
		}
		t.Error("the stamp below is not judged")
	})
	t.Run("mark of nothing in an attachment", func(t *testing.T) {
		part := string(mark.Append(nil))
		p := w.Stamp(w.Issuers[1], "attached",
			world.Sheet{More: world.Objects{20: world.Stream("", part)}}.PDF())
		findings := w.Verify(s, p.PDF)
		f := about(t, findings, below)
		if !f.Hidden || f.Result.Verdict != offline.NotFound || f.ScanID != "" || !strings.Contains(f.Result.Reason, "proves nothing") {
			t.Errorf("%+v", f)
		}
		if asValid(findings, answer.Requirements{}) || about(t, findings, p).Settled() {
			t.Error("accepted, or plain green")
		}
	})
	t.Run("more than are judged", func(t *testing.T) {
		var parts strings.Builder
		for i := range 300 {
			m := mark
			m.Reference[0], m.Reference[1] = byte(i), byte(i>>8)
			parts.Write(m.Append(nil))
		}
		p := w.Stamp(w.Issuers[1], "many",
			world.Sheet{More: world.Objects{20: world.Stream("", parts.String())}}.PDF())
		findings := w.Verify(s, p.PDF)
		last := findings[len(findings)-1]
		if len(findings) != 18 || !strings.Contains(last.Result.Reason, "more than 16") || asValid(findings, answer.Requirements{}) {
			t.Errorf("%d findings, the last %+v", len(findings), last)
		}
	})
	t.Run("nothing seen at all", func(t *testing.T) {
		findings := w.Verify(s, unshown(top.PDF))
		if findings[0].Found() || len(findings) != 3 || asValid(findings, answer.Requirements{}) {
			t.Errorf("%d findings; want that none was seen, and two that are in the file", len(findings))
		}
	})
}

// TestRequirePlain: only the stamped file itself counts, under a name of its
// own kind.
func TestRequirePlain(t *testing.T) {
	w := world.New(t, 1)
	keys, scans := signers(w), w.ScanFiles("plain")
	p := w.Stamp(w.Issuers[0], "plain", world.Sheet{}.PDF())
	// this test compares nothing
	p = resealed(t, p, p.PDF, keys[0], func(p *payload.Payload) { p.Plain = true })
	picture := pictureOf(t, victim{Paper: p, w: w})
	for _, tt := range []struct {
		name string
		file []byte
		args []string
		exit int
		out  string // is on the standard output
		errs string // is on the error output
	}{
		{"a.pdf", p.PDF, nil, 0, "✓ VALID  ", ""},
		{"a.pdf", p.PDF, []string{"--require-plain"}, 0, "✓ VALID  ", ""},
		{"A.PDF", p.PDF, []string{"--require-plain"}, 0, "✓ VALID  ", ""},
		{"a", p.PDF, []string{"--require-plain"}, 0, "✓ VALID  ", ""},
		{"a.png", picture, nil, 5, "≈ GENUINE STAMP, COMPARE  ", ""},
		{"a.png", picture, []string{"--require-plain"}, 1, "≈ GENUINE STAMP, COMPARE  ", "a picture is bound to no file"},
		{"a.png", picture, []string{"--require-plain", "--paper"}, 2, "", "--paper and --require-plain exclude each other"},
		{"a.docx", p.PDF, nil, 0, "! VALID, BUT CHECK CONTENTS  ", ""},
		{
			"a.docx", p.PDF,
			[]string{"--require-plain"},
			1, "it is a PDF whose name ends in .docx",
			"see the cautions",
		},
		{"a.pdf.html", p.PDF, []string{"--require-plain"}, 1, "judged as PDF", "see the cautions"},
		{"a.html.pdf", p.PDF, []string{"--require-plain"}, 0, "✓ VALID  ", ""},
		{"a.png", picture, []string{"--paper"}, 0, "≈ GENUINE STAMP, COMPARE  ", ""},
		{"two.pdf", pictureAndPDF(picture, world.SmallPDF(1), 3000), []string{"--paper"}, 3, "", "an image and a PDF at once"},
		{"a.pdf", slices.Concat([]byte("\xef\xbb\xbf"), p.PDF), nil, 1, "after 3 bytes that look like a byte order mark", ""},
		{"a.zip.pdf", slices.Concat([]byte("PK\x03\x04a.pdf"), p.PDF), nil, 3, "", "a ZIP archive"},
		{"picture.pdf", picture, nil, 5, "it is a PNG image whose name ends in .pdf", ""},
		{"a.html", p.PDF, []string{"--json"}, 0, `"kind":"pdf"`, ""},
		{"a.png", picture, []string{"--json"}, 5, `"kind":"png"`, ""},
	} {
		got := scans(tt.name, tt.file, tt.args...)
		if got.Exit != tt.exit || !strings.Contains(got.Out, tt.out) ||
			!strings.Contains(got.Errs, tt.errs) || tt.errs == "" && got.Errs != "" {
			t.Errorf("%s %v: exit %d, want %d\n%s%s", tt.name, tt.args, got.Exit, tt.exit, got.Out,
				got.Errs)
		}
	}
}

// pictureAndPDF returns the PNG with the PDF in a chunk after a text of that length. Viewers of PDFs
// show it, also behind the first 1,024 bytes.
func pictureAndPDF(png, pdf []byte, text int) []byte {
	chunk := func(name string, data []byte) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		b = append(append(b, name...), data...)
		return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
	}
	const header = 8 + 25 // the signature and IHDR
	return slices.Concat(png[:header], chunk("tEXt", append([]byte("k\x00"), bytes.Repeat([]byte("A"), text)...)),
		chunk("tcPd", pdf), png[header:])
}

// signers returns the issuers' signing keys from the gateway's folder: with
// them an issuer can sign with its own program.
func signers(w *world.World) []crypto.Signer {
	w.T.Helper()
	w.Down()
	g, err := server.Open(w.T.Context(), server.Config{Init: true, Data: w.Data})
	if err != nil {
		w.T.Fatal(err)
	}
	var keys []crypto.Signer
	for _, i := range w.Issuers {
		key, _, err := g.Tenants.Signer(w.T.Context(), i.Reference)
		if err != nil {
			w.T.Fatal(err)
		}
		keys = append(keys, key)
	}
	if err := g.Close(); err != nil {
		w.T.Fatal(err)
	}
	w.Start()
	return keys
}

// resealed returns p with a changed payload, signed again for file, which has
// its mark.
func resealed(t *testing.T, p world.Paper, file []byte, key crypto.Signer,
	change func(*payload.Payload),
) world.Paper {
	t.Helper()
	marks := binding.Marks(file)
	i := slices.IndexFunc(marks, func(m binding.Mark) bool { return m.Reference == p.Payload.Reference })
	k := marks[i]
	change(&p.Payload)
	var err error
	if p.Payload.Fingerprint, err = binding.Fingerprint(file, k); err != nil {
		t.Fatal(err)
	}
	if err := p.Payload.Seal(key); err != nil {
		t.Fatal(err)
	}
	if p.Raw, err = p.Payload.Append(nil); err != nil {
		t.Fatal(err)
	}
	m, err := pdfstamp.Symbol(payload.EncodeText(p.Raw))
	if err != nil {
		t.Fatal(err)
	}
	p.PDF = bytes.Clone(file)
	copy(p.PDF[k.Start:k.Start+k.Length], binding.Hole(file, k, m))
	return p
}

// TestPlain: an issuer's statement that the very file is plain replaces the
// scanner's own comparison, and nothing else.
func TestPlain(t *testing.T) {
	w := world.New(t, 2)
	keys := signers(w)
	s, scans := w.Scanner("plain station"), w.ScanFiles("plain program")
	script := w.Stamp(w.Issuers[0], "script",
		world.Sheet{Catalog: "/OpenAction<</S/JavaScript/JS(x)>>"}.PDF())
	says := resealed(t, script, script.PDF, keys[0], func(p *payload.Payload) { p.Plain = true })
	lies := resealed(t, script, script.PDF, keys[1], func(p *payload.Payload) { p.Plain = true })
	for _, tt := range []struct {
		name  string
		file  []byte
		plain bool
		codes string
		exit  int // with --require-plain
	}{
		{"without the flag", script.PDF, false, "script", 1},
		{"with the flag", says.PDF, true, "", 0},
		{"signed by another issuer", lies.PDF, false, "script", 1},
		{"something behind it", append(bytes.Clone(says.PDF), "% nothing\n"...), true, "script", 1},
		{"flag, and a name of another kind", says.PDF, true, "name", 1},
	} {
		name := "a.pdf"
		if strings.Contains(tt.codes, "name") {
			name = "a.docx"
		}
		findings, err := s.Verify(t.Context(), name, tt.file, device.VerifyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if f := findings[0]; len(findings) != 1 || f.Result.Plain != tt.plain || codes(f) != tt.codes {
			t.Errorf("%s: %d findings, plain %v, caveats %q; want %v, %q", tt.name, len(findings), f.Result.Plain, codes(f), tt.plain, tt.codes)
		}
		if got := scans(name, tt.file, "--require-plain"); got.Exit != tt.exit ||
			(tt.exit == 0) != strings.Contains(got.Out, "✓ VALID  ") {
			t.Errorf("%s: exit %d, want %d\n%s", tt.name, got.Exit, tt.exit, got.Out)
		}
	}
}
