package templatedesk

var french = words{
	Templates: "Modèles", TrustTemplates: "Modèles Trust", TDocTemplates: "Modèles TDoc, pour les timbres", PlacementTemplates: "Modèles de placement",
	TrustText: "Un modèle Trust dit quels champs a un document Trust.", TDocText: "Un modèle TDoc dit quels champs a un document timbré, et lesquels sont signés dans le symbole.", PlacementText: "Un modèle de placement dit où se trouve le symbole sur la page.", ToPlacements: "Vers l’éditeur de placement", None: "Aucun pour l’instant",
	Name: "Nom", Description: "Description", Type: "Type de document", Pages: "Pages", FieldsCount: "Champs", Updated: "Changé", Actions: "Actions", Archived: "archivé", Archive: "Archiver", Restore: "Rétablir", Edit: "Modifier", Columns: "Colonnes CSV",
	ShowArchived: "Montrer les archivés", HideArchived: "Cacher les archivés", ArchiveTitle: "Archiver ce modèle ?", ArchiveText: "Rien de nouveau n’en est tiré tant qu’il n’est pas rétabli. Ce qui en a été tiré reste tel quel.", Stale: "Quelqu’un d’autre a changé ce modèle entre-temps. Ouvrez-le de nouveau pour voir le changement.",
	Choose: "choisir", TypeStays: "Le type d’un modèle est définitif.", Mode: "Pour", Mails: "Envoyer le document timbré à l’adresse du premier champ de type e-mail", Base: "Champs de base", BaseHint: "Textes facultatifs sans autre précision : une clé par ligne.", Placement: "Place du symbole", DefaultPlace: "la place habituelle",
	Fields: "Champs", Key: "Clé", Label: "Intitulé", NamedHint: "On voit l’intitulé du type de document :", FieldType: "Type", Max: "Caractères au plus", Required: "obligatoire", InPayload: "signé dans le symbole", Signed: "dans le symbole", Up: "Monter", Down: "Descendre", Remove: "Retirer", Add: "Ajouter un champ", Refresh: "Actualiser l’aperçu",
	Preview: "Aperçu", PreviewText: "Ce que montre un document de ce modèle, avec des exemples.", TextExample: "un texte",
	New:        map[string]string{"trust": "Nouveau modèle Trust", "tdoc": "Nouveau modèle TDoc"},
	Scopes:     map[string]string{"first": "première page", "last": "dernière page", "all": "toutes les pages", "odd": "pages impaires", "even": "pages paires"},
	Modes:      map[string]string{"tcode": "timbres", "trust": "documents Trust", "trust_tcode": "les deux"},
	FieldTypes: map[string]string{"text": "texte", "date": "date", "number": "nombre", "email": "adresse e-mail", "url": "adresse web"},
	Done:       map[string]string{"saved": "Le modèle est enregistré.", "archived": "Le modèle est archivé.", "restored": "Le modèle est de nouveau utilisable."},
}

var spanish = words{
	Templates: "Plantillas", TrustTemplates: "Plantillas Trust", TDocTemplates: "Plantillas TDoc, para sellos", PlacementTemplates: "Plantillas de colocación",
	TrustText: "Una plantilla Trust dice qué campos tiene un documento Trust.", TDocText: "Una plantilla TDoc dice qué campos tiene un documento sellado, y cuáles se firman en el símbolo.", PlacementText: "Una plantilla de colocación dice dónde va el símbolo en la página.", ToPlacements: "Al editor de colocación", None: "Todavía ninguna",
	Name: "Nombre", Description: "Descripción", Type: "Tipo de documento", Pages: "Páginas", FieldsCount: "Campos", Updated: "Cambiada", Actions: "Acciones", Archived: "archivada", Archive: "Archivar", Restore: "Restaurar", Edit: "Editar", Columns: "Columnas CSV",
	ShowArchived: "Mostrar archivadas", HideArchived: "Ocultar archivadas", ArchiveTitle: "¿Archivar esta plantilla?", ArchiveText: "No se hace nada nuevo con ella hasta que se restaure. Lo hecho con ella sigue como está.", Stale: "Otra persona ha cambiado esta plantilla entretanto. Ábrala de nuevo para ver el cambio.",
	Choose: "elegir", TypeStays: "El tipo de una plantilla es permanente.", Mode: "Para", Mails: "Enviar el documento sellado a la dirección del primer campo de tipo correo", Base: "Campos básicos", BaseHint: "Textos opcionales sin más datos: una clave por línea.", Placement: "Lugar del símbolo", DefaultPlace: "el lugar habitual",
	Fields: "Campos", Key: "Clave", Label: "Etiqueta", NamedHint: "Se ve la etiqueta del tipo de documento:", FieldType: "Tipo", Max: "Caracteres como máximo", Required: "obligatorio", InPayload: "firmado en el símbolo", Signed: "en el símbolo", Up: "Subir", Down: "Bajar", Remove: "Quitar", Add: "Añadir un campo", Refresh: "Actualizar la vista previa",
	Preview: "Vista previa", PreviewText: "Lo que muestra un documento de esta plantilla, con ejemplos.", TextExample: "un texto",
	New:        map[string]string{"trust": "Nueva plantilla Trust", "tdoc": "Nueva plantilla TDoc"},
	Scopes:     map[string]string{"first": "primera página", "last": "última página", "all": "todas las páginas", "odd": "páginas impares", "even": "páginas pares"},
	Modes:      map[string]string{"tcode": "sellos", "trust": "documentos Trust", "trust_tcode": "ambos"},
	FieldTypes: map[string]string{"text": "texto", "date": "fecha", "number": "número", "email": "dirección de correo", "url": "dirección web"},
	Done:       map[string]string{"saved": "La plantilla está guardada.", "archived": "La plantilla está archivada.", "restored": "La plantilla se puede usar de nuevo."},
}

