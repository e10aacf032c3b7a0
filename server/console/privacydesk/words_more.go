package privacydesk

import "tcode/server/privacy"

var french = texts{
	Privacy: "Confidentialité", PrivacyText: "Combien de temps les données sont gardées, ce qui est effacé, et une copie de tout ce que votre organisation a ici.",
	Times: "Durée de conservation", SweptAt: "Dernier nettoyage :", NeverSwept: "Le premier nettoyage a lieu dans l’heure.", WrongTimes: "Certaines durées ne sont pas possibles. Rien n’a été changé.",
	Kind: "Données", Kept: "Gardées", Default: "Par défaut", Removed: "Dernier retrait", Nothing: "encore rien", Fixed: "fixe", Unit: "jours", Forever: "toujours", SweepText: "Chaque heure, la passerelle supprime ce qui est plus ancien.",
	Days: "%d jours", OneDay: "1 jour", Range: "De %d à %d jours", FromTo: "%s, désormais %s", FilesOf: "Fichiers : %d",
	ShortenAsk: "Garder des données moins longtemps ?", ShortenText: "Ce qui est plus ancien est supprimé dans l’heure, définitivement.", TypeTenant: "Pour confirmer, tapez la référence de votre organisation :", Shorten: "Garder moins longtemps", Mistyped: "Ce n’est pas ce qu’il faut taper.",
	Backups:    "Les sauvegardes faites avant, et les copies que d’autres ont, restent telles quelles.",
	EraseTitle: "Effacer un document", EraseText: "Les fichiers et données personnelles d’un tampon ou d’un document Trust disparaissent. Son émission reste vérifiable.",
	Reference: "Référence", ReferenceHint: "TRF-… ou TCR-…. L’écran de chaque tampon et document mène aussi ici.", Find: "Trouver", NoReference: "Ce n’est pas une référence.", NoRecord: "Votre organisation n’a pas ce tampon ou ce document.",
	Erasures: "Derniers effacements", NoErasures: "Rien n’a encore été effacé.", Record: "Élément", By: "Par", Why: "Motif", State: "État", Erased: "effacé", Erasing: "en cours",
	EraseAsk: "Effacer les fichiers et données personnelles ?", Test: "Test", WithStamp: "avec son tampon", NotNow: "L’effacement n’est pas possible maintenant.",
	Goes: "Ceci disparaît pour toujours", GoesText: "Fichiers, nom, destinataire, champs, identifiant externe, motifs des changements, e-mail, notes des lectures, et fichiers du lot dont il provient.",
	Stays: "Ceci reste", StaysText: "Référence, empreinte, signature et statut : la passerelle et les lecteurs répondent comme avant, et la page publique dit « effacé par l’émetteur ».",
	Except: "L’exception", NeedReason: "Choisissez un motif.", ReasonHint: "Le journal d’audit le garde, avec votre nom. Il vient donc d’une liste et ne nomme personne.", TypeReference: "Pour confirmer, tapez la référence :", Erase: "Effacer",
	ExportTitle: "Tout exporter", ExportText: "Une archive ZIP avec toutes les lignes et tous les fichiers de votre organisation, un mode d’emploi et un sommaire. Sans les clés ni les mots de passe.",
	ExportWay: "L’archive est faite pendant que votre navigateur la charge, et il montre l’avancement. La passerelle n’en garde pas de copie : rien n’est à supprimer ici.", Export: "Exporter", Exports: "Derniers exports", NoExports: "Rien n’a encore été exporté.",
	Kinds: map[privacy.Kind]kindWords{
		privacy.History: {"Vérifications", "Qui a vérifié un document, et quand ; dès la vérification"}, privacy.Scans: {"Lectures", "Ce que les appareils ont envoyé ; dès l’arrivée"},
		privacy.Locations: {"Lieux et notes", "Des lectures et vérifications ; dès l’arrivée"}, privacy.Mails: {"E-mails", "Avec l’adresse du destinataire ; dès leur création"},
		privacy.Uploads: {"Fichiers des lots", "CSV, ZIP et lignes ; dès la fin du lot"}, privacy.Originals: {"PDF d’origine", "Tels qu’envoyés ; dès l’émission"},
		privacy.Stamped: {"PDF tamponnés", "Avec symboles et contenus à télécharger ; dès l’émission"}, privacy.Answers: {"Réponses aux requêtes répétées", "Pour une Idempotency-Key ; dès la réponse"},
		privacy.Deliveries: {"Livraisons de webhooks", "Dès leur fin"},
	},
	Reasons: map[privacy.Reason]string{
		privacy.Asked: "La personne le demande", privacy.Unneeded: "Les données ne sont plus nécessaires", privacy.Withdrawn: "La personne a retiré son consentement", privacy.Mistaken: "Les données n’auraient pas dû être recueillies", privacy.Obliged: "Une loi ou un tribunal l’exige",
	},
	Done: map[string]string{"kept": "Les durées sont enregistrées."},
}

