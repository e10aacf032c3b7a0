package certificate_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"tcode/server/certificate"
	"tcode/server/lettering"
)

func sample() certificate.Certificate {
	return certificate.Certificate{
		Language: "en", Title: "Diploma of Advanced Studies in Mathematics", Issuer: "Acme University", Recipient: "Ada Lovelace",
		Fields: []certificate.Field{
			{Key: "degree", Label: "Degree", Value: "Master of Science"},
			{Key: "grade", Label: "Final grade", Value: "1.3 (very good)"},
			{Key: "thesis", Label: "Title of the thesis", Value: strings.Repeat("On the computation of Bernoulli numbers by an engine that weaves algebraical patterns. ", 4)},
			{Key: "greek", Label: "Ελληνικά", Value: "Τίτλος σπουδών"},
			{Key: "hebrew", Label: "עברית", Value: "תואר ראשון במתמטיקה (2026)"},
			{Key: "long", Label: "Serial number", Value: strings.Repeat("0123456789ABCDEF", 8)},
		},
		Issued: time.Date(2026, 11, 27, 9, 30, 0, 0, time.UTC), Expires: time.Date(2031, 12, 1, 0, 0, 0, 0, time.UTC),
		Reference: "TRF-7KQ2M4X9T1C3V5B8", Address: "https://tcode.acme-university.example/d/TRF-7KQ2M4X9T1C3V5B8",
	}
}

func arabic() certificate.Certificate {
	c := sample()
	c.Language, c.Title, c.Issuer, c.Recipient, c.Test = "ar", "شهادة الدراسات العليا في الرياضيات", "جامعة أكمي", "آدا لوفليس", true
	c.Fields = nil
	for i := range 60 {
		c.Fields = append(c.Fields, certificate.Field{Key: fmt.Sprint(i), Label: fmt.Sprintf("المادة %d", i+1), Value: "اجتاز بنجاح مع مرتبة الشرف (Honours) 95"})
	}
	return c
}

func draw(t testing.TB, c certificate.Certificate) []byte {
	t.Helper()
	pdf, err := certificate.Draw(c)
	if err != nil {
		t.Fatal(err)
	}
	return pdf
}

// TestPages: many fields run to more pages, and the same values give the same bytes. TCODE_KEEP keeps the files, to be looked at.
func TestPages(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		c     certificate.Certificate
		pages int
	}{"english": {sample(), 1}, "arabic": {arabic(), 3}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pdf := draw(t, tt.c)
			dims, err := api.PageDims(bytes.NewReader(pdf), nil)
			if err != nil || len(dims) != tt.pages {
				t.Errorf("%d pages, %v, want %d", len(dims), err, tt.pages)
			}
			if err := api.Validate(bytes.NewReader(pdf), nil); err != nil {
				t.Error(err)
			}
			if !bytes.Equal(draw(t, tt.c), pdf) {
				t.Error("the same values give other bytes")
			}
			if dir := os.Getenv("TCODE_KEEP"); dir != "" {
				if err := os.WriteFile(dir+"/"+name+".pdf", pdf, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestMissing names the field with a character that the font lacks, and that character.
func TestMissing(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*certificate.Certificate){
		"recipientName: 王": func(c *certificate.Certificate) { c.Recipient = "王小明" },
		"documentTitle: 証": func(c *certificate.Certificate) { c.Title = "証明書" },
		"issuerName: 학":    func(c *certificate.Certificate) { c.Issuer = "Acme 학교" },
		"degree: 🎓":        func(c *certificate.Certificate) { c.Fields[0].Value = "🎓" },
		"grade: क":         func(c *certificate.Certificate) { c.Fields[1].Value = "\u200dक्\u200dष" },
	} {
		c := sample()
		change(&c)
		_, err := certificate.Draw(c)
		missing, ok := errors.AsType[*certificate.MissingError](err)
		char, found := errors.AsType[*lettering.MissingError](err)
		if !ok || !found || missing.Field+": "+string(char.Rune) != want {
			t.Errorf("%v, want %s blamed", err, want)
		}
	}
}

// TestAddress: the whole address of the check is a link at each of its lines, and its reference
// stays on one line.
func TestAddress(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "ar"} {
		for _, host := range []string{"a.b", "tcode.acme-university.example", "documents.registrar.acme-university.example"} {
			c := sample()
			c.Language, c.Reference = language, "TRF-ZKQ2M4X9T1C3V5B8" // a digit after the hyphen would not break
			c.Address = "https://" + host + "/d/" + c.Reference
			links := addresses(t, draw(t, c))
			if len(links) == 0 || slices.ContainsFunc(links, func(s string) bool { return s != c.Address }) {
				t.Errorf("%s, %s: the links lead to %q", language, host, links)
			}
		}
	}
}

// addresses returns where the links of a PDF lead.
func addresses(t *testing.T, pdf []byte) (all []string) {
	t.Helper()
	annotations, err := api.Annotations(bytes.NewReader(pdf), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range annotations {
		for _, a := range page[model.AnnLink].Map {
			all = append(all, a.(model.LinkAnnotation).URI)
		}
	}
	return all
}

// FuzzDraw: any text is drawn, or refused with its field named.
func FuzzDraw(f *testing.F) {
	f.Add("Ada", "Grade", "1.3", "de")
	f.Add("آدا", "\u202e", strings.Repeat("x", 400), "ar")
	f.Add("a\nb\r\tc", "", "\u200b\u0301", "zz-invalid")
	f.Fuzz(func(t *testing.T, recipient, label, value, language string) {
		if len(recipient)+len(label)+len(value) > 1500 {
			return
		}
		c := sample()
		c.Language, c.Recipient, c.Fields = language, recipient, []certificate.Field{{Key: "k", Label: label, Value: value}}
		pdf, err := certificate.Draw(c)
		if _, ok := errors.AsType[*certificate.MissingError](err); err != nil && !ok {
			t.Fatal(err)
		}
		if err == nil && !bytes.HasPrefix(pdf, []byte("%PDF-1.5")) {
			t.Fatal("no PDF")
		}
	})
}
