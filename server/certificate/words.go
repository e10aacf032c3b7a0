package certificate

import "golang.org/x/text/language"

// words are the fixed texts of a page.
type words struct {
	tag       string
	leftward  bool
	issuedTo  string
	reference string
	issued    string
	expires   string
	check     string
	test      string
	page      string // with page and number of pages
}

// languages are those of messages and public pages. The first one is the default.
var languages = []words{
	{"en", false, "Issued to", "Reference", "Issued", "Valid until", "Check this document at", "TEST: this document proves nothing", "Page %d of %d"},
	{"de", false, "Ausgestellt für", "Referenz", "Ausgestellt am", "Gültig bis", "Dieses Dokument prüfen unter", "TEST: dieses Dokument beweist nichts", "Seite %d von %d"},
	{"fr", false, "Délivré à", "Référence", "Délivré le", "Valable jusqu’au", "Vérifier ce document sur", "TEST : ce document ne prouve rien", "Page %d sur %d"},
	{"es", false, "Expedido a", "Referencia", "Expedido el", "Válido hasta", "Verifique este documento en", "PRUEBA: este documento no prueba nada", "Página %d de %d"},
	{"ar", true, "صادرة إلى", "المرجع", "تاريخ الإصدار", "صالحة حتى", "تحقق من هذه الوثيقة على", "اختبار: هذه الوثيقة لا تثبت شيئا", "الصفحة %d من %d"},
}

var matcher = func() language.Matcher {
	var tags []language.Tag
	for _, w := range languages {
		tags = append(tags, language.MustParse(w.tag))
	}
	return language.NewMatcher(tags)
}()

// wordsOf returns the texts in the language of a BCP 47 tag, or English.
func wordsOf(tag string) words {
	_, i, confidence := matcher.Match(language.Make(tag))
	if confidence == language.No {
		i = 0
	}
	return languages[i]
}