var spanish = texts{
	Privacy: "Privacidad", PrivacyText: "Cuánto tiempo se guardan los datos, qué se borra y una copia de todo lo que su organización tiene aquí.",
	Times: "Cuánto se guardan los datos", SweptAt: "Última limpieza:", NeverSwept: "La primera limpieza llega en menos de una hora.", WrongTimes: "Algunos plazos no son posibles. No se cambió nada.",
	Kind: "Datos", Kept: "Se guardan", Default: "Por defecto", Removed: "Última retirada", Nothing: "nada aún", Fixed: "fijo", Unit: "días", Forever: "siempre", SweepText: "Cada hora la pasarela elimina lo que es más antiguo.",
	Days: "%d días", OneDay: "1 día", Range: "De %d a %d días", FromTo: "%s, desde ahora %s", FilesOf: "Archivos: %d",
	ShortenAsk: "¿Guardar datos menos tiempo?", ShortenText: "Lo más antiguo se elimina en menos de una hora, para siempre.", TypeTenant: "Para confirmar, escriba la referencia de su organización:", Shorten: "Guardar menos tiempo", Mistyped: "No es lo que hay que escribir.",
	Backups:    "Las copias de seguridad anteriores y las copias que otros tienen quedan como están.",
	EraseTitle: "Borrar un documento", EraseText: "Desaparecen los archivos y datos personales de un sello o documento Trust. Que se emitió se puede seguir verificando.",
	Reference: "Referencia", ReferenceHint: "TRF-… o TCR-…. La pantalla de cada sello y documento también lleva aquí.", Find: "Buscar", NoReference: "No es una referencia.", NoRecord: "Su organización no tiene ese sello o documento.",
	Erasures: "Últimos borrados", NoErasures: "Aún no se ha borrado nada.", Record: "Registro", By: "Por", Why: "Motivo", State: "Estado", Erased: "borrado", Erasing: "en curso",
	EraseAsk: "¿Borrar archivos y datos personales?", Test: "Prueba", WithStamp: "con su sello", NotNow: "Ahora no se puede borrar.",
	Goes: "Esto desaparece para siempre", GoesText: "Archivos, nombre, destinatario, campos, identificador externo, motivos de cambios, correo, notas de lecturas y los archivos del lote del que procede.",
	Stays: "Esto queda", StaysText: "Referencia, hash, firma y estado: la pasarela y los lectores responden igual, y la página pública dice «borrado por el emisor».",
	Except: "La excepción", NeedReason: "Elija un motivo.", ReasonHint: "El registro de auditoría lo guarda, con su nombre. Por eso viene de una lista y no nombra a nadie.", TypeReference: "Para confirmar, escriba la referencia:", Erase: "Borrar",
	ExportTitle: "Exportar todo", ExportText: "Un archivo ZIP con todas las filas y archivos de su organización, una guía y un índice. Sin claves ni contraseñas.",
	ExportWay: "El archivo se hace mientras su navegador lo descarga, y este muestra el avance. La pasarela no guarda copia: aquí no hay nada que eliminar.", Export: "Exportar", Exports: "Últimas exportaciones", NoExports: "Aún no se ha exportado nada.",
	Kinds: map[privacy.Kind]kindWords{
		privacy.History: {"Verificaciones", "Quién verificó un documento y cuándo; desde la verificación"}, privacy.Scans: {"Lecturas", "Lo que enviaron los dispositivos; desde su llegada"},
		privacy.Locations: {"Lugares y notas", "De lecturas y verificaciones; desde su llegada"}, privacy.Mails: {"Correos", "Con la dirección del destinatario; desde su creación"},
		privacy.Uploads: {"Archivos de lotes", "CSV, ZIP y filas; desde el fin del lote"}, privacy.Originals: {"PDF originales", "Tal como se enviaron; desde la emisión"},
		privacy.Stamped: {"PDF sellados", "Con símbolos y contenidos para descargar; desde la emisión"}, privacy.Answers: {"Respuestas a peticiones repetidas", "De una Idempotency-Key; desde la respuesta"},
		privacy.Deliveries: {"Entregas de webhooks", "Desde su fin"},
	},
	Reasons: map[privacy.Reason]string{
		privacy.Asked: "La persona lo pide", privacy.Unneeded: "Los datos ya no se necesitan", privacy.Withdrawn: "La persona retiró su consentimiento", privacy.Mistaken: "Los datos no debieron recogerse", privacy.Obliged: "Lo exige una ley o un tribunal",
	},
	Done: map[string]string{"kept": "Los plazos están guardados."},
}