var arabic = words{
	Templates: "القوالب", TrustTemplates: "قوالب Trust", TDocTemplates: "قوالب TDoc للأختام", PlacementTemplates: "قوالب الموضع",
	TrustText: "قالب Trust يحدد حقول وثيقة Trust.", TDocText: "قالب TDoc يحدد حقول الوثيقة المختومة وما يوقَّع منها في الرمز.", PlacementText: "قالب الموضع يحدد مكان الرمز في الصفحة.", ToPlacements: "إلى محرر الموضع", None: "لا شيء بعد",
	Name: "الاسم", Description: "الوصف", Type: "نوع الوثيقة", Pages: "الصفحات", FieldsCount: "الحقول", Updated: "آخر تغيير", Actions: "الإجراءات", Archived: "مؤرشف", Archive: "أرشفة", Restore: "استعادة", Edit: "تحرير", Columns: "أعمدة CSV",
	ShowArchived: "إظهار المؤرشف", HideArchived: "إخفاء المؤرشف", ArchiveTitle: "أرشفة هذا القالب؟", ArchiveText: "لا يُصنع به شيء جديد حتى يُستعاد. وما صُنع به يبقى كما هو.", Stale: "غيّر شخص آخر هذا القالب في هذه الأثناء. افتحه من جديد لترى التغيير.",
	Choose: "اختر", TypeStays: "نوع القالب دائم.", Mode: "لأجل", Mails: "إرسال الوثيقة المختومة إلى العنوان في أول حقل من نوع البريد الإلكتروني", Base: "الحقول الأساسية", BaseHint: "نصوص اختيارية بلا تفاصيل: مفتاح في كل سطر.", Placement: "مكان الرمز", DefaultPlace: "المكان المعتاد",
	Fields: "الحقول", Key: "المفتاح", Label: "التسمية", NamedHint: "تظهر تسمية نوع الوثيقة:", FieldType: "النوع", Max: "أقصى عدد للأحرف", Required: "إلزامي", InPayload: "موقّع في الرمز", Signed: "في الرمز", Up: "إلى أعلى", Down: "إلى أسفل", Remove: "إزالة", Add: "إضافة حقل", Refresh: "تحديث المعاينة",
	Preview: "معاينة", PreviewText: "ما تعرضه وثيقة من هذا القالب، مع أمثلة.", TextExample: "نص",
	New:        map[string]string{"trust": "قالب Trust جديد", "tdoc": "قالب TDoc جديد"},
	Scopes:     map[string]string{"first": "الصفحة الأولى", "last": "الصفحة الأخيرة", "all": "كل الصفحات", "odd": "الصفحات الفردية", "even": "الصفحات الزوجية"},
	Modes:      map[string]string{"tcode": "الأختام", "trust": "وثائق Trust", "trust_tcode": "كلاهما"},
	FieldTypes: map[string]string{"text": "نص", "date": "تاريخ", "number": "رقم", "email": "عنوان بريد إلكتروني", "url": "عنوان ويب"},
	Done:       map[string]string{"saved": "حُفظ القالب.", "archived": "أُرشف القالب.", "restored": "يمكن استخدام القالب من جديد."},
}
