package frame

import (
	"tcode/server/account"
	"tcode/server/tenant"
)

var english = Words{
	Language: "en", Direction: "ltr", Name: "English",
	Console: "TCode console", Platform: "Platform", ToContent: "To the content", LanguageLabel: "Language", Change: "Change", Home: "To the console",
	Find: "Find a reference, a name or an external id", Sessions: "Your sessions", SignOut: "Sign out", Cancel: "Cancel",
	TooMany: "Too many tries from here, or with this address.",
	Search:  "Search", Filter: "Filter", Clear: "Clear", Next: "Next", Previous: "Previous", Copy: "Copy", Copied: "Copied", Save: "Save", Create: "Create", Close: "Close", Yes: "Yes", No: "No", Never: "never", Reason: "Reason", Confirm: "Type %s to confirm",
	LeftEnds: "Ends with it:", LeftStays: "It made this, which stays until it is ended by itself:",
	Left:        map[tenant.LeftKind]string{tenant.LeftBulkJob: "bulk job", tenant.LeftOrder: "order", tenant.LeftKey: "API key", tenant.LeftWebhook: "webhook", tenant.LeftUser: "person"},
	Roles:       map[account.Role]string{account.Owner: "owner", account.Issuer: "issuer", account.Viewer: "viewer", account.Operator: "operator"},
	NotFound:    Note{"There is nothing here", "The address is wrong, or the page has moved."},
	NotAllowed:  Note{"You may not see this", "Your role does not permit it. An owner can change your role."},
	OtherOrigin: Note{"Refused: sent by another site", "Nothing was changed. Open the console itself and try again there."},
	Suspended:   Note{"Your organisation is suspended", "Nothing can be issued or changed until the operator of this gateway activates it again."},
	Failed:      Note{"The gateway cannot answer now", "Nothing was changed. Try again in a minute."},
	TooLarge:    Note{"This is too large", "Nothing was changed. Send it in smaller parts."},
}

var german = Words{
	Language: "de", Direction: "ltr", Name: "Deutsch",
	Console: "TCode-Konsole", Platform: "Plattform", ToContent: "Zum Inhalt", LanguageLabel: "Sprache", Change: "Ändern", Home: "Zur Konsole",
	Find: "Referenz, Name oder externe Kennung finden", Sessions: "Ihre Sitzungen", SignOut: "Abmelden", Cancel: "Abbrechen",
	TooMany: "Zu viele Versuche von hier oder mit dieser Adresse.",
	Search:  "Suchen", Filter: "Filtern", Clear: "Zurücksetzen", Next: "Weiter", Previous: "Zurück", Copy: "Kopieren", Copied: "Kopiert", Save: "Speichern", Create: "Anlegen", Close: "Schließen", Yes: "Ja", No: "Nein", Never: "nie", Reason: "Grund", Confirm: "Zum Bestätigen %s eintippen",
	LeftEnds: "Endet damit:", LeftStays: "Davon angelegt, und bleibt, bis es selbst beendet wird:",
	Left:        map[tenant.LeftKind]string{tenant.LeftBulkJob: "Sammelauftrag", tenant.LeftOrder: "Auftrag", tenant.LeftKey: "API-Schlüssel", tenant.LeftWebhook: "Webhook", tenant.LeftUser: "Person"},
	Roles:       map[account.Role]string{account.Owner: "Inhaber", account.Issuer: "Aussteller", account.Viewer: "Betrachter", account.Operator: "Betreiber"},
	NotFound:    Note{"Hier ist nichts", "Die Adresse ist falsch, oder die Seite ist umgezogen."},
	NotAllowed:  Note{"Das dürfen Sie nicht sehen", "Ihre Rolle erlaubt es nicht. Ein Inhaber kann Ihre Rolle ändern."},
	OtherOrigin: Note{"Abgelehnt: von einer anderen Website gesendet", "Nichts wurde geändert. Öffnen Sie die Konsole selbst und versuchen Sie es dort noch einmal."},
	Suspended:   Note{"Ihre Organisation ist gesperrt", "Bis der Betreiber dieses Gateways sie freigibt, kann nichts ausgestellt oder geändert werden."},
	Failed:      Note{"Das Gateway kann gerade nicht antworten", "Nichts wurde geändert. Versuchen Sie es in einer Minute noch einmal."},
	TooLarge:    Note{"Das ist zu groß", "Nichts wurde geändert. Senden Sie weniger auf einmal."},
}

var french = Words{
	Language: "fr", Direction: "ltr", Name: "Français",
	Console: "Console TCode", Platform: "Plateforme", ToContent: "Aller au contenu", LanguageLabel: "Langue", Change: "Changer", Home: "Vers la console",
	Find: "Trouver une référence, un nom ou un identifiant externe", Sessions: "Vos sessions", SignOut: "Se déconnecter", Cancel: "Annuler",
	TooMany: "Trop d’essais depuis cet endroit ou avec cette adresse.",
	Search:  "Chercher", Filter: "Filtrer", Clear: "Effacer", Next: "Suivant", Previous: "Précédent", Copy: "Copier", Copied: "Copié", Save: "Enregistrer", Create: "Créer", Close: "Fermer", Yes: "Oui", No: "Non", Never: "jamais", Reason: "Motif", Confirm: "Tapez %s pour confirmer",
	LeftEnds: "S’arrête en même temps :", LeftStays: "Créé ainsi, et reste jusqu’à ce qu’on y mette fin :",
	Left:        map[tenant.LeftKind]string{tenant.LeftBulkJob: "traitement groupé", tenant.LeftOrder: "ordre", tenant.LeftKey: "clé d’API", tenant.LeftWebhook: "webhook", tenant.LeftUser: "personne"},
	Roles:       map[account.Role]string{account.Owner: "propriétaire", account.Issuer: "émetteur", account.Viewer: "lecteur", account.Operator: "exploitant"},
	NotFound:    Note{"Il n’y a rien ici", "L’adresse est fausse, ou la page a été déplacée."},
	NotAllowed:  Note{"Vous ne pouvez pas voir ceci", "Votre rôle ne le permet pas. Un propriétaire peut changer votre rôle."},
	OtherOrigin: Note{"Refusé : envoyé par un autre site", "Rien n’a été changé. Ouvrez la console elle-même et réessayez là."},
	Suspended:   Note{"Votre organisation est suspendue", "Rien ne peut être émis ni changé avant que l’exploitant de cette passerelle la réactive."},
	Failed:      Note{"La passerelle ne peut pas répondre", "Rien n’a été changé. Réessayez dans une minute."},
	TooLarge:    Note{"C’est trop grand", "Rien n’a été changé. Envoyez moins à la fois."},
}

