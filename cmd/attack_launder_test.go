package cmd_test

import (
	"bytes"
	"crypto"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/scanner/answer"
	"tcode/server"
	"tcode/server/pdfstamp"
)

// A scan is the program's answer about one file.
type scan struct {
	exit      int
	out, errs string
}

// scans returns a function that runs `tcode-scan verify` on a file, in an
// enrolled home.
func (w *world) scans(name string) func(file string, data []byte, args ...string) scan {
	tcodeScan, home := program(w.t.(*testing.T), "tcode-scan"), "--home="+w.dir+"/"+name
	if out, err := exec.Command(tcodeScan, home, "enrol", "--gateway", w.url()).CombinedOutput(); err != nil {
		w.t.Fatalf("enrol: %v\n%s", err, out)
	}
	return func(file string, data []byte, args ...string) scan {
		w.t.Helper()
		cmd := exec.Command(tcodeScan, append([]string{home, "verify", w.file(file, data)}, args...)...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		return scan{exitCode(w.t.(*testing.T), cmd.Run()), out.String(), errs.String()}
	}
}

// republished makes the gateway publish.
func (w *world) republished() {
	w.t.Helper()
	w.down() // publish immediately, as its publisher would within a minute
	g, err := server.Open(w.t.Context(), server.Config{Init: true, Data: w.data})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := g.Publisher.Publish(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.start()
}

// TestLaunder: a document that was changed after one issuer's stamp does not
// become valid again by the stamp of another issuer, or of the same one.
func TestLaunder(t *testing.T) {
	w := newWorld(t, 3)
	scans := w.scans("launder")
	s := w.scanner("laundered")
	pay900 := func(b []byte) []byte { return update(b, objects{4: stream("", otherText)}) }
	corner := func(pdf []byte) paper {
		p, _ := w.stampAt(pdf, map[string]any{"name": "corner", "anchor": "bottom-left"})
		return p
	}
	first := corner(sheet{}.pdf())
	for i, tt := range []struct {
		name   string
		papers []paper // by their stamps, the first is the victim
	}{
		{"changed, then stamped by another", []paper{first, w.stamp(w.issuers[1], "mallory", pay900(first.pdf))}},
		{"changed, then stamped by the same", []paper{first, w.stamp(w.issuers[0], "again", pay900(first.pdf))}},
		{"something between that does nothing", []paper{first, w.stamp(w.issuers[1], "mallory", append(bytes.Clone(first.pdf), "% nothing\n"...))}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			last := tt.papers[len(tt.papers)-1]
			findings := w.verify(s, last.pdf)
			under, over := about(t, findings, first), about(t, findings, last)
			if under.Result.Verdict != offline.Valid || under.Result.Binding != binding.Appended {
				t.Errorf("first: %s, %s", under.Result.Verdict, under.Result.Binding)
			}
			if over.Result.Binding != binding.Match || over.Settled() || !strings.Contains(over.Caveats[0].Text, "it was added to after the stamp "+first.reference) {
				t.Errorf("last: %s, %v; want a match, and a caveat about the first", over.Result.Binding, over.Caveats)
			}
			ways := [][]string{nil, {"--require-plain"}, {"--all-pages"}, {"--paper"}}
			if i > 0 { // a run takes a second
				ways = ways[i : i+1]
			}
			for _, args := range ways {
				got := scans(tt.name+".pdf", last.pdf, args...)
				if got.exit != 1 || !strings.Contains(got.out, "! VALID, BUT ADDED TO  ") || strings.Contains(got.out, "✓") {
					t.Errorf("verify %v: exit %d\n%s", args, got.exit, got.out)
				}
			}
		})
	}
	t.Run("chain of three", func(t *testing.T) {
		second := w.stamp(w.issuers[1], "mallory", pay900(first.pdf))
		p, _ := w.stampAt(second.pdf, map[string]any{"name": "top", "anchor": "top-left"})
		findings := w.verify(s, p.pdf)
		if got := about(t, findings, first).Result.Binding; got != binding.Appended || len(findings) != 3 {
			t.Errorf("first of %d: %s", len(findings), got)
		}
		if answer.Accepted(findings, answer.Requirements{}) {
			t.Error("accepted")
		}
	})
	t.Run("changed before the first stamp's end", func(t *testing.T) {
		last := w.stamp(w.issuers[1], "mallory", edited(t, first.pdf, "Pay 100", "Pay 900"))
		findings := w.verify(s, last.pdf)
		if got := about(t, findings, first).Result; got.Verdict != offline.NotFound || got.Binding != binding.Mismatch {
			t.Errorf("first: %s, %s", got.Verdict, got.Binding)
		}
		if answer.Accepted(findings, answer.Requirements{}) || about(t, findings, last).Settled() {
			t.Error("accepted, or plain green")
		}
	})
}

// unshown returns file with its only page replaced by one that shows no stamp.
func unshown(file []byte) []byte {
	return update(file, objects{2: "<</Type/Pages/Kids[60 0 R]/Count 1>>", 60: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"})
}

// TestHidden: stamps that no page shows are judged by the bytes of the file.
func TestHidden(t *testing.T) {
	w := newWorld(t, 2)
	s, scans := w.scanner("hidden"), w.scans("hides")
	below := w.stamp(w.issuers[0], "below", sheet{}.pdf())
	top := w.stamp(w.issuers[1], "on top", unshown(below.pdf))
	mark := binding.Marks(below.pdf)[0]

	t.Run("revoked", func(t *testing.T) {
		w.call(w.issuers[0], http.MethodPost, "/v1/tcode/stamps/"+below.id+"/revoke", map[string]any{"reason": "lost"}, nil)
		w.republished()
		if _, err := s.Refresh(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		findings := w.verify(s, top.pdf)
		f := about(t, findings, below)
		if !f.Hidden || f.Result.Verdict != offline.Revoked || f.ScanID == "" {
			t.Errorf("below: hidden %v, %s, scan %q", f.Hidden, f.Result.Verdict, f.ScanID)
		}
		if f := about(t, findings, top); f.Settled() || !strings.Contains(f.Caveats[0].Text, "which was revoked") {
			t.Errorf("on top: %v", f.Caveats)
		}
		got := scans("revoked.pdf", top.pdf, "--refresh")
		if got.exit != 1 || !strings.Contains(got.out, "✗ REVOKED  ") || !strings.Contains(got.out, "not seen on the pages") || strings.Contains(got.out, "✓") {
			t.Errorf("exit %d\n%s", got.exit, got.out)
		}
	})
	t.Run("another's reference over it", func(t *testing.T) {
		// The whole text of a symbol identifies the stamp, not its reference.
		file := bytes.Replace(top.pdf, []byte(top.reference), []byte(below.reference), 1)
		for _, f := range w.verify(s, file) {
			if f.Hidden && f.Result.Reference == below.reference {
				return
			}
		}
		t.Error("the stamp below is not judged")
	})
	t.Run("mark of nothing in an attachment", func(t *testing.T) {
		part := string(mark.Append(nil))
		p := w.stamp(w.issuers[1], "attached", sheet{more: objects{20: stream("", part)}}.pdf())
		findings := w.verify(s, p.pdf)
		f := about(t, findings, below)
		if !f.Hidden || f.Result.Verdict != offline.NotFound || f.ScanID != "" || !strings.Contains(f.Result.Reason, "proves nothing") {
			t.Errorf("%+v", f)
		}
		if answer.Accepted(findings, answer.Requirements{}) || about(t, findings, p).Settled() {
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
		p := w.stamp(w.issuers[1], "many", sheet{more: objects{20: stream("", parts.String())}}.pdf())
		findings := w.verify(s, p.pdf)
		last := findings[len(findings)-1]
		if len(findings) != 18 || !strings.Contains(last.Result.Reason, "more than 16") || answer.Accepted(findings, answer.Requirements{}) {
			t.Errorf("%d findings, the last %+v", len(findings), last)
		}
	})
	t.Run("nothing seen at all", func(t *testing.T) {
		findings := w.verify(s, unshown(top.pdf))
		if findings[0].Found() || len(findings) != 3 || answer.Accepted(findings, answer.Requirements{}) {
			t.Errorf("%d findings; want that none was seen, and two that are in the file", len(findings))
		}
	})
}

// TestRequirePlain: only the stamped file itself counts, under a name of its
// own kind.
func TestRequirePlain(t *testing.T) {
	w := newWorld(t, 1)
	keys, scans := w.signers(), w.scans("plain")
	p := w.stamp(w.issuers[0], "plain", sheet{}.pdf())
	p = resealed(t, p, p.pdf, keys[0], func(p *payload.Payload) { p.Plain = true }) // this test compares nothing
	picture := pictureOf(t, victim{paper: p, w: w})
	for _, tt := range []struct {
		name string
		file []byte
		args []string
		exit int
		out  string // is on the standard output
		errs string // is on the error output
	}{
		{"a.pdf", p.pdf, nil, 0, "✓ VALID  ", ""},
		{"a.pdf", p.pdf, []string{"--require-plain"}, 0, "✓ VALID  ", ""},
		{"A.PDF", p.pdf, []string{"--require-plain"}, 0, "✓ VALID  ", ""},
		{"a", p.pdf, []string{"--require-plain"}, 0, "✓ VALID  ", ""},
		{"a.png", picture, nil, 0, "≈ GENUINE STAMP, COMPARE  ", ""},
		{"a.png", picture, []string{"--require-plain"}, 1, "≈ GENUINE STAMP, COMPARE  ", "a picture is bound to no file"},
		{"a.png", picture, []string{"--require-plain", "--paper"}, 2, "", "--paper and --require-plain exclude each other"},
		{"a.docx", p.pdf, nil, 0, "! VALID, BUT CHECK CONTENTS  ", ""},
		{"a.docx", p.pdf, []string{"--require-plain"}, 1, "it is a PDF whose name ends in .docx", "see the cautions"},
		{"a.pdf.html", p.pdf, []string{"--require-plain"}, 1, "judged as PDF", "see the cautions"},
		{"a.html.pdf", p.pdf, []string{"--require-plain"}, 0, "✓ VALID  ", ""},
		{"picture.pdf", picture, nil, 0, "it is a PNG image whose name ends in .pdf", ""},
		{"a.html", p.pdf, []string{"--json"}, 0, `"kind":"pdf"`, ""},
		{"a.png", picture, []string{"--json"}, 0, `"kind":"png"`, ""},
	} {
		got := scans(tt.name, tt.file, tt.args...)
		if got.exit != tt.exit || !strings.Contains(got.out, tt.out) || !strings.Contains(got.errs, tt.errs) || tt.errs == "" && got.errs != "" {
			t.Errorf("%s %v: exit %d, want %d\n%s%s", tt.name, tt.args, got.exit, tt.exit, got.out, got.errs)
		}
	}
}

// signers returns the issuers' signing keys from the gateway's folder: with
// them an issuer can sign with its own program.
func (w *world) signers() []crypto.Signer {
	w.t.Helper()
	w.down()
	g, err := server.Open(w.t.Context(), server.Config{Init: true, Data: w.data})
	if err != nil {
		w.t.Fatal(err)
	}
	var keys []crypto.Signer
	for _, i := range w.issuers {
		key, _, err := g.Tenants.Signer(w.t.Context(), i.reference)
		if err != nil {
			w.t.Fatal(err)
		}
		keys = append(keys, key)
	}
	if err := g.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.start()
	return keys
}

// resealed returns p with a changed payload, signed again for file, which has
// its mark.
func resealed(t *testing.T, p paper, file []byte, key crypto.Signer, change func(*payload.Payload)) paper {
	t.Helper()
	marks := binding.Marks(file)
	i := slices.IndexFunc(marks, func(m binding.Mark) bool { return m.Reference == p.payload.Reference })
	k := marks[i]
	change(&p.payload)
	var err error
	if p.payload.Fingerprint, err = binding.Fingerprint(file, k); err != nil {
		t.Fatal(err)
	}
	if err := p.payload.Seal(key); err != nil {
		t.Fatal(err)
	}
	if p.raw, err = p.payload.Append(nil); err != nil {
		t.Fatal(err)
	}
	m, err := pdfstamp.Symbol(payload.EncodeText(p.raw))
	if err != nil {
		t.Fatal(err)
	}
	p.pdf = bytes.Clone(file)
	copy(p.pdf[k.Start:k.Start+k.Length], binding.Hole(file, k, m))
	return p
}

// TestPlain: an issuer's statement that the very file is plain replaces the
// scanner's own comparison, and nothing else.
func TestPlain(t *testing.T) {
	w := newWorld(t, 2)
	keys := w.signers()
	s, scans := w.scanner("plain station"), w.scans("plain program")
	script := w.stamp(w.issuers[0], "script", sheet{catalog: "/OpenAction<</S/JavaScript/JS(x)>>"}.pdf())
	says := resealed(t, script, script.pdf, keys[0], func(p *payload.Payload) { p.Plain = true })
	lies := resealed(t, script, script.pdf, keys[1], func(p *payload.Payload) { p.Plain = true })
	for _, tt := range []struct {
		name  string
		file  []byte
		plain bool
		codes string
		exit  int // with --require-plain
	}{
		{"without the flag", script.pdf, false, "script", 1},
		{"with the flag", says.pdf, true, "", 0},
		{"signed by another issuer", lies.pdf, false, "script", 1},
		{"something behind it", append(bytes.Clone(says.pdf), "% nothing\n"...), true, "script", 1},
		{"flag, and a name of another kind", says.pdf, true, "name", 1},
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
		if got := scans(name, tt.file, "--require-plain"); got.exit != tt.exit || (tt.exit == 0) != strings.Contains(got.out, "✓ VALID  ") {
			t.Errorf("%s: exit %d, want %d\n%s", tt.name, got.exit, tt.exit, got.out)
		}
	}
}
