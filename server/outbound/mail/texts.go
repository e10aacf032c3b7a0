package mail

import "golang.org/x/text/language"

// texts are the words of a message in one language. {name}, {issuer} and
// {title} are filled in.
type texts struct {
	Language  string // BCP 47
	Direction string // of writing: ltr or rtl

	Subject, Greeting, GreetingNoName, Intro      string
	TestMark                                      string // before the subject of a test document
	Test, Attached, Fetch, FetchUntil, Check, Why string
	Document, Issuer, Reference, Issued, Expires  string
}

// languages are those of the public pages. The first one is the
// default.
var languages = []texts{
	{
		Language: "en", Direction: "ltr",
		Subject: "{title}, issued by {issuer}", Greeting: "Dear {name},", GreetingNoName: "Hello,",
		Intro:    "{issuer} has issued a document to you: {title}.",
		TestMark: "[TEST] ",
		Test:     "This is a test document: it proves nothing.",
		Attached: "The document is attached to this message. Keep the file as it is: a copy that was saved again, or changed, can no longer be checked as a whole.",
		Fetch:    "You can fetch the document here:", FetchUntil: "The link works until",
		Check:    "Anyone can check the document at any time:",
		Why:      "You receive this message because the issuer named your address as the recipient's. It was sent automatically; please turn to the issuer with questions.",
		Document: "Document", Issuer: "Issuer", Reference: "Reference", Issued: "Issued", Expires: "Valid until",
	},
	{
		Language: "de", Direction: "ltr",
		Subject: "{title}, ausgestellt von {issuer}", Greeting: "Guten Tag {name},", GreetingNoName: "Guten Tag,",
		Intro:    "{issuer} hat ein Dokument für Sie ausgestellt: {title}.",
		TestMark: "[TEST] ",
		Test:     "Dies ist ein Testdokument: Es beweist nichts.",
		Attached: "Das Dokument ist dieser Nachricht angehängt. Bewahren Sie die Datei unverändert auf: Eine neu gespeicherte oder geänderte Kopie lässt sich nicht mehr als Ganzes prüfen.",
		Fetch:    "Sie können das Dokument hier abrufen:", FetchUntil: "Der Link gilt bis",
		Check:    "Jeder kann das Dokument jederzeit prüfen:",
		Why:      "Sie erhalten diese Nachricht, weil der Aussteller Ihre Adresse als die des Empfängers angegeben hat. Sie wurde automatisch verschickt; bei Fragen wenden Sie sich bitte an den Aussteller.",
		Document: "Dokument", Issuer: "Aussteller", Reference: "Referenz", Issued: "Ausgestellt", Expires: "Gültig bis",
	},
	{
		Language: "fr", Direction: "ltr",
		Subject: "{title}, délivré par {issuer}", Greeting: "Bonjour {name},", GreetingNoName: "Bonjour,",
		Intro:    "{issuer} vous a délivré un document : {title}.",
		TestMark: "[TEST] ",
		Test:     "Ceci est un document de test : il ne prouve rien.",
		Attached: "Le document est joint à ce message. Conservez le fichier tel quel : une copie réenregistrée ou modifiée ne peut plus être vérifiée dans son ensemble.",
		Fetch:    "Vous pouvez télécharger le document ici :", FetchUntil: "Le lien est valable jusqu’au",
		Check:    "Chacun peut vérifier le document à tout moment :",
		Why:      "Vous recevez ce message parce que l’émetteur a indiqué votre adresse comme celle du destinataire. Il a été envoyé automatiquement ; pour toute question, adressez-vous à l’émetteur.",
		Document: "Document", Issuer: "Émetteur", Reference: "Référence", Issued: "Délivré", Expires: "Valable jusqu’au",
	},
	{
		Language: "es", Direction: "ltr",
		Subject: "{title}, emitido por {issuer}", Greeting: "Hola, {name}:", GreetingNoName: "Hola:",
		Intro:    "{issuer} ha emitido un documento a su nombre: {title}.",
		TestMark: "[PRUEBA] ",
		Test:     "Este es un documento de prueba: no demuestra nada.",
		Attached: "El documento va adjunto a este mensaje. Conserve el archivo tal cual: una copia guardada de nuevo o modificada ya no puede comprobarse en su conjunto.",
		Fetch:    "Puede descargar el documento aquí:", FetchUntil: "El enlace es válido hasta",
		Check:    "Cualquiera puede comprobar el documento en todo momento:",
		Why:      "Recibe este mensaje porque el emisor indicó su dirección como la del destinatario. Se envió automáticamente; si tiene preguntas, diríjase al emisor.",
		Document: "Documento", Issuer: "Emisor", Reference: "Referencia", Issued: "Emitido", Expires: "Válido hasta",
	},
	{
		Language: "ar", Direction: "rtl",
		Subject: "{title}، صادرة عن {issuer}", Greeting: "السلام عليكم {name}،", GreetingNoName: "السلام عليكم،",
		Intro:    "أصدرت لك جهة {issuer} وثيقة: {title}.",
		TestMark: "[تجربة] ",
		Test:     "هذه وثيقة تجريبية: لا تثبت شيئًا.",
		Attached: "الوثيقة مرفقة بهذه الرسالة. احتفظ بالملف كما هو: فالنسخة المحفوظة من جديد أو المعدّلة لا يمكن التحقق منها كاملة.",
		Fetch:    "يمكنك تنزيل الوثيقة من هنا:", FetchUntil: "الرابط صالح حتى",
		Check:    "يمكن لأي شخص التحقق من الوثيقة في أي وقت:",
		Why:      "تصلك هذه الرسالة لأن جهة الإصدار ذكرت عنوانك عنوانًا للمستلم. أُرسلت الرسالة تلقائيًا؛ للأسئلة يرجى التواصل مع جهة الإصدار.",
		Document: "الوثيقة", Issuer: "جهة الإصدار", Reference: "المرجع", Issued: "تاريخ الإصدار", Expires: "صالحة حتى",
	},
}

// Languages returns the BCP 47 tags of the languages that messages are written
// in.
func Languages() []string {
	out := make([]string, len(languages))
	for i, l := range languages {
		out[i] = l.Language
	}
	return out
}

var matcher = func() language.Matcher {
	tags := make([]language.Tag, len(languages))
	for i, l := range languages {
		tags[i] = language.Make(l.Language)
	}
	return language.NewMatcher(tags)
}()

// textsFor returns the words of the language nearest to tag.
func textsFor(tag string) texts {
	_, i := language.MatchStrings(matcher, tag)
	return languages[i]
}
