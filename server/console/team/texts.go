package team

import (
	"tcode/server/account"
	"tcode/server/console/frame"
)

// texts are the words of the screens in one language.
type texts struct {
	Title, Text, Person, Role, State, Factor, LastSignIn, You string
	App, Passkey, Provider                                    string
	Invite, InviteNow, Email, Name, RoleHint                  string
	ByHand, ByHandText                                        string

	ChangeRole, ChangeRoleText, Resend, ResendText, Reset, ResetText, Disable, DisableText, Remove, RemoveText, ConfirmLabel string

	Confirm, TooMany, LastOwner, Known, Already, Invalid string // TooMany with %d

	States map[account.State]string
	Done   map[string]string
}

var words = frame.Lexicon[texts]{
	"en": {
		Title: "Team", Text: "The people who may sign in for your organisation.",
		Person: "Person", Role: "Role",
		State: "State", Factor: "Second factor",
		LastSignIn: "Last sign-in", You: "you",
		App: "app", Passkey: "passkeys",
		Provider: "single sign-on", Invite: "Invite a person",
		InviteNow: "Send the invitation", Email: "E-mail",
		Name: "Name, optional", RoleHint: "Viewers read. Issuers also issue and revoke. Owners also manage keys, webhooks and people.",
		ByHand: "Give this link to", ByHandText: "It is shown only once and works once, until",
		ChangeRole: "Change the role", ChangeRoleText: "The person is signed out everywhere.",
		Resend: "Send the invitation again", ResendText: "The link before stops working.",
		Reset: "Reset", ResetText: "Ends all sessions and removes password, second factor and passkeys. The person gets a new link.",
		Disable: "Disable", DisableText: "Ends all sessions immediately. The person cannot sign in until a reset.",
		Remove: "Remove", RemoveText: "Deletes the person’s account here, with password, passkeys and sessions. Documents and the audit log stay.",
		ConfirmLabel: "To confirm, type", Confirm: "Type the address of the person to confirm.",
		TooMany: "Your organisation has sent %d invitations in a day. Go on tomorrow.", LastOwner: "Your organisation must keep an owner who can sign in. Make another person an owner first.",
		Known: "This address is in your team already.", Already: "The person is in this state already.",
		Invalid: "Check the address, the name and the role.",
		States:  map[account.State]string{account.Invited: "invited", account.Active: "active", account.Disabled: "disabled"},
		Done:    map[string]string{"sent": "The invitation was sent.", "role": "The role was changed.", "disabled": "The person was disabled.", "removed": "The person was removed."},
	},
	"de": {
		Title: "Team", Text: "Die Personen, die sich für Ihre Organisation anmelden dürfen.",
		Person: "Person", Role: "Rolle",
		State: "Zustand", Factor: "Zweiter Faktor",
		LastSignIn: "Letzte Anmeldung", You: "Sie",
		App: "App", Passkey: "Passkeys",
		Provider: "Single Sign-on", Invite: "Eine Person einladen",
		InviteNow: "Einladung senden", Email: "E-Mail",
		Name: "Name, freiwillig", RoleHint: "Betrachter lesen. Aussteller können auch ausstellen und widerrufen. Inhaber verwalten auch Schlüssel, Webhooks und Personen.",
		ByHand: "Geben Sie diesen Link an", ByHandText: "Er wird nur einmal gezeigt und gilt einmal, bis",
		ChangeRole: "Rolle ändern", ChangeRoleText: "Die Person wird überall abgemeldet.",
		Resend: "Einladung noch einmal senden", ResendText: "Der Link davor gilt dann nicht mehr.",
		Reset: "Zurücksetzen", ResetText: "Beendet alle Sitzungen und entfernt Passwort, zweiten Faktor und Passkeys. Die Person bekommt einen neuen Link.",
		Disable: "Sperren", DisableText: "Beendet sofort alle Sitzungen. Die Person kann sich erst nach dem Zurücksetzen wieder anmelden.",
		Remove: "Entfernen", RemoveText: "Löscht das Konto der Person hier, mit Passwort, Passkeys und Sitzungen. Dokumente und Protokoll bleiben.",
		ConfirmLabel: "Zur Bestätigung eingeben:", Confirm: "Geben Sie zur Bestätigung die Adresse der Person ein.",
		TooMany: "Ihre Organisation hat an einem Tag %d Einladungen gesendet. Machen Sie morgen weiter.", LastOwner: "Ihre Organisation braucht einen Inhaber, der sich anmelden kann. Machen Sie zuerst eine andere Person zum Inhaber.",
		Known: "Diese Adresse ist schon in Ihrem Team.", Already: "Die Person ist schon in diesem Zustand.",
		Invalid: "Prüfen Sie Adresse, Name und Rolle.",
		States:  map[account.State]string{account.Invited: "eingeladen", account.Active: "aktiv", account.Disabled: "gesperrt"},
		Done:    map[string]string{"sent": "Die Einladung wurde gesendet.", "role": "Die Rolle wurde geändert.", "disabled": "Die Person wurde gesperrt.", "removed": "Die Person wurde entfernt."},
	},
	"fr": {
		Title: "Équipe", Text: "Les personnes qui peuvent se connecter pour votre organisation.",
		Person: "Personne", Role: "Rôle",
		State: "État", Factor: "Second facteur",
		LastSignIn: "Dernière connexion", You: "vous",
		App: "application", Passkey: "clés d’accès",
		Provider: "authentification unique", Invite: "Inviter une personne",
		InviteNow: "Envoyer l’invitation", Email: "E-mail",
		Name: "Nom, facultatif", RoleHint: "Les lecteurs lisent. Les émetteurs peuvent aussi émettre et révoquer. Les propriétaires gèrent aussi les clés, les webhooks et les personnes.",
		ByHand: "Donnez ce lien à", ByHandText: "Il n’est affiché qu’une fois et sert une fois, jusqu’au",
		ChangeRole: "Changer le rôle", ChangeRoleText: "La personne est déconnectée partout.",
		Resend: "Envoyer de nouveau l’invitation", ResendText: "Le lien précédent ne fonctionne plus.",
		Reset: "Réinitialiser", ResetText: "Ferme toutes les sessions et retire mot de passe, second facteur et clés d’accès. La personne reçoit un nouveau lien.",
		Disable: "Désactiver", DisableText: "Ferme toutes les sessions aussitôt. La personne ne peut plus se connecter avant une réinitialisation.",
		Remove: "Retirer", RemoveText: "Supprime ici le compte de la personne, avec mot de passe, clés d’accès et sessions. Les documents et le journal restent.",
		ConfirmLabel: "Pour confirmer, tapez", Confirm: "Tapez l’adresse de la personne pour confirmer.",
		TooMany: "Votre organisation a envoyé %d invitations en un jour. Continuez demain.", LastOwner: "Votre organisation doit garder un propriétaire qui peut se connecter. Nommez d’abord une autre personne propriétaire.",
		Known: "Cette adresse est déjà dans votre équipe.", Already: "La personne est déjà dans cet état.",
		Invalid: "Vérifiez l’adresse, le nom et le rôle.",
		States:  map[account.State]string{account.Invited: "invitée", account.Active: "active", account.Disabled: "désactivée"},
		Done:    map[string]string{"sent": "L’invitation a été envoyée.", "role": "Le rôle a été changé.", "disabled": "La personne a été désactivée.", "removed": "La personne a été retirée."},
	},
	"es": {
		Title: "Equipo", Text: "Las personas que pueden iniciar sesión para su organización.",
		Person: "Persona", Role: "Papel",
		State: "Estado", Factor: "Segundo factor",
		LastSignIn: "Último inicio de sesión", You: "usted",
		App: "aplicación", Passkey: "llaves de acceso",
		Provider: "inicio de sesión único", Invite: "Invitar a una persona",
		InviteNow: "Enviar la invitación", Email: "Correo electrónico",
		Name: "Nombre, opcional", RoleHint: "Los lectores leen. Los emisores también emiten y revocan. Los propietarios también gestionan claves, webhooks y personas.",
		ByHand: "Dé este enlace a", ByHandText: "Se muestra una sola vez y sirve una vez, hasta",
		ChangeRole: "Cambiar el papel", ChangeRoleText: "Se cierran todas las sesiones de la persona.",
		Resend: "Enviar de nuevo la invitación", ResendText: "El enlace anterior deja de funcionar.",
		Reset: "Restablecer", ResetText: "Cierra todas las sesiones y quita contraseña, segundo factor y llaves de acceso. La persona recibe un enlace nuevo.",
		Disable: "Desactivar", DisableText: "Cierra todas las sesiones al momento. La persona no puede iniciar sesión hasta que se restablezca.",
		Remove: "Quitar", RemoveText: "Borra aquí la cuenta de la persona, con contraseña, llaves de acceso y sesiones. Los documentos y el registro permanecen.",
		ConfirmLabel: "Para confirmar, escriba", Confirm: "Escriba la dirección de la persona para confirmar.",
		TooMany: "Su organización ha enviado %d invitaciones en un día. Continúe mañana.", LastOwner: "Su organización debe conservar un propietario que pueda iniciar sesión. Nombre antes propietaria a otra persona.",
		Known: "Esta dirección ya está en su equipo.", Already: "La persona ya está en ese estado.",
		Invalid: "Revise la dirección, el nombre y el papel.",
		States:  map[account.State]string{account.Invited: "invitada", account.Active: "activa", account.Disabled: "desactivada"},
		Done:    map[string]string{"sent": "La invitación se ha enviado.", "role": "El papel se ha cambiado.", "disabled": "La persona se ha desactivado.", "removed": "La persona se ha quitado."},
	},
	"ar": {
		Title: "الفريق", Text: "الأشخاص الذين يمكنهم تسجيل الدخول باسم جهتك.",
		Person: "الشخص", Role: "الدور",
		State: "الحالة", Factor: "العامل الثاني",
		LastSignIn: "آخر دخول", You: "أنت",
		App: "تطبيق", Passkey: "مفاتيح مرور",
		Provider: "الدخول الموحّد", Invite: "دعوة شخص",
		InviteNow: "إرسال الدعوة", Email: "البريد الإلكتروني",
		Name: "الاسم، اختياري", RoleHint: "المُطّلع يقرأ. والمُصدِر يُصدر ويلغي أيضًا. والمالك يدير أيضًا المفاتيح وروابط webhook والأشخاص.",
		ByHand: "أعطِ هذا الرابط إلى", ByHandText: "يُعرض مرة واحدة فقط ويعمل مرة واحدة، حتى",
		ChangeRole: "تغيير الدور", ChangeRoleText: "تنتهي جلسات الشخص في كل مكان.",
		Resend: "إرسال الدعوة مرة أخرى", ResendText: "يتوقف الرابط السابق عن العمل.",
		Reset: "إعادة الضبط", ResetText: "تنهي كل الجلسات وتزيل كلمة المرور والعامل الثاني ومفاتيح المرور. ويحصل الشخص على رابط جديد.",
		Disable: "تعطيل", DisableText: "ينهي كل الجلسات فورًا. لا يستطيع الشخص الدخول حتى إعادة الضبط.",
		Remove: "إزالة", RemoveText: "تحذف حساب الشخص هنا مع كلمة المرور ومفاتيح المرور والجلسات. تبقى المستندات والسجل.",
		ConfirmLabel: "للتأكيد اكتب", Confirm: "اكتب عنوان الشخص للتأكيد.",
		TooMany: "أرسلت جهتك %d دعوة في يوم واحد. تابع غدًا.", LastOwner: "يجب أن يبقى لجهتك مالك يستطيع الدخول. اجعل شخصًا آخر مالكًا أولًا.",
		Known: "هذا العنوان في فريقك من قبل.", Already: "الشخص في هذه الحالة من قبل.",
		Invalid: "تحقق من العنوان والاسم والدور.",
		States:  map[account.State]string{account.Invited: "مدعو", account.Active: "نشط", account.Disabled: "معطّل"},
		Done:    map[string]string{"sent": "أُرسلت الدعوة.", "role": "تغيّر الدور.", "disabled": "عُطّل الشخص.", "removed": "أُزيل الشخص."},
	},
}
