package refdata

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"tcode/server/fault"
)

var (
	codePattern     = regexp.MustCompile(`^[0-9A-Z]{3}$`)
	languagePattern = regexp.MustCompile(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`)
	fieldPattern    = regexp.MustCompile(`^[a-z0-9_]{1,16}$`)
)

// maxText is the longest name or label, in bytes; the bundle takes no more.
const maxText = 200

// check names all that is wrong with d.
func (d DocumentType) check() error {
	var p fault.Fields
	if !codePattern.MatchString(d.Code) {
		p.Add("code", "must be 3 characters of 0-9 and A-Z")
	}
	if d.Names["en"] == "" {
		p.Add("names", "must have an English name (en)")
	}
	checkTexts(&p, "names", d.Names)
	if len(d.FieldLabels) > 64 {
		p.Add("fieldLabels", "must name at most 64 fields")
	}
	for key, labels := range d.FieldLabels {
		if !fieldPattern.MatchString(key) {
			p.Add("fieldLabels", "the key %q must be 1 to 16 characters of a-z, 0-9 and _", key)
		}
		if len(labels) == 0 {
			p.Add("fieldLabels."+key, "must have a label")
		}
		checkTexts(&p, "fieldLabels."+key, labels)
	}
	return p.Err()
}

func checkTexts(p *fault.Fields, field string, texts map[string]string) {
	if len(texts) > 100 {
		p.Add(field, "must be in at most 100 languages")
	}
	for language, text := range texts {
		switch {
		case !languagePattern.MatchString(language):
			p.Add(field, "%q is no language tag such as en, ar or zh-Hant", language)
		case !utf8.ValidString(text) || strings.TrimSpace(text) == "" || len(text) > maxText:
			p.Add(field+"."+language, "must be 1 to %d bytes of text", maxText)
		case strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r == 0x7f }):
			p.Add(field+"."+language, "must not contain control characters")
		}
	}
}

// starterSet is what an empty gateway begins with: the kinds of documents the
// first issuers have, in the languages of the first scanners.
func starterSet() []DocumentType {
	return []DocumentType{
		{Code: "DIP", Names: map[string]string{"en": "Diploma", "de": "Diplom", "fr": "Diplôme", "es": "Diploma", "ar": "شهادة"}},
		{Code: "CRT", Names: map[string]string{"en": "Certificate", "de": "Zertifikat", "fr": "Certificat", "es": "Certificado", "ar": "إفادة"}},
		{Code: "TRN", Names: map[string]string{"en": "Transcript of records", "de": "Leistungsnachweis", "fr": "Relevé de notes", "es": "Expediente académico", "ar": "كشف درجات"}},
		{Code: "INV", Names: map[string]string{"en": "Invoice", "de": "Rechnung", "fr": "Facture", "es": "Factura", "ar": "فاتورة"}},
		{Code: "CON", Names: map[string]string{"en": "Contract", "de": "Vertrag", "fr": "Contrat", "es": "Contrato", "ar": "عقد"}},
		{Code: "LTR", Names: map[string]string{"en": "Official letter", "de": "Amtliches Schreiben", "fr": "Lettre officielle", "es": "Carta oficial", "ar": "خطاب رسمي"}},
		{Code: "PMT", Names: map[string]string{"en": "Permit", "de": "Genehmigung", "fr": "Permis", "es": "Permiso", "ar": "تصريح"}},
		{Code: "IDC", Names: map[string]string{"en": "Identity document", "de": "Ausweisdokument", "fr": "Pièce d'identité", "es": "Documento de identidad", "ar": "وثيقة هوية"}},
		{Code: "MED", Names: map[string]string{"en": "Medical certificate", "de": "Ärztliche Bescheinigung", "fr": "Certificat médical", "es": "Certificado médico", "ar": "شهادة طبية"}},
		{Code: "EMP", Names: map[string]string{"en": "Employment reference", "de": "Arbeitszeugnis", "fr": "Certificat de travail", "es": "Certificado de trabajo", "ar": "شهادة عمل"}},
		{Code: "WBL", Names: map[string]string{"en": "Waybill", "de": "Frachtbrief", "fr": "Lettre de voiture", "es": "Carta de porte", "ar": "بوليصة شحن"}},
		{Code: "TCK", Names: map[string]string{"en": "Ticket", "de": "Eintrittskarte", "fr": "Billet", "es": "Entrada", "ar": "تذكرة"}},
	}
}
