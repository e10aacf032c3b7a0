package dashboard

import (
	"tcode/server/console/frame"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// words are the words of the screen in one language.
type words struct {
	Overview, StampDocument, NewJob                                       string
	Look, AllWell, AllWellText                                            string
	Findings                                                              map[string]string // by finding, with %s
	LastSeen                                                              string            // with %s: when, reference
	TheStamp, TheJob, Webhooks, Documents, Scanners, APIKeys, SigningKeys string
	JobFailed, FilesBad                                                   string
	RowsFailed                                                            string // with %d of %d
	HookFails                                                             string // with %s
	FailsSince                                                            string // with %s
	HookOff, HookDown                                                     string
	MailsFailed                                                           string // with %s
	MailsText                                                             string
	Silent                                                                string // with %s
	SilentText, KeyEnds, KeyEnded                                         string
	KeyEndsAt                                                             string // with %s
	SigningOld                                                            string
	InUse                                                                 string // with %d

	Days, Issued, Verified, Table, Day                           string
	Plan, Usage                                                  string
	Of                                                           string // with %s of %s
	Near                                                         string // with %d
	Kinds                                                        map[tenant.Kind]string
	Signing, SignsNow, Since, NextKey, NoNext                    string
	Fresh, Stale, TooOld, Unknown, ScansToday, NoScanners        string
	Going, Nothing                                               string
	RowsDone                                                     string // with %d of %d, %d
	Begins, MailsWait                                            string // with %s
	SetUp, KeyMade                                               string // with %s
	KeyMadeText, FirstStamp, FirstStampText, DoStamp             string
	Sheet, SheetText, Print, Invite, InviteText, DoInvite, Bulks string
	Missing, MissingText, Again                                  string
}

// lexicon has the words by language.
var lexicon = frame.Lexicon[words]{"en": &english, "de": &german, "fr": &french, "es": &spanish, "ar": &arabic}

// findings returns the texts of the grave findings.
func findings(revoked, suspended, other, two string) map[string]string {
	return map[string]string{string(wire.RevokedWhenScanned): revoked, string(wire.SuspendedWhenScanned): suspended, string(wire.PayloadOnOtherFile): other, string(verify.TwoScans): two}
}

// kinds returns the words of the kinds of operations.
func kinds(stamps, templates, jobs, documents, changes, requests string) map[tenant.Kind]string {
	return map[tenant.Kind]string{tenant.KindStamps: stamps, tenant.KindTemplates: templates, tenant.KindBulkJobs: jobs, tenant.KindDocuments: documents, tenant.KindLifecycle: changes, tenant.KindRequests: requests}
}

var english = words{
	Overview: "Overview", StampDocument: "Stamp a document", NewJob: "New bulk job", Look: "To look at", AllWell: "Nothing to look at",
	AllWellText: "No changed files seen, no revoked stamps accepted, all scanners fresh, all deliveries taken.",
	Findings:    findings("Revoked stamps accepted offline: %s", "Suspended stamps accepted offline: %s", "Genuine stamps on changed or other files: %s", "Two scans under one id: %s"),
	LastSeen:    "Last seen %s: %s. In the last 30 days.", TheStamp: "The stamp", TheJob: "The job", Webhooks: "Webhooks", Documents: "Documents", Scanners: "Scanners", APIKeys: "API keys", SigningKeys: "Signing keys",
	JobFailed: "A bulk job did not make all its documents", FilesBad: "Its files are not good: nothing was made.", RowsFailed: "%d of %d rows failed.",
	HookFails: "Webhook deliveries that failed in 24 h: %s", FailsSince: "It has not answered well since %s.", HookDown: "A webhook endpoint does not answer well", HookOff: "The endpoint is switched off, and gets nothing.",
	MailsFailed: "Mails that were not taken: %s", MailsText: "The servers of their receivers refused them in the last 7 days.",
	Silent: "Scanners that have not synced for over 7 days: %s", SilentText: "Their answers are UNVERIFIED until they refresh.",
	KeyEnds: "An API key ends soon", KeyEnded: "An API key has ended", KeyEndsAt: "Its end: %s.", SigningOld: "A signing key is old", InUse: "In use for %d days.",
	Days: "Issued and verified, last 14 days", Issued: "Issued", Verified: "Verified", Table: "Figures as a table", Day: "Day", Plan: "Plan", Usage: "Plan and usage",
	Of: "%s of %s", Near: "%d %% used. At 100 %% they are refused until the next month.", Kinds: kinds("Stamps", "Templates", "Bulk jobs", "Trust documents", "Changes of status", "Requests"),
	Signing: "Signing key", SignsNow: "Signs now", Since: "In use since", NextKey: "Next", NoNext: "none announced",
	Fresh: "Fresh status", Stale: "Stale, over 24 h", TooOld: "Too old, over 7 days", Unknown: "Not known", ScansToday: "Scans today", NoScanners: "No scanner has sent a scan of your stamps yet.",
	Going: "Going on", Nothing: "No job runs, and no mail waits.", RowsDone: "%d of %d rows, %d failed", Begins: "Begins %s", MailsWait: "Mails that wait: %s",
	SetUp: "First steps", KeyMade: "Signing key %s is made", KeyMadeText: "Scanners learn it at their next refresh.", FirstStamp: "Stamp a first document", FirstStampText: "A test document is one that no scanner takes for genuine.", DoStamp: "Stamp",
	Sheet: "Print the enrolment sheet", SheetText: "Scanners learn your gateway by it.", Print: "Print", Invite: "Invite colleagues", InviteText: "Owners, issuers, viewers.", DoInvite: "Invite", Bulks: "Jobs",
	Missing: "This cannot be shown now", MissingText: "The database did not answer in time. Stamping and verifying go on.", Again: "Try again",
}

var german = words{
	Overview: "Übersicht", StampDocument: "Dokument stempeln", NewJob: "Neuer Sammelauftrag", Look: "Anzusehen", AllWell: "Nichts anzusehen",
	AllWellText: "Keine veränderten Dateien gesehen, keine widerrufenen Stempel angenommen, alle Scanner aktuell, alles zugestellt.",
	Findings:    findings("Offline angenommene widerrufene Stempel: %s", "Offline angenommene ausgesetzte Stempel: %s", "Echte Stempel auf veränderten oder anderen Dateien: %s", "Zwei Scans unter einer Kennung: %s"),
	LastSeen:    "Zuletzt %s: %s. In den letzten 30 Tagen.", TheStamp: "Der Stempel", TheJob: "Der Auftrag", Webhooks: "Webhooks", Documents: "Dokumente", Scanners: "Scanner", APIKeys: "API-Schlüssel", SigningKeys: "Signaturschlüssel",
	JobFailed: "Ein Sammelauftrag hat nicht alle Dokumente erstellt", FilesBad: "Seine Dateien stimmen nicht: Nichts wurde erstellt.", RowsFailed: "%d von %d Zeilen sind fehlgeschlagen.",
	HookFails: "Fehlgeschlagene Webhook-Zustellungen in 24 h: %s", FailsSince: "Antwortet seit %s nicht richtig.", HookDown: "Ein Webhook-Endpunkt antwortet nicht richtig", HookOff: "Der Endpunkt ist abgeschaltet und erhält nichts.",
	MailsFailed: "Nicht angenommene E-Mails: %s", MailsText: "Die Server der Empfänger haben sie in den letzten 7 Tagen abgelehnt.",
	Silent: "Scanner ohne Abgleich seit über 7 Tagen: %s", SilentText: "Ihre Antworten sind UNVERIFIED, bis sie sich abgleichen.",
	KeyEnds: "Ein API-Schlüssel endet bald", KeyEnded: "Ein API-Schlüssel ist abgelaufen", KeyEndsAt: "Sein Ende: %s.", SigningOld: "Ein Signaturschlüssel ist alt", InUse: "Seit %d Tagen in Gebrauch.",
	Days: "Ausgestellt und geprüft, letzte 14 Tage", Issued: "Ausgestellt", Verified: "Geprüft", Table: "Zahlen als Tabelle", Day: "Tag", Plan: "Tarif", Usage: "Tarif und Verbrauch",
	Of: "%s von %s", Near: "%d %% verbraucht. Bei 100 %% wird bis zum nächsten Monat abgelehnt.", Kinds: kinds("Stempel", "Vorlagen", "Sammelaufträge", "Trust-Dokumente", "Statusänderungen", "Anfragen"),
	Signing: "Signaturschlüssel", SignsNow: "Signiert jetzt", Since: "In Gebrauch seit", NextKey: "Nächster", NoNext: "keiner angekündigt",
	Fresh: "Aktueller Stand", Stale: "Veraltet, über 24 h", TooOld: "Zu alt, über 7 Tage", Unknown: "Unbekannt", ScansToday: "Scans heute", NoScanners: "Noch hat kein Scanner einen Scan Ihrer Stempel gesendet.",
	Going: "Im Gange", Nothing: "Kein Auftrag läuft, und keine E-Mail wartet.", RowsDone: "%d von %d Zeilen, %d fehlgeschlagen", Begins: "Beginnt %s", MailsWait: "Wartende E-Mails: %s",
	SetUp: "Erste Schritte", KeyMade: "Signaturschlüssel %s ist erstellt", KeyMadeText: "Scanner lernen ihn beim nächsten Abgleich.", FirstStamp: "Ein erstes Dokument stempeln", FirstStampText: "Ein Testdokument hält kein Scanner für echt.", DoStamp: "Stempeln",
	Sheet: "Das Anmeldeblatt drucken", SheetText: "Scanner lernen damit Ihr Gateway.", Print: "Drucken", Invite: "Kollegen einladen", InviteText: "Inhaber, Aussteller, Betrachter.", DoInvite: "Einladen", Bulks: "Aufträge",
	Missing: "Das kann jetzt nicht gezeigt werden", MissingText: "Die Datenbank antwortete nicht rechtzeitig. Stempeln und Prüfen gehen weiter.", Again: "Noch einmal",
}

var french = words{
	Overview: "Vue d’ensemble", StampDocument: "Timbrer un document", NewJob: "Nouveau lot", Look: "À regarder", AllWell: "Rien à regarder",
	AllWellText: "Aucun fichier modifié vu, aucun timbre révoqué accepté, tous les lecteurs à jour, tout est livré.",
	Findings:    findings("Timbres révoqués acceptés hors ligne : %s", "Timbres suspendus acceptés hors ligne : %s", "Timbres authentiques sur des fichiers modifiés ou autres : %s", "Deux lectures sous un identifiant : %s"),
	LastSeen:    "Vu la dernière fois le %s : %s. Durant les 30 derniers jours.", TheStamp: "Le timbre", TheJob: "Le lot", Webhooks: "Webhooks", Documents: "Documents", Scanners: "Lecteurs", APIKeys: "Clés d’API", SigningKeys: "Clés de signature",
	JobFailed: "Un lot n’a pas fait tous ses documents", FilesBad: "Ses fichiers ne sont pas bons : rien n’a été fait.", RowsFailed: "%d lignes sur %d ont échoué.",
	HookFails: "Livraisons de webhook échouées en 24 h : %s", FailsSince: "Ne répond pas bien depuis le %s.", HookDown: "Un point de livraison de webhook ne répond pas bien", HookOff: "Le point de livraison est coupé et ne reçoit rien.",
	MailsFailed: "E-mails non acceptés : %s", MailsText: "Les serveurs des destinataires les ont refusés durant les 7 derniers jours.",
	Silent: "Lecteurs sans synchronisation depuis plus de 7 jours : %s", SilentText: "Leurs réponses sont UNVERIFIED jusqu’à leur mise à jour.",
	KeyEnds: "Une clé d’API expire bientôt", KeyEnded: "Une clé d’API a expiré", KeyEndsAt: "Sa fin : %s.", SigningOld: "Une clé de signature est ancienne", InUse: "En service depuis %d jours.",
	Days: "Émis et vérifiés, 14 derniers jours", Issued: "Émis", Verified: "Vérifiés", Table: "Chiffres en tableau", Day: "Jour", Plan: "Forfait", Usage: "Forfait et utilisation",
	Of: "%s sur %s", Near: "%d %% utilisés. À 100 %%, c’est refusé jusqu’au mois prochain.", Kinds: kinds("Timbres", "Modèles", "Lots", "Documents Trust", "Changements d’état", "Requêtes"),
	Signing: "Clé de signature", SignsNow: "Signe maintenant", Since: "En service depuis", NextKey: "Suivante", NoNext: "aucune annoncée",
	Fresh: "À jour", Stale: "Périmé, plus de 24 h", TooOld: "Trop ancien, plus de 7 jours", Unknown: "Inconnu", ScansToday: "Lectures aujourd’hui", NoScanners: "Aucun lecteur n’a encore envoyé de lecture de vos timbres.",
	Going: "En cours", Nothing: "Aucun lot ne tourne, aucun e-mail n’attend.", RowsDone: "%d lignes sur %d, %d échouées", Begins: "Commence le %s", MailsWait: "E-mails en attente : %s",
	SetUp: "Premiers pas", KeyMade: "La clé de signature %s est faite", KeyMadeText: "Les lecteurs l’apprennent à leur prochaine mise à jour.", FirstStamp: "Timbrer un premier document", FirstStampText: "Aucun lecteur ne prend un document de test pour authentique.", DoStamp: "Timbrer",
	Sheet: "Imprimer la feuille d’inscription", SheetText: "Les lecteurs y apprennent votre passerelle.", Print: "Imprimer", Invite: "Inviter des collègues", InviteText: "Propriétaires, émetteurs, lecteurs.", DoInvite: "Inviter", Bulks: "Lots",
	Missing: "Ceci ne peut pas être montré maintenant", MissingText: "La base de données n’a pas répondu à temps. Timbrer et vérifier continuent.", Again: "Réessayer",
}

var spanish = words{
	Overview: "Resumen", StampDocument: "Sellar un documento", NewJob: "Lote nuevo", Look: "Para mirar", AllWell: "Nada que mirar",
	AllWellText: "No se vieron archivos cambiados, no se aceptaron sellos revocados, todos los lectores están al día, todo se entregó.",
	Findings:    findings("Sellos revocados aceptados sin conexión: %s", "Sellos suspendidos aceptados sin conexión: %s", "Sellos auténticos en archivos cambiados o ajenos: %s", "Dos lecturas con un identificador: %s"),
	LastSeen:    "Visto por última vez el %s: %s. En los últimos 30 días.", TheStamp: "El sello", TheJob: "El lote", Webhooks: "Webhooks", Documents: "Documentos", Scanners: "Lectores", APIKeys: "Claves de API", SigningKeys: "Claves de firma",
	JobFailed: "Un lote no hizo todos sus documentos", FilesBad: "Sus archivos no están bien: no se hizo nada.", RowsFailed: "Fallaron %d de %d filas.",
	HookFails: "Entregas de webhook fallidas en 24 h: %s", FailsSince: "No responde bien desde el %s.", HookDown: "Un destino de webhook no responde bien", HookOff: "El destino está apagado y no recibe nada.",
	MailsFailed: "Correos no aceptados: %s", MailsText: "Los servidores de sus destinatarios los rechazaron en los últimos 7 días.",
	Silent: "Lectores sin sincronizar desde hace más de 7 días: %s", SilentText: "Sus respuestas son UNVERIFIED hasta que se actualicen.",
	KeyEnds: "Una clave de API caduca pronto", KeyEnded: "Una clave de API ha caducado", KeyEndsAt: "Su final: %s.", SigningOld: "Una clave de firma es antigua", InUse: "En uso desde hace %d días.",
	Days: "Emitidos y comprobados, últimos 14 días", Issued: "Emitidos", Verified: "Comprobados", Table: "Cifras en una tabla", Day: "Día", Plan: "Plan", Usage: "Plan y uso",
	Of: "%s de %s", Near: "%d %% usado. Al 100 %% se rechaza hasta el mes siguiente.", Kinds: kinds("Sellos", "Plantillas", "Lotes", "Documentos Trust", "Cambios de estado", "Peticiones"),
	Signing: "Clave de firma", SignsNow: "Firma ahora", Since: "En uso desde", NextKey: "Siguiente", NoNext: "ninguna anunciada",
	Fresh: "Al día", Stale: "Anticuado, más de 24 h", TooOld: "Demasiado antiguo, más de 7 días", Unknown: "Desconocido", ScansToday: "Lecturas hoy", NoScanners: "Ningún lector ha enviado aún una lectura de sus sellos.",
	Going: "En marcha", Nothing: "No hay lotes en marcha ni correos en espera.", RowsDone: "%d de %d filas, %d fallidas", Begins: "Comienza el %s", MailsWait: "Correos en espera: %s",
	SetUp: "Primeros pasos", KeyMade: "La clave de firma %s está hecha", KeyMadeText: "Los lectores la aprenden en su próxima actualización.", FirstStamp: "Sellar un primer documento", FirstStampText: "Ningún lector toma un documento de prueba por auténtico.", DoStamp: "Sellar",
	Sheet: "Imprimir la hoja de alta", SheetText: "Con ella los lectores aprenden su pasarela.", Print: "Imprimir", Invite: "Invitar a colegas", InviteText: "Propietarios, emisores, lectores.", DoInvite: "Invitar", Bulks: "Lotes",
	Missing: "Esto no se puede mostrar ahora", MissingText: "La base de datos no respondió a tiempo. Sellar y comprobar siguen.", Again: "Intentar de nuevo",
}

var arabic = words{
	Overview: "نظرة عامة", StampDocument: "ختم مستند", NewJob: "مهمة مجمّعة جديدة", Look: "ما يستحق النظر", AllWell: "لا شيء يستحق النظر",
	AllWellText: "لم تُرَ ملفات معدّلة، ولم تُقبل أختام ملغاة، وكل الماسحات حديثة، وكل شيء سُلّم.",
	Findings:    findings("أختام ملغاة قُبلت دون اتصال: %s", "أختام معلّقة قُبلت دون اتصال: %s", "أختام أصلية على ملفات معدّلة أو أخرى: %s", "عمليتا مسح بمعرّف واحد: %s"),
	LastSeen:    "آخر مرة %s: \u200f%s. في آخر 30 يومًا.", TheStamp: "الختم", TheJob: "المهمة", Webhooks: "روابط webhook", Documents: "المستندات", Scanners: "الماسحات", APIKeys: "مفاتيح API", SigningKeys: "مفاتيح التوقيع",
	JobFailed: "مهمة مجمّعة لم تُنشئ كل مستنداتها", FilesBad: "ملفاتها غير صحيحة: لم يُنشأ شيء.", RowsFailed: "فشل %d من %d صفًا.",
	HookFails: "عمليات تسليم webhook فشلت خلال 24 ساعة: %s", FailsSince: "لا يجيب جيدًا منذ %s.", HookDown: "نقطة تسليم webhook لا تجيب جيدًا", HookOff: "نقطة التسليم متوقفة ولا تتلقى شيئًا.",
	MailsFailed: "رسائل لم تُقبل: %s", MailsText: "رفضتها خوادم المستلمين في آخر 7 أيام.",
	Silent: "ماسحات لم تتزامن منذ أكثر من 7 أيام: %s", SilentText: "إجاباتها UNVERIFIED حتى تتحدّث.",
	KeyEnds: "مفتاح API ينتهي قريبًا", KeyEnded: "انتهى مفتاح API", KeyEndsAt: "نهايته: %s.", SigningOld: "مفتاح توقيع قديم", InUse: "قيد الاستخدام منذ %d يومًا.",
	Days: "الصادر والمتحقَّق منه، آخر 14 يومًا", Issued: "صدر", Verified: "تُحقِّق منه", Table: "الأرقام في جدول", Day: "اليوم", Plan: "الخطة", Usage: "الخطة والاستخدام",
	Of: "%s من %s", Near: "استُخدم %d %%. عند 100 %% يُرفض حتى الشهر التالي.", Kinds: kinds("الأختام", "القوالب", "المهام المجمّعة", "مستندات Trust", "تغييرات الحالة", "الطلبات"),
	Signing: "مفتاح التوقيع", SignsNow: "يوقّع الآن", Since: "قيد الاستخدام منذ", NextKey: "التالي", NoNext: "لم يُعلن عن شيء",
	Fresh: "حديثة", Stale: "قديمة، أكثر من 24 ساعة", TooOld: "قديمة جدًا، أكثر من 7 أيام", Unknown: "غير معروفة", ScansToday: "عمليات المسح اليوم", NoScanners: "لم يرسل أي ماسح بعد مسحًا لأختامك.",
	Going: "ما يجري", Nothing: "لا مهمة تعمل، ولا رسالة تنتظر.", RowsDone: "%d من %d صفًا، فشل %d", Begins: "تبدأ %s", MailsWait: "رسائل تنتظر: %s",
	SetUp: "الخطوات الأولى", KeyMade: "أُنشئ مفتاح التوقيع %s", KeyMadeText: "تعرفه الماسحات عند تحديثها التالي.", FirstStamp: "اختم مستندًا أول", FirstStampText: "لا يعدّ أي ماسح مستند الاختبار أصليًا.", DoStamp: "ختم",
	Sheet: "اطبع ورقة التسجيل", SheetText: "بها تعرف الماسحات بوابتك.", Print: "طباعة", Invite: "ادعُ زملاءك", InviteText: "مالكون ومُصدِرون ومُطّلعون.", DoInvite: "دعوة", Bulks: "المهام",
	Missing: "لا يمكن عرض هذا الآن", MissingText: "لم تجب قاعدة البيانات في الوقت المناسب. يستمر الختم والتحقق.", Again: "حاول مرة أخرى",
}
