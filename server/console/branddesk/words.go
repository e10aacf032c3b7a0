package branddesk

import "tcode/server/console/frame"

// texts are the words of these screens in one language.
type texts struct {
	Brand, BrandText, Example, Look, Colour, ColourHint, Email, Phone, Web                           string
	WebHint, Names, NamesHint, Preview, Logo, NoLogo, File, FileHint, Upload                         string
	RemoveLogo, RemoveAll, RemoveAsk, RemoveText, IssuedBy, VerdictHere, Title, Questions, NoContact string
	Contrast, OnLight, OnDark, Seen, Faint, NoColour, ExampleName, ExampleType                       string

	Done map[string]string
}

// words are the words by language.
var words = frame.Lexicon[texts]{"en": &english, "de": &german, "fr": &french, "es": &spanish, "ar": &arabic}

var english = texts{
	Brand: "Public pages", BrandText: "How your organisation looks on the public page of each of its stamps and documents.", Example: "See an example page", Look: "Colour and contact", Colour: "Colour of the line",
	ColourHint: "# and six hexadecimal digits. Not red, orange, amber, yellow or green: those are the colours of verdicts.", Email: "E-mail for questions", Phone: "Telephone", Web: "Web address", WebHint: "It begins with https://.",
	Names: "Show the names of stamps", NamesHint: "The display name of a stamp is then on its public page. It may name people.", Preview: "Preview", Logo: "Logo", NoLogo: "There is no logo.",
	File: "Picture", FileHint: "PNG or JPEG, at most 512 × 512 px and 1 MiB. It is drawn anew, without what else is in the file.", Upload: "Upload", RemoveLogo: "Remove the logo", RemoveAll: "Remove everything",
	RemoveAsk: "Remove logo, colour and contact?", RemoveText: "Public pages then show the name of your organisation alone. It takes effect immediately.", IssuedBy: "Issued by", VerdictHere: "Here stands the answer. Its colour is never yours.", Title: "Title",
	Questions: "Questions about this document? The issuer answers them:", NoContact: "Without a contact, people do not learn where to ask.", Contrast: "Contrast of the line", OnLight: "On light pages", OnDark: "On dark pages",
	Seen: "easy to see", Faint: "hard to see: below 3 : 1", NoColour: "Without a colour there is no line.", ExampleName: "Diploma of Ada Lovelace", ExampleType: "Diploma",
	Done: map[string]string{"saved": "The page is saved.", "logo": "The logo is on your public pages.", "logoRemoved": "The logo is removed.", "removed": "Everything is removed."},
}

var german = texts{
	Brand: "Öffentliche Seiten", BrandText: "Wie Ihre Organisation auf der öffentlichen Seite jedes ihrer Stempel und Dokumente aussieht.", Example: "Beispielseite ansehen", Look: "Farbe und Kontakt", Colour: "Farbe der Linie",
	ColourHint: "# und sechs Hexadezimalziffern. Nicht rot, orange, bernsteinfarben, gelb oder grün: das sind die Farben der Urteile.", Email: "E-Mail für Fragen", Phone: "Telefon", Web: "Webadresse", WebHint: "Sie beginnt mit https://.",
	Names: "Namen von Stempeln zeigen", NamesHint: "Der Anzeigename eines Stempels steht dann auf seiner öffentlichen Seite. Er kann Personen nennen.", Preview: "Vorschau", Logo: "Logo", NoLogo: "Es gibt kein Logo.",
	File: "Bild", FileHint: "PNG oder JPEG, höchstens 512 × 512 px und 1 MiB. Es wird neu gezeichnet, ohne was sonst in der Datei ist.", Upload: "Hochladen", RemoveLogo: "Logo entfernen", RemoveAll: "Alles entfernen",
	RemoveAsk: "Logo, Farbe und Kontakt entfernen?", RemoveText: "Öffentliche Seiten zeigen dann nur den Namen Ihrer Organisation. Das gilt sofort.", IssuedBy: "Ausgestellt von", VerdictHere: "Hier steht die Antwort. Ihre Farbe ist nie die Ihre.", Title: "Titel",
	Questions: "Fragen zu diesem Dokument? Der Aussteller beantwortet sie:", NoContact: "Ohne Kontakt erfahren Leute nicht, wo sie fragen können.", Contrast: "Kontrast der Linie", OnLight: "Auf hellen Seiten", OnDark: "Auf dunklen Seiten",
	Seen: "gut zu sehen", Faint: "schlecht zu sehen: unter 3 : 1", NoColour: "Ohne Farbe gibt es keine Linie.", ExampleName: "Diplom von Ada Lovelace", ExampleType: "Diplom",
	Done: map[string]string{"saved": "Die Seite ist gespeichert.", "logo": "Das Logo steht auf Ihren öffentlichen Seiten.", "logoRemoved": "Das Logo ist entfernt.", "removed": "Alles ist entfernt."},
}
