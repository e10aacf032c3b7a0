package pages

import "tcode/server/verify"

// texts are the words of a page in one language.
type texts struct {
	Language  string // BCP 47
	Direction string // of writing: ltr or rtl

	Headings map[verify.Verdict]string
	Meanings map[verify.Verdict]string
	// IssuerSuspended is the meaning of suspended if the issuer is suspended.
	IssuerSuspended string
	Advices         map[verify.Verdict][]string
	Replaced        []string // the advice if there is a replacement

	Advice, ReplacedBy, Replaces, Test              string
	Document, Issuer, Type, Issued, Reference, AsOf string
	Signed                                          string

	Busy, Failed problem // why there is no verdict
}

// A problem is the reason why a page shows no verdict: there are too many requests, or the
// gateway cannot answer.
type problem struct{ Heading, Meaning, Advice string }

// languages are the languages of the pages: those in which document types have names from
// the start. The first one is the default.
var languages = []texts{
	{
		Language: "en", Direction: "ltr",
		Headings: map[verify.Verdict]string{
			verify.Valid: "Valid: compare it with this page", verify.Suspended: "Suspended: not valid now", verify.Revoked: "Revoked: not valid",
			verify.Expired: "Expired: not valid", verify.NotFound: "Not found: not verified",
		},
		Meanings: map[verify.Verdict]string{
			verify.Valid:     "The issuer issued a document with this reference, and it is valid.",
			verify.Suspended: "A genuine document has this reference, but its issuer has suspended it for now.",
			verify.Revoked:   "A genuine document has this reference, but its issuer has revoked it permanently.",
			verify.Expired:   "A genuine document has this reference, but it has expired.",
			verify.NotFound:  "No document has this reference.",
		},
		IssuerSuspended: "A genuine document has this reference, but its issuer is suspended for now.",
		Advices: map[verify.Verdict][]string{
			verify.Valid: {
				"Compare the document in front of you with the details below: if any of them differs, it is a forgery.",
				"This page cannot see the document. A genuine code can be copied onto another document.",
			},
			verify.Suspended: {"Do not rely on the document now. Ask the issuer, or check again later."},
			verify.Revoked:   {"Do not rely on the document. Ask the issuer why it was revoked."},
			verify.Expired:   {"Do not rely on the document. Ask its holder for a new one."},
			verify.NotFound: {
				"Compare the reference, character by character, with the one on the document.",
				"If it is the same, treat the document as not verified. Ask the organisation it names, using contact details that you did not take from the document.",
			},
		},
		Replaced: []string{"Do not rely on this document. It was replaced by a newer one: ask its holder for that one."},
		Advice:   "What to do", ReplacedBy: "Replaced by:", Replaces: "Replaces:",
		Test:     "Test document: it proves nothing.",
		Document: "Document", Issuer: "Issuer", Type: "Document type", Issued: "Issued", Reference: "Reference",
		AsOf: "Status as of", Signed: "Signed by the issuer",
		Busy: problem{
			"Too many look-ups: not verified", "Too many documents were looked up from your network.",
			"Wait a minute and load this page again. Until then, treat the document as not verified.",
		},
		Failed: problem{
			"No answer: not verified", "The document cannot be looked up at the moment. This says nothing about whether it is genuine.",
			"Load this page again in a few minutes. Until then, treat the document as not verified.",
		},
	},
	{
		Language: "de", Direction: "ltr",
		Headings: map[verify.Verdict]string{
			verify.Valid: "Gültig: mit dieser Seite vergleichen", verify.Suspended: "Ausgesetzt: zurzeit nicht gültig", verify.Revoked: "Widerrufen: nicht gültig",
			verify.Expired: "Abgelaufen: nicht gültig", verify.NotFound: "Nicht gefunden: nicht bestätigt",
		},
		Meanings: map[verify.Verdict]string{
			verify.Valid:     "Der Aussteller hat ein Dokument mit dieser Referenz ausgestellt, und es ist gültig.",
			verify.Suspended: "Zu dieser Referenz gibt es ein echtes Dokument, aber sein Aussteller hat es vorläufig ausgesetzt.",
			verify.Revoked:   "Zu dieser Referenz gibt es ein echtes Dokument, aber sein Aussteller hat es endgültig widerrufen.",
			verify.Expired:   "Zu dieser Referenz gibt es ein echtes Dokument, aber es ist abgelaufen.",
			verify.NotFound:  "Kein Dokument hat diese Referenz.",
		},
		IssuerSuspended: "Zu dieser Referenz gibt es ein echtes Dokument, aber sein Aussteller ist zurzeit gesperrt.",
		Advices: map[verify.Verdict][]string{
			verify.Valid: {
				"Vergleichen Sie das vorliegende Dokument mit den Angaben unten: Weicht eine davon ab, ist es gefälscht.",
				"Diese Seite kann das Dokument nicht sehen. Ein echter Code kann auf ein anderes Dokument kopiert worden sein.",
			},
			verify.Suspended: {"Verlassen Sie sich jetzt nicht auf das Dokument. Fragen Sie den Aussteller oder prüfen Sie es später noch einmal."},
			verify.Revoked:   {"Verlassen Sie sich nicht auf das Dokument. Fragen Sie den Aussteller nach dem Grund."},
			verify.Expired:   {"Verlassen Sie sich nicht auf das Dokument. Verlangen Sie ein neues."},
			verify.NotFound: {
				"Vergleichen Sie die Referenz Zeichen für Zeichen mit der auf dem Dokument.",
				"Ist es dieselbe, behandeln Sie das Dokument als nicht bestätigt. Fragen Sie die darauf genannte Stelle, aber über Kontaktdaten, die nicht vom Dokument stammen.",
			},
		},
		Replaced: []string{"Verlassen Sie sich nicht auf dieses Dokument. Es wurde durch ein neueres ersetzt: Verlangen Sie dieses."},
		Advice:   "Was zu tun ist", ReplacedBy: "Ersetzt durch:", Replaces: "Ersetzt:",
		Test:     "Testdokument: Es beweist nichts.",
		Document: "Dokument", Issuer: "Aussteller", Type: "Dokumentart", Issued: "Ausgestellt am", Reference: "Referenz",
		AsOf: "Stand:", Signed: "Vom Aussteller signiert",
		Busy: problem{
			"Zu viele Abfragen: nicht bestätigt", "Aus Ihrem Netz wurden zu viele Dokumente abgefragt.",
			"Warten Sie eine Minute und laden Sie diese Seite neu. Behandeln Sie das Dokument bis dahin als nicht bestätigt.",
		},
		Failed: problem{
			"Keine Antwort: nicht bestätigt", "Das Dokument kann gerade nicht nachgeschlagen werden. Über seine Echtheit sagt das nichts.",
			"Laden Sie diese Seite in einigen Minuten neu. Behandeln Sie das Dokument bis dahin als nicht bestätigt.",
		},
	},
	{
		Language: "fr", Direction: "ltr",
		Headings: map[verify.Verdict]string{
			verify.Valid: "Valide\u00a0: à comparer avec cette page", verify.Suspended: "Suspendu\u00a0: non valide pour l’instant", verify.Revoked: "Révoqué\u00a0: non valide",
			verify.Expired: "Expiré\u00a0: non valide", verify.NotFound: "Introuvable\u00a0: non vérifié",
		},
		Meanings: map[verify.Verdict]string{
			verify.Valid:     "L’émetteur a délivré un document portant cette référence, et il est valide.",
			verify.Suspended: "Un document authentique porte cette référence, mais son émetteur l’a suspendu pour l’instant.",
			verify.Revoked:   "Un document authentique porte cette référence, mais son émetteur l’a révoqué définitivement.",
			verify.Expired:   "Un document authentique porte cette référence, mais il a expiré.",
			verify.NotFound:  "Aucun document ne porte cette référence.",
		},
		IssuerSuspended: "Un document authentique porte cette référence, mais son émetteur est suspendu pour l’instant.",
		Advices: map[verify.Verdict][]string{
			verify.Valid: {
				"Comparez le document que vous avez sous les yeux avec les indications ci-dessous\u00a0: si l’une d’elles diffère, c’est un faux.",
				"Cette page ne voit pas le document. Un code authentique peut être copié sur un autre document.",
			},
			verify.Suspended: {"Ne vous fiez pas au document pour l’instant. Interrogez l’émetteur ou vérifiez à nouveau plus tard."},
			verify.Revoked:   {"Ne vous fiez pas au document. Demandez à l’émetteur pourquoi il a été révoqué."},
			verify.Expired:   {"Ne vous fiez pas au document. Demandez-en un nouveau."},
			verify.NotFound: {
				"Comparez la référence, caractère par caractère, avec celle du document.",
				"Si elle est identique, considérez le document comme non vérifié. Interrogez l’organisme qui y est nommé, à l’aide de coordonnées qui ne viennent pas du document.",
			},
		},
		Replaced: []string{"Ne vous fiez pas à ce document. Il a été remplacé par un plus récent\u00a0: demandez ce dernier."},
		Advice:   "Que faire", ReplacedBy: "Remplacé par\u00a0:", Replaces: "Remplace\u00a0:",
		Test:     "Document d’essai\u00a0: il ne prouve rien.",
		Document: "Document", Issuer: "Émetteur", Type: "Type de document", Issued: "Délivré le", Reference: "Référence",
		AsOf: "État au", Signed: "Signé par l’émetteur",
		Busy: problem{
			"Trop de consultations\u00a0: non vérifié", "Trop de documents ont été consultés depuis votre réseau.",
			"Attendez une minute et rechargez cette page. D’ici là, considérez le document comme non vérifié.",
		},
		Failed: problem{
			"Pas de réponse\u00a0: non vérifié", "Le document ne peut pas être consulté en ce moment. Cela ne dit rien de son authenticité.",
			"Rechargez cette page dans quelques minutes. D’ici là, considérez le document comme non vérifié.",
		},
	},
	{
		Language: "es", Direction: "ltr",
		Headings: map[verify.Verdict]string{
			verify.Valid: "Válido: compárelo con esta página", verify.Suspended: "Suspendido: no válido por ahora", verify.Revoked: "Revocado: no válido",
			verify.Expired: "Caducado: no válido", verify.NotFound: "No encontrado: no verificado",
		},
		Meanings: map[verify.Verdict]string{
			verify.Valid:     "El emisor expidió un documento con esta referencia, y es válido.",
			verify.Suspended: "Un documento auténtico tiene esta referencia, pero su emisor lo ha suspendido por ahora.",
			verify.Revoked:   "Un documento auténtico tiene esta referencia, pero su emisor lo ha revocado definitivamente.",
			verify.Expired:   "Un documento auténtico tiene esta referencia, pero ha caducado.",
			verify.NotFound:  "Ningún documento tiene esta referencia.",
		},
		IssuerSuspended: "Un documento auténtico tiene esta referencia, pero su emisor está suspendido por ahora.",
		Advices: map[verify.Verdict][]string{
			verify.Valid: {
				"Compare el documento que tiene delante con los datos de abajo: si alguno difiere, es una falsificación.",
				"Esta página no ve el documento. Un código auténtico puede copiarse en otro documento.",
			},
			verify.Suspended: {"No confíe en el documento por ahora. Pregunte al emisor o compruébelo de nuevo más tarde."},
			verify.Revoked:   {"No confíe en el documento. Pregunte al emisor por qué fue revocado."},
			verify.Expired:   {"No confíe en el documento. Pida uno nuevo."},
			verify.NotFound: {
				"Compare la referencia, carácter por carácter, con la del documento.",
				"Si es la misma, considere que el documento no está verificado. Pregunte a la organización que figura en él, con datos de contacto que no procedan del documento.",
			},
		},
		Replaced: []string{"No confíe en este documento. Fue sustituido por otro más reciente: pida este último."},
		Advice:   "Qué hacer", ReplacedBy: "Sustituido por:", Replaces: "Sustituye a:",
		Test:     "Documento de prueba: no demuestra nada.",
		Document: "Documento", Issuer: "Emisor", Type: "Tipo de documento", Issued: "Expedido el", Reference: "Referencia",
		AsOf: "Estado a fecha de", Signed: "Firmado por el emisor",
		Busy: problem{
			"Demasiadas consultas: no verificado", "Se han consultado demasiados documentos desde su red.",
			"Espere un minuto y vuelva a cargar esta página. Hasta entonces, considere que el documento no está verificado.",
		},
		Failed: problem{
			"Sin respuesta: no verificado", "El documento no se puede consultar en este momento. Esto no dice nada sobre su autenticidad.",
			"Vuelva a cargar esta página dentro de unos minutos. Hasta entonces, considere que el documento no está verificado.",
		},
	},
	{
		Language: "ar", Direction: "rtl",
		Headings: map[verify.Verdict]string{
			verify.Valid: "صالحة: قارنها بهذه الصفحة", verify.Suspended: "معلّقة: غير صالحة حاليًا", verify.Revoked: "ملغاة: غير صالحة",
			verify.Expired: "منتهية الصلاحية: غير صالحة", verify.NotFound: "غير موجودة: لم يتم التحقق منها",
		},
		Meanings: map[verify.Verdict]string{
			verify.Valid:     "أصدرت الجهة المصدرة وثيقة بهذا الرقم المرجعي، وهي صالحة.",
			verify.Suspended: "توجد وثيقة أصلية بهذا الرقم المرجعي، لكن الجهة المصدرة علّقتها مؤقتًا.",
			verify.Revoked:   "توجد وثيقة أصلية بهذا الرقم المرجعي، لكن الجهة المصدرة ألغتها نهائيًا.",
			verify.Expired:   "توجد وثيقة أصلية بهذا الرقم المرجعي، لكن صلاحيتها انتهت.",
			verify.NotFound:  "لا توجد وثيقة بهذا الرقم المرجعي.",
		},
		IssuerSuspended: "توجد وثيقة أصلية بهذا الرقم المرجعي، لكن الجهة المصدرة معلّقة حاليًا.",
		Advices: map[verify.Verdict][]string{
			verify.Valid: {
				"قارن الوثيقة التي أمامك بالبيانات أدناه: إذا اختلف أيّ منها فالوثيقة مزوّرة.",
				"هذه الصفحة لا ترى الوثيقة. يمكن نسخ رمز أصلي إلى وثيقة أخرى.",
			},
			verify.Suspended: {"لا تعتمد على الوثيقة الآن. اسأل الجهة المصدرة أو تحقق مرة أخرى لاحقًا."},
			verify.Revoked:   {"لا تعتمد على الوثيقة. اسأل الجهة المصدرة عن سبب الإلغاء."},
			verify.Expired:   {"لا تعتمد على الوثيقة. اطلب وثيقة جديدة."},
			verify.NotFound: {
				"قارن الرقم المرجعي حرفًا حرفًا بالرقم المكتوب على الوثيقة.",
				"إن كان مطابقًا فاعتبر الوثيقة غير متحقق منها. اسأل الجهة المذكورة فيها عبر بيانات اتصال لم تأخذها من الوثيقة.",
			},
		},
		Replaced: []string{"لا تعتمد على هذه الوثيقة. فقد حلّت محلها وثيقة أحدث: اطلبها."},
		Advice:   "ماذا تفعل", ReplacedBy: "حلّت محلها:", Replaces: "تحلّ محل:",
		Test:     "وثيقة تجريبية: لا تثبت شيئًا.",
		Document: "الوثيقة", Issuer: "الجهة المصدرة", Type: "نوع الوثيقة", Issued: "تاريخ الإصدار", Reference: "الرقم المرجعي",
		AsOf: "الحالة في", Signed: "موقّع من الجهة المصدرة",
		Busy: problem{
			"طلبات كثيرة: لم يتم التحقق منها", "جرى الاستعلام عن عدد كبير من الوثائق من شبكتك.",
			"انتظر دقيقة ثم أعد تحميل هذه الصفحة. وحتى ذلك الحين اعتبر الوثيقة غير متحقق منها.",
		},
		Failed: problem{
			"لا توجد إجابة: لم يتم التحقق منها", "لا يمكن الاستعلام عن الوثيقة الآن. وهذا لا يدل على شيء بشأن صحتها.",
			"أعد تحميل هذه الصفحة بعد بضع دقائق. وحتى ذلك الحين اعتبر الوثيقة غير متحقق منها.",
		},
	},
}
