package refdata

import (
	"strings"

	"tcode/server/fault"
)

const (
	digits   = "0123456789"
	smalls   = "abcdefghijklmnopqrstuvwxyz"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// check returns a fault with all problems of d.
func (d DocumentType) check() error {
	var p fault.Fields
	if len(d.Code) != 3 || !only(d.Code, digits+capitals) {
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
		if len(key) < 1 || len(key) > 16 || !only(key, digits+smalls+"_") {
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
		if !validLanguage(language) {
			p.Add(field, "%q is no language tag such as en, ar or zh-Hant", language)
			continue
		}
		p.Name(field+"."+language, text)
	}
}

// only reports whether all of s is in alphabet.
func only(s, alphabet string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune(alphabet, r) })
}

// validLanguage reports whether s is a language of 2 or 3 small letters with further
// subtags, as in BCP 47.
func validLanguage(s string) bool {
	parts := strings.Split(s, "-")
	if len(s) > 35 || len(parts[0]) < 2 || len(parts[0]) > 3 || !only(parts[0], smalls) {
		return false
	}
	for _, part := range parts[1:] {
		if part == "" || len(part) > 8 || !only(part, digits+smalls+capitals) {
			return false
		}
	}
	return true
}

// starterSet returns the document types of a new gateway: the kinds of documents of the
// first issuers, in the languages of the first scanners.
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
