package oversight

import "tcode/server/tenant"

var english = texts{
	Audit: "Audit log", AuditText: "Each change, with its author. Entries are never changed or removed.", Action: "Action", All: "All", By: "By", Everyone: "Everyone",
	Subject: "Reference, id or key", From: "From", To: "to", Export: "Export CSV", When: "When", What: "What", Tenant: "Tenant", NoRows: "No entry has these properties.",
	Rows: "%d to %d of %d%s", Newer: "Newer", Older: "Older",
	Actors: map[tenant.Actor]string{tenant.ActorKey: "API key", tenant.ActorOperator: "operator", tenant.ActorUser: "user", tenant.ActorSystem: "gateway"},
	Plan:   "Plan and usage", PlanText: "Operations in a month by UTC. Test documents are counted separately.", Month: "Month", Show: "Show", Used: "Used", Quota: "Quota",
	NoQuota: "no limit", Near: "nearly used up", Full: "used up", TestUse: "test: %d", Includes: "The plan includes", NotIncluded: "not included",
	PerMinute: "%d requests a minute for each key", PerMinuteDefault: "requests a minute as the gateway allows", ByDay: "By day", Day: "Day", Stamps: "Stamps",
	Documents: "Trust documents", Verifications: "Verifications", Scans: "Scans",
	Kinds:        map[tenant.Kind]string{tenant.KindStamps: "Stamps", tenant.KindTemplates: "Templates", tenant.KindBulkJobs: "Bulk jobs", tenant.KindDocuments: "Trust documents", tenant.KindLifecycle: "Changes of status", tenant.KindRequests: "Requests"},
	Entitlements: map[tenant.Entitlement]string{tenant.EntitledStamps: "stamps", tenant.EntitledTemplates: "templates", tenant.EntitledBulk: "bulk jobs", tenant.EntitledTrust: "Trust documents", tenant.EntitledHistory: "verification history"},
}

var german = texts{
	Audit: "Protokoll", AuditText: "Jede Änderung mit ihrem Urheber. Einträge werden nie geändert oder entfernt.", Action: "Aktion", All: "Alle", By: "Von", Everyone: "Alle",
	Subject: "Referenz, Kennung oder Schlüssel", From: "Von", To: "bis", Export: "CSV exportieren", When: "Wann", What: "Was", Tenant: "Mandant",
	NoRows: "Kein Eintrag hat diese Eigenschaften.", Rows: "%d bis %d von %d%s", Newer: "Neuere", Older: "Ältere",
	Actors: map[tenant.Actor]string{tenant.ActorKey: "API-Schlüssel", tenant.ActorOperator: "Betreiber", tenant.ActorUser: "Benutzer", tenant.ActorSystem: "Gateway"},
	Plan:   "Tarif und Verbrauch", PlanText: "Vorgänge je Monat nach UTC. Testdokumente zählen getrennt.", Month: "Monat", Show: "Zeigen", Used: "Verbraucht",
	Quota: "Kontingent", NoQuota: "unbegrenzt", Near: "fast verbraucht", Full: "verbraucht", TestUse: "Test: %d", Includes: "Der Tarif enthält",
	NotIncluded: "nicht enthalten", PerMinute: "%d Anfragen je Minute und Schlüssel", PerMinuteDefault: "Anfragen je Minute nach Vorgabe des Gateways", ByDay: "Nach Tagen",
	Day: "Tag", Stamps: "Stempel", Documents: "Trust-Dokumente", Verifications: "Prüfungen", Scans: "Scans",
	Kinds:        map[tenant.Kind]string{tenant.KindStamps: "Stempel", tenant.KindTemplates: "Vorlagen", tenant.KindBulkJobs: "Sammelaufträge", tenant.KindDocuments: "Trust-Dokumente", tenant.KindLifecycle: "Statusänderungen", tenant.KindRequests: "Anfragen"},
	Entitlements: map[tenant.Entitlement]string{tenant.EntitledStamps: "Stempel", tenant.EntitledTemplates: "Vorlagen", tenant.EntitledBulk: "Sammelaufträge", tenant.EntitledTrust: "Trust-Dokumente", tenant.EntitledHistory: "Prüfverlauf"},
}

var french = texts{
	Audit: "Journal d’audit", AuditText: "Chaque changement avec son auteur. Les entrées ne sont jamais changées ni supprimées.", Action: "Action", All: "Toutes", By: "Par",
	Everyone: "Tous", Subject: "Référence, identifiant ou clé", From: "Du", To: "au", Export: "Exporter en CSV", When: "Quand", What: "Quoi", Tenant: "Organisation",
	NoRows: "Aucune entrée n’a ces propriétés.", Rows: "%d à %d sur %d%s", Newer: "Plus récentes", Older: "Plus anciennes",
	Actors: map[tenant.Actor]string{tenant.ActorKey: "clé d’API", tenant.ActorOperator: "exploitant", tenant.ActorUser: "utilisateur", tenant.ActorSystem: "passerelle"},
	Plan:   "Forfait et utilisation", PlanText: "Opérations par mois en UTC. Les documents de test sont comptés à part.", Month: "Mois", Show: "Afficher", Used: "Utilisé",
	Quota: "Quota", NoQuota: "sans limite", Near: "presque épuisé", Full: "épuisé", TestUse: "test : %d", Includes: "Le forfait comprend", NotIncluded: "non compris",
	PerMinute: "%d requêtes par minute et par clé", PerMinuteDefault: "requêtes par minute selon la passerelle", ByDay: "Par jour", Day: "Jour", Stamps: "Tampons",
	Documents: "Documents Trust", Verifications: "Vérifications", Scans: "Lectures",
	Kinds:        map[tenant.Kind]string{tenant.KindStamps: "Tampons", tenant.KindTemplates: "Modèles", tenant.KindBulkJobs: "Travaux groupés", tenant.KindDocuments: "Documents Trust", tenant.KindLifecycle: "Changements d’état", tenant.KindRequests: "Requêtes"},
	Entitlements: map[tenant.Entitlement]string{tenant.EntitledStamps: "tampons", tenant.EntitledTemplates: "modèles", tenant.EntitledBulk: "travaux groupés", tenant.EntitledTrust: "documents Trust", tenant.EntitledHistory: "historique des vérifications"},
}

