package pages

import (
	"net/http"
	"time"

	"tcode/server/verify"
)

// documentTexts are the words that the page of a Trust document has in addition to those
// of a stamp, by language.
var documentTexts = map[string]struct{ Recipient, Title, Expires string }{
	"en": {"Issued to", "Title", "Valid until"},
	"de": {"Ausgestellt für", "Titel", "Gültig bis"},
	"fr": {"Délivré à", "Titre", "Valable jusqu’au"},
	"es": {"Expedido a", "Título", "Válido hasta"},
	"ar": {"صدرت لـ", "العنوان", "صالحة حتى"},
}

// Document answers with the page of a Trust document, as [Pages.Twin] does with that of a
// stamp. reference is the requested one: the document's, or that of the stamp that it
// owns.
func (p *Pages) Document(w http.ResponseWriter, acceptLanguage, reference string, r verify.DocumentResult, asOf time.Time) error {
	words, wanted := p.language(acceptLanguage)
	page := pageOf(words, wanted, verify.Result{
		Verdict: r.Verdict, Checks: r.Checks, IssuerName: r.IssuerName, IssuedAt: r.IssuedAt, DocumentType: r.DocumentType, Test: r.Test,
		Replaces: r.Replaces, ReplacedBy: r.ReplacedBy,
	}, asOf)
	if !page.Known {
		return p.write(w, http.StatusNotFound, page)
	}
	page.Reference = reference
	said := documentTexts[words.Language]
	page.Details = append(page.Details, field{said.Recipient, r.RecipientName})
	if r.Title != "" {
		page.Details = append(page.Details, field{said.Title, r.Title})
	}
	if !r.ExpiresAt.IsZero() {
		page.Expires = &expiry{said.Expires, momentOf(r.ExpiresAt)}
	}
	return p.write(w, http.StatusOK, page)
}

// expiry is the end of a document, with its label.
type expiry struct {
	Label string
	At    moment
}