var arabic = texts{
	Privacy: "الخصوصية", PrivacyText: "مدة حفظ البيانات، وما يُمحى، ونسخة من كل ما لدى جهتك هنا.",
	Times: "مدة حفظ البيانات", SweptAt: "آخر تنظيف:", NeverSwept: "يأتي أول تنظيف خلال ساعة.", WrongTimes: "بعض المدد غير ممكن. لم يتغير شيء.",
	Kind: "البيانات", Kept: "تُحفظ", Default: "الافتراضي", Removed: "آخر إزالة", Nothing: "لا شيء بعد", Fixed: "ثابتة", Unit: "يوم", Forever: "دائمًا", SweepText: "تحذف البوابة كل ساعة ما هو أقدم.",
	Days: "%d يومًا", OneDay: "يوم واحد", Range: "من %d إلى %d يومًا", FromTo: "%s، ومن الآن %s", FilesOf: "الملفات: %d",
	ShortenAsk: "حفظ البيانات مدة أقصر؟", ShortenText: "يُحذف ما هو أقدم خلال ساعة، نهائيًا.", TypeTenant: "للتأكيد اكتب مرجع جهتك:", Shorten: "حفظ مدة أقصر", Mistyped: "ليس هذا ما يجب كتابته.",
	Backups:    "تبقى النسخ الاحتياطية السابقة والنسخ التي لدى الآخرين كما هي.",
	EraseTitle: "محو وثيقة", EraseText: "تزول ملفات ختم أو وثيقة Trust وبياناتها الشخصية. ويبقى إصدارها قابلًا للتحقق.",
	Reference: "المرجع", ReferenceHint: "TRF-… أو TCR-…. وتقود صفحة كل ختم ووثيقة إلى هنا أيضًا.", Find: "بحث", NoReference: "هذا ليس مرجعًا.", NoRecord: "ليس لدى جهتك ختم أو وثيقة كهذه.",
	Erasures: "آخر عمليات المحو", NoErasures: "لم يُمح شيء بعد.", Record: "السجل", By: "بواسطة", Why: "السبب", State: "الحالة", Erased: "مُحي", Erasing: "جارٍ",
	EraseAsk: "محو الملفات والبيانات الشخصية؟", Test: "تجربة", WithStamp: "مع ختمها", NotNow: "لا يمكن المحو الآن.",
	Goes: "هذا يزول إلى الأبد", GoesText: "الملفات والاسم والمستلم والحقول والمعرّف الخارجي وأسباب التغييرات والبريد وملاحظات المسح وملفات المهمة الجماعية التي أنشأته.",
	Stays: "هذا يبقى", StaysText: "المرجع والبصمة والتوقيع والحالة: تجيب البوابة وأجهزة المسح كما قبل، وتقول الصفحة العامة إن الجهة المصدرة محته.",
	Except: "الاستثناء", NeedReason: "اختر سببًا.", ReasonHint: "يحفظه سجل التدقيق مع اسمك. لذلك يأتي من قائمة ولا يسمّي أحدًا.", TypeReference: "للتأكيد اكتب المرجع:", Erase: "محو",
	ExportTitle: "تصدير كل شيء", ExportText: "أرشيف ZIP واحد فيه كل صفوف جهتك وملفاتها، ودليل وفهرس. من دون المفاتيح وكلمات المرور.",
	ExportWay: "يُصنع الأرشيف أثناء تحميله في متصفحك، والمتصفح يُظهر التقدم. لا تحفظ البوابة نسخة، فلا شيء يُحذف هنا.", Export: "تصدير", Exports: "آخر عمليات التصدير", NoExports: "لم يُصدّر شيء بعد.",
	Kinds: map[privacy.Kind]kindWords{
		privacy.History: {"عمليات التحقق", "من تحقق من وثيقة ومتى؛ منذ التحقق"}, privacy.Scans: {"عمليات المسح", "ما أرسلته الأجهزة؛ منذ وصوله"},
		privacy.Locations: {"الأماكن والملاحظات", "لعمليات المسح والتحقق؛ منذ وصولها"}, privacy.Mails: {"رسائل البريد", "مع عنوان المستلم؛ منذ إنشائها"},
		privacy.Uploads: {"ملفات المهام الجماعية", "CSV وZIP والصفوف؛ منذ نهاية المهمة"}, privacy.Originals: {"ملفات PDF الأصلية", "كما أُرسلت؛ منذ الإصدار"},
		privacy.Stamped: {"ملفات PDF المختومة", "مع الرموز ومحتوياتها للتنزيل؛ منذ الإصدار"}, privacy.Answers: {"أجوبة الطلبات المكررة", "لمفتاح Idempotency-Key؛ منذ الجواب"},
		privacy.Deliveries: {"تسليمات Webhooks", "منذ انتهائها"},
	},
	Reasons: map[privacy.Reason]string{
		privacy.Asked: "طلبه الشخص", privacy.Unneeded: "لم تعد البيانات لازمة", privacy.Withdrawn: "سحب الشخص موافقته", privacy.Mistaken: "ما كان ينبغي أخذ البيانات", privacy.Obliged: "يوجبه قانون أو محكمة",
	},
	Done: map[string]string{"kept": "حُفظت المدد."},
}
