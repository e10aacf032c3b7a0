package cmd_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner/answer"
	"tcode/server"
)

// restamped is a document that two issuers stamped, one after the other, in two
// corners. between changes it after the first stamp.
func (w *world) restamped(between func([]byte) []byte) (inner, outer paper) {
	inner, _ = w.stampAt(sheet{}.pdf(), map[string]any{"name": "corner", "anchor": "bottom-left"})
	file := inner.pdf
	if between != nil {
		file = between(file)
	}
	return inner, w.stamp(w.issuers[1], "again", file)
}

func (w *world) verify(s *device.Device, file []byte) []answer.Finding {
	w.t.Helper()
	findings, err := s.Verify(w.t.Context(), "file.pdf", file, device.VerifyOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return findings
}

// codes returns the codes of a finding's caveats.
func codes(f answer.Finding) string {
	var all []string
	for _, c := range f.Caveats {
		all = append(all, c.Code)
	}
	return strings.Join(all, " ")
}

// about returns the finding of a stamp.
func about(t *testing.T, findings []answer.Finding, p paper) answer.Finding {
	t.Helper()
	i := slices.IndexFunc(findings, func(f answer.Finding) bool { return f.Result.Reference == p.reference })
	if i < 0 {
		t.Fatalf("no finding about %s in %d", p.reference, len(findings))
	}
	return findings[i]
}

// TestStampOfAStamp: the outer stamp vouches for the file, the inner one for its
// own part, and neither hides the other.
func TestStampOfAStamp(t *testing.T) {
	w := newWorld(t, 2)
	inner, outer := w.restamped(nil)
	s := w.scanner("twice")

	t.Run("both valid", func(t *testing.T) {
		findings := w.verify(s, outer.pdf)
		in, out := about(t, findings, inner), about(t, findings, outer)
		check, _ := offline.FindCheck(in.Result.Checks, offline.CheckBinding)
		if in.Result.Verdict != offline.Valid || in.Result.Binding != binding.Appended || !strings.Contains(check.Detail, "another TCode stamp, "+outer.reference) {
			t.Errorf("inner: %s, %s, %q", in.Result.Verdict, in.Result.Binding, check.Detail)
		}
		if out.Result.Verdict != offline.Valid || !out.Settled() || !in.Restamped {
			t.Errorf("outer: %s, %s, %v; inner restamped %v", out.Result.Verdict, out.Result.Binding, out.Caveats, in.Restamped)
		}
		if !answer.Accepted(findings, answer.Requirements{Fresh: true, Settled: true}) {
			t.Error("not accepted, though nothing but a stamp follows the inner one")
		}
	})
	t.Run("added to afterwards", func(t *testing.T) {
		findings := w.verify(s, update(outer.pdf, objects{60: "null"}))
		for _, p := range []paper{inner, outer} {
			if got := about(t, findings, p).Result.Binding; got != binding.Appended {
				t.Errorf("%s: %s, want appended", p.reference, got)
			}
		}
		if answer.Accepted(findings, answer.Requirements{}) {
			t.Error("accepted")
		}
	})
	t.Run("changed between the stamps", func(t *testing.T) {
		in, out := w.restamped(func(b []byte) []byte { return update(b, objects{4: stream("", otherText)}) })
		findings := w.verify(s, out.pdf)
		check, _ := offline.FindCheck(about(t, findings, in).Result.Checks, offline.CheckBinding)
		if got := about(t, findings, in).Result.Binding; got != binding.Appended {
			t.Errorf("inner: %s, want appended", got)
		}
		if !strings.Contains(check.Detail, "drawing") || !strings.Contains(check.Detail, "another TCode stamp") {
			t.Errorf("%q names not both additions", check.Detail)
		}
	})
	t.Run("inner covered", func(t *testing.T) {
		hidden := w.stamp(w.issuers[0], "covered", sheet{}.pdf())
		file := update(hidden.pdf, objects{2: "<</Type/Pages/Kids[60 0 R]/Count 1>>", 60: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"})
		top := w.stamp(w.issuers[1], "over it", file)
		findings := w.verify(s, top.pdf)
		f, under := about(t, findings, top), about(t, findings, hidden)
		if len(findings) != 2 || f.Result.Binding != binding.Match || codes(f) != "stamps" {
			t.Errorf("%d findings, %s, %v; want two, and a match with a caveat", len(findings), f.Result.Binding, f.Caveats)
		}
		if !under.Hidden || under.Page != 0 || under.ScanID == "" || under.Result.Verdict != offline.Valid || under.Result.Binding != binding.Appended {
			t.Errorf("the stamp that is not seen: %+v", under)
		}
		if answer.Accepted(findings, answer.Requirements{}) {
			t.Error("accepted")
		}
	})
	t.Run("a page that takes too long", func(t *testing.T) {
		// The stamps are on the second page.
		all := objects{
			2:   "<</Type/Pages/Kids[60 0 R 3 0 R]/Count 2>>",
			60:  "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 61 0 R/Resources<</XObject<</X 70 0 R>>>>>>",
			61:  stream("", "/X Do"),
			110: stream("/Subtype/Form/BBox[0 0 9 9]", "0 0 1 1 re f"),
		}
		for n := 70; n < 110; n++ { // each form draws the next one twice
			all[n] = stream(fmt.Sprintf("/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>", n+1), "/X Do /X Do")
		}
		file := sheet{more: all}.pdf()
		w.down()
		w.pageTime = 2 * time.Second
		w.start()
		in, _ := w.stampAt(file, map[string]any{"name": "corner", "anchor": "bottom-left"})
		out := w.stamp(w.issuers[1], "again", in.pdf)
		s := w.scannerWith("impatient", device.Config{DocumentTime: 3 * time.Second})
		findings := w.verify(s, out.pdf)
		if about(t, findings, out).Result.Binding != binding.Match || about(t, findings, in).Result.Binding != binding.Appended {
			t.Errorf("%d findings, want both stamps", len(findings))
		}
		// The first stamp is gone from its page, so searching all pages is in vain.
		out = w.stamp(w.issuers[1], "and again", update(in.pdf, objects{3: newest(t, file, 3)}))
		findings = w.verify(s, out.pdf)
		if f := about(t, findings, out); f.Result.Binding != binding.Match || !about(t, findings, in).Hidden {
			t.Errorf("%s; want match, and the stamp that is not seen", f.Result.Binding)
		}
	})
	t.Run("inner revoked", func(t *testing.T) {
		w.call(w.issuers[0], http.MethodPost, "/v1/tcode/stamps/"+inner.id+"/revoke", map[string]any{"reason": "lost"}, nil)
		w.down() // publish immediately, as its publisher would within a minute
		g, err := server.Open(t.Context(), server.Config{Init: true, Data: w.data})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Publisher.Publish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		w.start()
		if _, err := s.Refresh(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		findings := w.verify(s, outer.pdf)
		if got := about(t, findings, inner).Result.Verdict; got != offline.Revoked {
			t.Errorf("inner: %s, want revoked", got)
		}
		if answer.Accepted(findings, answer.Requirements{}) {
			t.Error("accepted with a revoked stamp on it")
		}
	})
}

// TestWords: the program's answer to a person for each way in which a stamp and
// a file relate.
func TestWords(t *testing.T) {
	w := newWorld(t, 2)
	tcodeScan := program(t, "tcode-scan")
	plain := w.stamp(w.issuers[0], "plain", sheet{}.pdf())
	script := w.stamp(w.issuers[0], "script", sheet{catalog: "/OpenAction<</S/JavaScript/JS(x)>>"}.pdf())
	_, twice := w.restamped(nil)
	v := victim{paper: plain, w: w, other: script}
	home := "--home=" + w.dir + "/words"
	if out, err := exec.Command(tcodeScan, home, "enrol", "--gateway", w.url()).CombinedOutput(); err != nil {
		t.Fatalf("enrol: %v\n%s", err, out)
	}
	for _, tt := range []struct {
		name string
		file []byte
		exit int
		says []string
	}{
		{"match", plain.pdf, 0, []string{"✓ VALID  ", "Genuine and unchanged: Diploma (DIP) by Issuer 0 (ISS000)"}},
		{"caveat", script.pdf, 0, []string{"! VALID, BUT CHECK CONTENTS  ", "caution    it holds scripts, which can change what it shows", "compare the important parts"}},
		{"appended", update(plain.pdf, objects{4: stream("", otherText)}), 1, []string{"! VALID, BUT ADDED TO  ", "bytes were added: 1 drawing or data stream", "look at what was added"}},
		{"signed", signed(t, plain.pdf, "Mallory\x1b[1A Jones"), 1, []string{"! VALID, BUT ADDED TO  ", "a signature in the name of “Mallory", "Jones” (its certificate was not checked)"}},
		{"mismatch", edited(t, plain.pdf, "Pay 100", "Pay 900"), 1, []string{"✗ NOT GENUINE  ", "Do not accept it", "this file is not the one it was put on, or was changed since"}},
		{"copy", forgery{}.make(t, v), 1, []string{"≈ GENUINE STAMP, COMPARE  ", "compare the document with Diploma (DIP) by Issuer 0 (ISS000)", "nothing in the file ties it to the stamp"}},
		{"picture", pictureOf(t, v), 0, []string{"≈ GENUINE STAMP, COMPARE  ", "an image does not hold the bytes that were stamped"}},
		{"stamped twice", twice.pdf, 0, []string{"✓ VALID  ", "! VALID, BUT STAMPED AGAIN  ", "nothing but other valid stamps", "another TCode stamp, " + twice.reference}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command(tcodeScan, home, "verify", w.file(tt.name, tt.file))
			out, err := cmd.Output()
			if got := exitCode(t, err); got != tt.exit {
				t.Errorf("exit code %d, want %d", got, tt.exit)
			}
			if strings.ContainsRune(string(out), 0x1b) {
				t.Error("a control character reached the screen")
			}
			for _, text := range tt.says {
				if !strings.Contains(string(out), text) {
					t.Errorf("does not say %q", text)
				}
			}
			t.Logf("\n%s", out)
		})
	}
}