var spanish = texts{
	Audit: "Registro de auditoría", AuditText: "Cada cambio con su autor. Las entradas nunca se cambian ni se eliminan.", Action: "Acción", All: "Todas", By: "Por",
	Everyone: "Todos", Subject: "Referencia, identificador o clave", From: "Desde", To: "hasta", Export: "Exportar CSV", When: "Cuándo", What: "Qué", Tenant: "Organización",
	NoRows: "Ninguna entrada tiene estas propiedades.", Rows: "%d a %d de %d%s", Newer: "Más recientes", Older: "Más antiguas",
	Actors: map[tenant.Actor]string{tenant.ActorKey: "clave de API", tenant.ActorOperator: "operador", tenant.ActorUser: "usuario", tenant.ActorSystem: "pasarela"},
	Plan:   "Plan y uso", PlanText: "Operaciones por mes en UTC. Los documentos de prueba se cuentan aparte.", Month: "Mes", Show: "Mostrar", Used: "Usado", Quota: "Cuota",
	NoQuota: "sin límite", Near: "casi agotado", Full: "agotado", TestUse: "prueba: %d", Includes: "El plan incluye", NotIncluded: "no incluido",
	PerMinute: "%d solicitudes por minuto y clave", PerMinuteDefault: "solicitudes por minuto según la pasarela", ByDay: "Por día", Day: "Día", Stamps: "Sellos",
	Documents: "Documentos Trust", Verifications: "Verificaciones", Scans: "Lecturas",
	Kinds:        map[tenant.Kind]string{tenant.KindStamps: "Sellos", tenant.KindTemplates: "Plantillas", tenant.KindBulkJobs: "Trabajos por lotes", tenant.KindDocuments: "Documentos Trust", tenant.KindLifecycle: "Cambios de estado", tenant.KindRequests: "Solicitudes"},
	Entitlements: map[tenant.Entitlement]string{tenant.EntitledStamps: "sellos", tenant.EntitledTemplates: "plantillas", tenant.EntitledBulk: "trabajos por lotes", tenant.EntitledTrust: "documentos Trust", tenant.EntitledHistory: "historial de verificaciones"},
}

var arabic = texts{
	Audit: "سجل التدقيق", AuditText: "كل تغيير مع صاحبه. القيود لا تُغيَّر ولا تُحذف أبدًا.", Action: "الإجراء", All: "الكل", By: "بواسطة", Everyone: "الجميع",
	Subject: "مرجع أو معرّف أو مفتاح", From: "من", To: "إلى", Export: "تصدير CSV", When: "متى", What: "ماذا", Tenant: "الجهة", NoRows: "لا قيد بهذه الخصائص.",
	Rows: "%d إلى %d من %d%s", Newer: "الأحدث", Older: "الأقدم",
	Actors: map[tenant.Actor]string{tenant.ActorKey: "مفتاح API", tenant.ActorOperator: "مشغّل", tenant.ActorUser: "مستخدم", tenant.ActorSystem: "البوابة"},
	Plan:   "الخطة والاستخدام", PlanText: "العمليات في الشهر بتوقيت UTC. المستندات التجريبية تُعد منفصلة.", Month: "الشهر", Show: "عرض", Used: "المستخدم", Quota: "الحصة",
	NoQuota: "بلا حد", Near: "تكاد تنفد", Full: "نفدت", TestUse: "تجريبي: %d", Includes: "تشمل الخطة", NotIncluded: "غير مشمول", PerMinute: "%d طلبات في الدقيقة لكل مفتاح",
	PerMinuteDefault: "طلبات في الدقيقة كما تسمح البوابة", ByDay: "حسب اليوم", Day: "اليوم", Stamps: "الأختام", Documents: "مستندات Trust", Verifications: "عمليات التحقق",
	Scans:        "عمليات المسح",
	Kinds:        map[tenant.Kind]string{tenant.KindStamps: "الأختام", tenant.KindTemplates: "القوالب", tenant.KindBulkJobs: "المهام الجماعية", tenant.KindDocuments: "مستندات Trust", tenant.KindLifecycle: "تغييرات الحالة", tenant.KindRequests: "الطلبات"},
	Entitlements: map[tenant.Entitlement]string{tenant.EntitledStamps: "الأختام", tenant.EntitledTemplates: "القوالب", tenant.EntitledBulk: "المهام الجماعية", tenant.EntitledTrust: "مستندات Trust", tenant.EntitledHistory: "سجل التحقق"},
}
