package attack_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/device"
	"tcode/cmd/internal/world"
	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner/answer"
	"tcode/server"
)

// restamped is a document that two issuers stamped, one after the other, in two
// corners. between changes it after the first stamp.
func restamped(w *world.World, between func([]byte) []byte) (inner, outer world.Paper) {
	inner, _ = w.StampAt(world.Sheet{}.PDF(),
		map[string]any{"name": "corner", "anchor": "bottom-left"})
	file := inner.PDF
	if between != nil {
		file = between(file)
	}
	return inner, w.Stamp(w.Issuers[1], "again", file)
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
func about(t *testing.T, findings []answer.Finding, p world.Paper) answer.Finding {
	t.Helper()
	i := slices.IndexFunc(findings, func(f answer.Finding) bool { return f.Result.Reference == p.Reference })
	if i < 0 {
		t.Fatalf("no finding about %s in %d", p.Reference, len(findings))
	}
	return findings[i]
}

// TestStampOfAStamp: the outer stamp vouches for the file, the inner one for its
// own part, and neither hides the other.
func TestStampOfAStamp(t *testing.T) {
	w := world.New(t, 2)
	inner, outer := restamped(w, nil)
	s := w.Scanner("twice")

	t.Run("both valid", func(t *testing.T) {
		findings := w.Verify(s, outer.PDF)
		in, out := about(t, findings, inner), about(t, findings, outer)
		check, _ := offline.FindCheck(in.Result.Checks, offline.CheckBinding)
		if in.Result.Verdict != offline.Valid || in.Result.Binding != binding.Appended ||
			!strings.Contains(check.Detail, "another TCode stamp, "+outer.Reference) {
			t.Errorf("inner: %s, %s, %q", in.Result.Verdict, in.Result.Binding, check.Detail)
		}
		if out.Result.Verdict != offline.Valid || !out.Settled() || !in.Restamped {
			t.Errorf("outer: %s, %s, %v; inner restamped %v", out.Result.Verdict, out.Result.Binding, out.Caveats, in.Restamped)
		}
		if !asValid(findings, answer.Requirements{Fresh: true, Settled: true}) {
			t.Error("not accepted, though nothing but a stamp follows the inner one")
		}
	})
	t.Run("added to afterwards", func(t *testing.T) {
		findings := w.Verify(s, update(outer.PDF, world.Objects{60: "null"}))
		for _, p := range []world.Paper{inner, outer} {
			if got := about(t, findings, p).Result.Binding; got != binding.Appended {
				t.Errorf("%s: %s, want appended", p.Reference, got)
			}
		}
		if asValid(findings, answer.Requirements{}) {
			t.Error("accepted")
		}
	})
	t.Run("changed between the stamps", func(t *testing.T) {
		in, out := restamped(w, func(b []byte) []byte {
			return update(b, world.Objects{4: world.Stream("", otherText)})
		})
		findings := w.Verify(s, out.PDF)
		check, _ := offline.FindCheck(about(t, findings, in).Result.Checks, offline.CheckBinding)
		if got := about(t, findings, in).Result.Binding; got != binding.Appended {
			t.Errorf("inner: %s, want appended", got)
		}
		if !strings.Contains(check.Detail, "drawing") || !strings.Contains(check.Detail, "another TCode stamp") {
			t.Errorf("%q names not both additions", check.Detail)
		}
	})
	t.Run("inner covered", func(t *testing.T) {
		hidden := w.Stamp(w.Issuers[0], "covered", world.Sheet{}.PDF())
		file := update(hidden.PDF, world.Objects{
			2:  "<</Type/Pages/Kids[60 0 R]/Count 1>>",
			60: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
		})
		top := w.Stamp(w.Issuers[1], "over it", file)
		findings := w.Verify(s, top.PDF)
		f, under := about(t, findings, top), about(t, findings, hidden)
		if len(findings) != 2 || f.Result.Binding != binding.Match || codes(f) != "stamps" {
			t.Errorf("%d findings, %s, %v; want two, and a match with a caveat", len(findings), f.Result.Binding, f.Caveats)
		}
		if !under.Hidden || under.Page != 0 || under.ScanID == "" || under.Result.Verdict != offline.Valid || under.Result.Binding != binding.Appended {
			t.Errorf("the stamp that is not seen: %+v", under)
		}
		if asValid(findings, answer.Requirements{}) {
			t.Error("accepted")
		}
	})
	t.Run("a page that takes too long", func(t *testing.T) {
		// The stamps are on the second page.
		all := world.Objects{
			2:   "<</Type/Pages/Kids[60 0 R 3 0 R]/Count 2>>",
			60:  "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 61 0 R/Resources<</XObject<</X 70 0 R>>>>>>",
			61:  world.Stream("", "/X Do"),
			110: world.Stream("/Subtype/Form/BBox[0 0 9 9]", "0 0 1 1 re f"),
		}
		for n := 70; n < 110; n++ { // each form draws the next one twice
			all[n] = world.Stream(fmt.Sprintf("/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>", n+1), "/X Do /X Do")
		}
		file := world.Sheet{More: all}.PDF()
		w.Down()
		w.PageTime = 2 * time.Second
		w.Start()
		in, _ := w.StampAt(file, map[string]any{"name": "corner", "anchor": "bottom-left"})
		out := w.Stamp(w.Issuers[1], "again", in.PDF)
		s := w.ScannerWith("impatient", device.Config{DocumentTime: 3 * time.Second})
		findings := w.Verify(s, out.PDF)
		if about(t, findings, out).Result.Binding != binding.Match || about(t, findings, in).Result.Binding != binding.Appended {
			t.Errorf("%d findings, want both stamps", len(findings))
		}
		// The first stamp is gone from its page, so searching all pages is in vain.
		out = w.Stamp(w.Issuers[1], "and again",
			update(in.PDF, world.Objects{3: newest(t, file, 3)}))
		findings = w.Verify(s, out.PDF)
		if f := about(t, findings, out); f.Result.Binding != binding.Match || !about(t, findings, in).Hidden {
			t.Errorf("%s; want match, and the stamp that is not seen", f.Result.Binding)
		}
	})
	t.Run("inner revoked", func(t *testing.T) {
		w.Call(w.Issuers[0], http.MethodPost, "/v1/tcode/stamps/"+inner.ID+"/revoke",
			map[string]any{"reason": "lost"}, nil)
		w.Down() // publish immediately, as its publisher would within a minute
		g, err := server.Open(t.Context(), server.Config{Init: true, Data: w.Data})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Publisher.Publish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		w.Start()
		if _, err := s.Refresh(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		findings := w.Verify(s, outer.PDF)
		if got := about(t, findings, inner).Result.Verdict; got != offline.Revoked {
			t.Errorf("inner: %s, want revoked", got)
		}
		if asValid(findings, answer.Requirements{}) {
			t.Error("accepted with a revoked stamp on it")
		}
	})
}

// TestWords: the program's answer to a person for each way in which a stamp and
// a file relate.
func TestWords(t *testing.T) {
	w := world.New(t, 2)
	tcodeScan := world.Program(t, "tcode-scan")
	plain := w.Stamp(w.Issuers[0], "plain", world.Sheet{}.PDF())
	script := w.Stamp(w.Issuers[0], "script",
		world.Sheet{Catalog: "/OpenAction<</S/JavaScript/JS(x)>>"}.PDF())
	_, twice := restamped(w, nil)
	v := victim{Paper: plain, w: w, other: script}
	home := "--home=" + w.Dir + "/words"
	if out, err := exec.Command(tcodeScan, home, "enrol", "--gateway",
		w.URL()).CombinedOutput(); err != nil {
		t.Fatalf("enrol: %v\n%s", err, out)
	}
	for _, tt := range []struct {
		name string
		file []byte
		exit int
		says []string
	}{
		{"match", plain.PDF, 0, []string{
			"✓ VALID  ",
			"Genuine and unchanged: Diploma (DIP) by Issuer 0 (ISS000)",
		}},
		{"caveat", script.PDF, 0, []string{
			"! VALID, BUT CHECK CONTENTS  ",
			"caution    it holds scripts, which can change what it shows",
			"compare the important parts",
		}},
		{
			"appended", update(plain.PDF, world.Objects{4: world.Stream("", otherText)}), 1,
			[]string{
				"! VALID, BUT ADDED TO  ", "bytes were added: 1 drawing or data stream",
				"look at what was added",
			},
		},
		{
			"signed", signed(t, plain.PDF, "Mallory\x1b[1A Jones"), 1,
			[]string{
				"! VALID, BUT ADDED TO  ", "a signature in the name of “Mallory",
				"Jones” (its certificate was not checked)",
			},
		},
		{
			"mismatch", edited(t, plain.PDF, "Pay 100", "Pay 900"), 1,
			[]string{
				"✗ NOT GENUINE  ", "Do not accept it",
				"this file is not the one it was put on, or was changed since",
			},
		},
		{"copy", forgery{}.make(t, v), 1, []string{"≈ GENUINE STAMP, COMPARE  ", "compare the document with Diploma (DIP) by Issuer 0 (ISS000)", "nothing in the file ties it to the stamp"}},
		{"picture", pictureOf(t, v), 5, []string{"≈ GENUINE STAMP, COMPARE  ", "an image does not hold the bytes that were stamped"}},
		{"stamped twice", twice.PDF, 0, []string{
			"✓ VALID  ", "! VALID, BUT STAMPED AGAIN  ",
			"nothing but other valid stamps", "another TCode stamp, " + twice.Reference,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command(tcodeScan, home, "verify", w.File(tt.name, tt.file))
			out, err := cmd.Output()
			if got := world.ExitCode(t, err); got != tt.exit {
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
