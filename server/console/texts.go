package console

import "tcode/server/verify"

// texts are the words of a page in one language.
type texts struct {
	Language  string // BCP 47
	Direction string // of writing: ltr or rtl

	Headings map[verify.Verdict]string
	Meanings map[verify.Verdict]string
	// IssuerSuspended is the meaning of suspended when it is the issuer that is.
	IssuerSuspended string
	Advices         map[verify.Verdict][]string
	Replaced        []string // the advice when there is a replacement

	Advice, ReplacedBy, Replaces, Test              string
	Document, Issuer, Type, Issued, Reference, AsOf string
	Signed                                          string
}

// languages are those the pages speak: the ones that document types are named
// in from the start. The first is what others get.
var languages = []texts{
	{
		Language: "en", Direction: "ltr",
		Headings: map[verify.Verdict]string{
			verify.Valid: "Valid: compare it with this page", verify.Suspended: "Suspended: not valid now", verify.Revoked: "Revoked: not valid",
			verify.Expired: "Expired: not valid", verify.NotFound: "Not found: not verified",
		},
		Meanings: map[verify.Verdict]string{
			verify.Valid:     "The issuer made a document with this reference, and it is valid.",
			verify.Suspended: "The document is genuine, but its issuer has suspended it for now.",
			verify.Revoked:   "The document is genuine, but its issuer has withdrawn it for good.",
			verify.Expired:   "The document is genuine, but its time has run out.",
			verify.NotFound:  "No document has this reference.",
		},
		IssuerSuspended: "The document is genuine, but its issuer is suspended for now.",
		Advices: map[verify.Verdict][]string{
			verify.Valid: {
				"Compare the document before you with what stands below: every word that differs makes it a forgery.",
				"This page does not see the document. A genuine code can be copied onto another paper.",
			},
			verify.Suspended: {"Do not rely on the document now. Ask the issuer, or look here again later."},
			verify.Revoked:   {"Do not rely on the document. Ask the issuer why it was withdrawn."},
			verify.Expired:   {"Do not rely on the document. Ask its holder for a newer one."},
			verify.NotFound: {
				"Compare the reference, character by character, with the one on the document.",
				"If it is the same, treat the document as not verified. Ask the organisation that it names, by an address that you did not take from the document.",
			},
		},
		Replaced: []string{"Do not rely on this document. It was replaced by a newer one: ask its holder for that."},
		Advice:   "What to do", ReplacedBy: "Replaced by:", Replaces: "Replaces:",
		Test:     "Test document: it proves nothing.",
		Document: "Document", Issuer: "Issuer", Type: "Kind of document", Issued: "Issued", Reference: "Reference",
		AsOf: "Status as of", Signed: "Signed by the issuer",
	},
	{
		Language: "de", Direction: "ltr",
		Headings: map[verify.Verdict]string{
			verify.Valid: "Gültig: mit dieser Seite vergleichen", verify.Suspended: "Ausgesetzt: zurzeit nicht gültig", verify.Revoked: "Widerrufen: nicht gültig",
			verify.Expired: "Abgelaufen: nicht gültig", verify.NotFound: "Nicht gefunden: nicht bestätigt",
		},
		Meanings: map[verify.Verdict]string{
			verify.Valid:     "Der Aussteller hat ein Dokument mit dieser Referenz ausgestellt, und es ist gültig.",
			verify.Suspended: "Das Dokument ist echt, aber sein Aussteller hat es vorläufig ausgesetzt.",
			verify.Revoked:   "Das Dokument ist echt, aber sein Aussteller hat es endgültig widerrufen.",
			verify.Expired:   "Das Dokument ist echt, aber abgelaufen.",
			verify.NotFound:  "Kein Dokument hat diese Referenz.",
		},
		IssuerSuspended: "Das Dokument ist echt, aber sein Aussteller ist zurzeit gesperrt.",
		Advices: map[verify.Verdict][]string{
			verify.Valid: {
				"Vergleichen Sie das vorliegende Dokument mit den Angaben unten: Jede Abweichung zeigt eine Fälschung an.",
				"Diese Seite sieht das Dokument nicht. Ein echter Code kann auf ein anderes Papier kopiert sein.",
			},
			verify.Suspended: {"Verlassen Sie sich jetzt nicht auf das Dokument. Fragen Sie den Aussteller, oder sehen Sie später wieder nach."},
			verify.Revoked:   {"Verlassen Sie sich nicht auf das Dokument. Fragen Sie den Aussteller nach dem Grund."},
			verify.Expired:   {"Verlassen Sie sich nicht auf das Dokument. Verlangen Sie ein neueres."},
			verify.NotFound: {
				"Vergleichen Sie die Referenz Zeichen für Zeichen mit der auf dem Dokument.",
				"Ist es dieselbe, behandeln Sie das Dokument als nicht bestätigt. Fragen Sie die genannte Stelle unter einer Adresse, die nicht vom Dokument stammt.",
			},
		},
		Replaced: []string{"Verlassen Sie sich nicht auf dieses Dokument. Es wurde durch ein neueres ersetzt: Verlangen Sie jenes."},
		Advice:   "Was zu tun ist", ReplacedBy: "Ersetzt durch:", Replaces: "Ersetzt:",
		Test:     "Testdokument: Es beweist nichts.",
		Document: "Dokument", Issuer: "Aussteller", Type: "Art des Dokuments", Issued: "Ausgestellt", Reference: "Referenz",
		AsOf: "Stand:", Signed: "Vom Aussteller signiert",
	},
	{
		Language: "fr", Direction: "ltr",
		Headings: map[verify.Verdict]string{
			verify.Valid: "Valide : à comparer avec cette page", verify.Suspended: "Suspendu : non valide pour l’instant", verify.Revoked: "Révoqué : non valide",
			verify.Expired: "Expiré : non valide", verify.NotFound: "Introuvable : non vérifié",
		},
		Meanings: map[verify.Verdict]string{
			verify.Valid:     "L’émetteur a délivré un document portant cette référence, et il est valide.",
			verify.Suspended: "Le document est authentique, mais son émetteur l’a suspendu pour l’instant.",
			verify.Revoked:   "Le document est authentique, mais son émetteur l’a retiré définitivement.",
			verify.Expired:   "Le document est authentique, mais il a expiré.",
			verify.NotFound:  "Aucun document ne porte cette référence.",
		},
		IssuerSuspended: "Le document est authentique, mais son émetteur est suspendu pour l’instant.",
		Advices: map[verify.Verdict][]string{
			verify.Valid: {
				"Comparez le document avec ce qui figure ci-dessous : toute différence signale une falsification.",
				"Cette page ne voit pas le document. Un code authentique peut être copié sur un autre papier.",
			},
			verify.Suspended: {"Ne vous fiez pas au document maintenant. Interrogez l’émetteur ou revenez plus tard."},
			verify.Revoked:   {"Ne vous fiez pas au document. Demandez à l’émetteur pourquoi il a été retiré."},
			verify.Expired:   {"Ne vous fiez pas au document. Demandez-en un plus récent."},
			verify.NotFound: {
				"Comparez la référence, caractère par caractère, avec celle du document.",
				"Si elle est identique, considérez le document comme non vérifié. Interrogez l’organisme nommé à une adresse qui ne vient pas du document.",
			},
		},
		Replaced: []string{"Ne vous fiez pas à ce document. Il a été remplacé par un plus récent : demandez celui-ci."},
		Advice:   "Que faire", ReplacedBy: "Remplacé par :", Replaces: "Remplace :",
		Test:     "Document d’essai : il ne prouve rien.",
		Document: "Document", Issuer: "Émetteur", Type: "Type de document", Issued: "Délivré", Reference: "Référence",
		AsOf: "État au", Signed: "Signé par l’émetteur",
	},
	{
		Language: "es", Direction: "ltr",
		Headings: map[verify.Verdict]string{
			verify.Valid: "Válido: compárelo con esta página", verify.Suspended: "Suspendido: no válido por ahora", verify.Revoked: "Revocado: no válido",
			verify.Expired: "Caducado: no válido", verify.NotFound: "No encontrado: no verificado",
		},
		Meanings: map[verify.Verdict]string{
			verify.Valid:     "El emisor expidió un documento con esta referencia, y es válido.",
			verify.Suspended: "El documento es auténtico, pero su emisor lo ha suspendido por ahora.",
			verify.Revoked:   "El documento es auténtico, pero su emisor lo ha retirado definitivamente.",
			verify.Expired:   "El documento es auténtico, pero ha caducado.",
			verify.NotFound:  "Ningún documento tiene esta referencia.",
		},
		IssuerSuspended: "El documento es auténtico, pero su emisor está suspendido por ahora.",
		Advices: map[verify.Verdict][]string{
			verify.Valid: {
				"Compare el documento con lo que figura abajo: cualquier diferencia indica una falsificación.",
				"Esta página no ve el documento. Un código auténtico puede copiarse en otro papel.",
			},
			verify.Suspended: {"No confíe en el documento ahora. Pregunte al emisor o consulte de nuevo más tarde."},
			verify.Revoked:   {"No confíe en el documento. Pregunte al emisor por qué fue retirado."},
			verify.Expired:   {"No confíe en el documento. Pida uno más reciente."},
			verify.NotFound: {
				"Compare la referencia, carácter por carácter, con la del documento.",
				"Si es la misma, considere el documento no verificado. Pregunte a la organización que nombra en una dirección que no proceda del documento.",
			},
		},
		Replaced: []string{"No confíe en este documento. Fue sustituido por otro más reciente: pida ese."},
		Advice:   "Qué hacer", ReplacedBy: "Sustituido por:", Replaces: "Sustituye a:",
		Test:     "Documento de prueba: no demuestra nada.",
		Document: "Documento", Issuer: "Emisor", Type: "Tipo de documento", Issued: "Expedido", Reference: "Referencia",
		AsOf: "Estado a", Signed: "Firmado por el emisor",
	},
	{
		Language: "ar", Direction: "rtl",
		Headings: map[verify.Verdict]string{
			verify.Valid: "صالحة: قارنها بهذه الصفحة", verify.Suspended: "معلّقة: غير صالحة حاليًا", verify.Revoked: "ملغاة: غير صالحة",
			verify.Expired: "منتهية: غير صالحة", verify.NotFound: "غير موجودة: لم يتم التحقق",
		},
		Meanings: map[verify.Verdict]string{
			verify.Valid:     "أصدرت الجهة وثيقة بهذا الرقم المرجعي، وهي صالحة.",
			verify.Suspended: "الوثيقة أصلية، لكن الجهة المصدرة علّقتها مؤقتًا.",
			verify.Revoked:   "الوثيقة أصلية، لكن الجهة المصدرة ألغتها نهائيًا.",
			verify.Expired:   "الوثيقة أصلية، لكن صلاحيتها انتهت.",
			verify.NotFound:  "لا توجد وثيقة بهذا الرقم المرجعي.",
		},
		IssuerSuspended: "الوثيقة أصلية، لكن الجهة المصدرة معلّقة حاليًا.",
		Advices: map[verify.Verdict][]string{
			verify.Valid: {
				"قارن الوثيقة التي أمامك بما هو مكتوب أدناه: أي اختلاف يدل على التزوير.",
				"هذه الصفحة لا ترى الوثيقة. يمكن نسخ رمز أصلي إلى ورقة أخرى.",
			},
			verify.Suspended: {"لا تعتمد على الوثيقة الآن. اسأل الجهة المصدرة أو عد إلى هنا لاحقًا."},
			verify.Revoked:   {"لا تعتمد على الوثيقة. اسأل الجهة المصدرة عن سبب الإلغاء."},
			verify.Expired:   {"لا تعتمد على الوثيقة. اطلب وثيقة أحدث."},
			verify.NotFound: {
				"قارن الرقم المرجعي حرفًا حرفًا بالرقم المكتوب على الوثيقة.",
				"إن كان مطابقًا فاعتبر الوثيقة غير متحقق منها. اسأل الجهة المذكورة عبر عنوان لم تأخذه من الوثيقة.",
			},
		},
		Replaced: []string{"لا تعتمد على هذه الوثيقة. فقد حلّت محلها وثيقة أحدث: اطلبها."},
		Advice:   "ما العمل", ReplacedBy: "حلّت محلها:", Replaces: "تحلّ محل:",
		Test:     "وثيقة تجريبية: لا تثبت شيئًا.",
		Document: "الوثيقة", Issuer: "الجهة المصدرة", Type: "نوع الوثيقة", Issued: "تاريخ الإصدار", Reference: "الرقم المرجعي",
		AsOf: "الحالة في", Signed: "موقّع من الجهة المصدرة",
	},
}
