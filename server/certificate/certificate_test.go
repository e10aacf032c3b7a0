package certificate_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"

	"tcode/server/certificate"
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

// TestMissing names the field with a character that the font lacks.
func TestMissing(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*certificate.Certificate){
		"recipientName": func(c *certificate.Certificate) { c.Recipient = "王小明" },
		"documentTitle": func(c *certificate.Certificate) { c.Title = "証明書" },
		"issuerName":    func(c *certificate.Certificate) { c.Issuer = "대학교" },
		"degree":        func(c *certificate.Certificate) { c.Fields[0].Value = "🎓" },
	} {
		c := sample()
		change(&c)
		_, err := certificate.Draw(c)
		if missing, ok := errors.AsType[*certificate.MissingError](err); !ok || missing.Field != want {
			t.Errorf("%v, want %s blamed", err, want)
		}
	}
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