var spanish = Words{
	Language: "es", Direction: "ltr", Name: "Español",
	Console: "Consola de TCode", Platform: "Plataforma", ToContent: "Ir al contenido", LanguageLabel: "Idioma", Change: "Cambiar", Home: "A la consola",
	Find: "Buscar una referencia, un nombre o un identificador externo", Sessions: "Sus sesiones", SignOut: "Cerrar sesión", Cancel: "Cancelar",
	TooMany: "Demasiados intentos desde aquí o con esta dirección.",
	Search:  "Buscar", Filter: "Filtrar", Clear: "Borrar", Next: "Siguiente", Previous: "Anterior", Copy: "Copiar", Copied: "Copiado", Save: "Guardar", Create: "Crear", Close: "Cerrar", Yes: "Sí", No: "No", Never: "nunca", Reason: "Motivo", Confirm: "Escriba %s para confirmar",
	LeftEnds: "Termina a la vez:", LeftStays: "Creado así, y queda hasta que se termine aparte:",
	Left:        map[tenant.LeftKind]string{tenant.LeftBulkJob: "trabajo por lotes", tenant.LeftOrder: "orden", tenant.LeftKey: "clave de API", tenant.LeftWebhook: "webhook", tenant.LeftUser: "persona"},
	Roles:       map[account.Role]string{account.Owner: "propietario", account.Issuer: "emisor", account.Viewer: "lector", account.Operator: "operador"},
	NotFound:    Note{"Aquí no hay nada", "La dirección es incorrecta o la página se ha movido."},
	NotAllowed:  Note{"No puede ver esto", "Su papel no lo permite. Un propietario puede cambiarlo."},
	OtherOrigin: Note{"Rechazado: enviado por otro sitio", "No se ha cambiado nada. Abra la propia consola e inténtelo allí de nuevo."},
	Suspended:   Note{"Su organización está suspendida", "No se puede emitir ni cambiar nada hasta que el operador de esta pasarela la reactive."},
	Failed:      Note{"La pasarela no puede responder ahora", "No se ha cambiado nada. Inténtelo de nuevo en un minuto."},
	TooLarge:    Note{"Es demasiado grande", "No se ha cambiado nada. Envíe menos de una vez."},
}

var arabic = Words{
	Language: "ar", Direction: "rtl", Name: "العربية",
	Console: "لوحة تحكم TCode", Platform: "المنصة", ToContent: "إلى المحتوى", LanguageLabel: "اللغة", Change: "تغيير", Home: "إلى لوحة التحكم",
	Find: "ابحث عن مرجع أو اسم أو معرّف خارجي", Sessions: "جلساتك", SignOut: "تسجيل الخروج", Cancel: "إلغاء",
	TooMany: "محاولات كثيرة جدًا من هنا أو بهذا العنوان.",
	Search:  "بحث", Filter: "تصفية", Clear: "مسح", Next: "التالي", Previous: "السابق", Copy: "نسخ", Copied: "تم النسخ", Save: "حفظ", Create: "إنشاء", Close: "إغلاق", Yes: "نعم", No: "لا", Never: "أبدًا", Reason: "السبب", Confirm: "اكتب %s للتأكيد",
	LeftEnds: "ينتهي معه:", LeftStays: "أُنشئ به ويبقى إلى أن يُنهى على حدة:",
	Left:        map[tenant.LeftKind]string{tenant.LeftBulkJob: "مهمة مجمّعة", tenant.LeftOrder: "أمر", tenant.LeftKey: "مفتاح API", tenant.LeftWebhook: "webhook", tenant.LeftUser: "شخص"},
	Roles:       map[account.Role]string{account.Owner: "مالك", account.Issuer: "مُصدِر", account.Viewer: "مُطّلع", account.Operator: "مشغّل"},
	NotFound:    Note{"لا يوجد شيء هنا", "العنوان غير صحيح أو نُقلت الصفحة."},
	NotAllowed:  Note{"لا يمكنك رؤية هذا", "دورك لا يسمح بذلك. يمكن للمالك تغيير دورك."},
	OtherOrigin: Note{"مرفوض: أرسله موقع آخر", "لم يتغير شيء. افتح لوحة التحكم نفسها وحاول هناك مرة أخرى."},
	Suspended:   Note{"جهتك موقوفة", "لا يمكن إصدار شيء أو تغييره حتى يعيد مشغّل هذه البوابة تفعيلها."},
	Failed:      Note{"لا تستطيع البوابة الإجابة الآن", "لم يتغير شيء. حاول مرة أخرى بعد دقيقة."},
	TooLarge:    Note{"هذا كبير جدًا", "لم يتغير شيء. أرسل أقل في المرة الواحدة."},
}
