package console

import "tcode/server/account"

// texts are the words of the screens in one language.
type texts struct {
	Language  string // BCP 47
	Direction string // of writing: ltr or rtl
	Name      string // of the language, in itself

	Console, Platform, ToContent, LanguageLabel, Change, Home string

	SignInTitle, SignInWho, Email, Password, SignIn, SignOut, Cancel, Forgotten, Wrong string
	WaitMinutes                                                                        string // with %d
	TooMany                                                                            string

	CodeTitle, CodeLabel, CodeHint, GoOn, WrongCode string

	Welcome, InvitedAs, GoodUntil, NewPassword, Again, PasswordRules, SavePassword, Weak, Differs string

	EnrolTitle, EnrolText, EnrolPicture, EnrolKey, SixDigits string
	RecoveryTitle, RecoveryText, RecoveryDone                string

	Overview, Account, Issuer, Role, Person, LastSignIn, Rights string
	Roles                                                       map[account.Role]string
	Actions                                                     map[account.Action]string

	Sessions, SessionsText, This, Began, LastUsed, Browser, Address, End string

	BadLink, NotFound, NotAllowed, OtherOrigin, Suspended, Failed note
}

// A note is a screen that says one thing.
type note struct{ Title, Text string }

// languages are the languages of the screens, as those of the public pages. The first one
// is the default.
var languages = []*texts{&english, &german, &french, &spanish, &arabic}

var english = texts{
	Language: "en", Direction: "ltr", Name: "English",
	Console: "TCode console", Platform: "Platform", ToContent: "To the content", LanguageLabel: "Language", Change: "Change", Home: "To the console",
	SignInTitle: "Sign in to the console", SignInWho: "For issuers and operators. To check a document you need no account.",
	Email: "E-mail", Password: "Password", SignIn: "Sign in", SignOut: "Sign out", Cancel: "Cancel",
	Forgotten: "Password or phone lost? The operator of this gateway can give you a new link.",
	Wrong:     "Address or password is wrong.", WaitMinutes: "Wait %d min", TooMany: "Too many tries from here, or with this address.",
	CodeTitle: "Code from your app", CodeLabel: "Six digits, or a recovery code", CodeHint: "The app shows a new code every 30 seconds. Each code works once.", GoOn: "Go on",
	WrongCode: "The code is wrong, or was used already.",
	Welcome:   "Welcome,", InvitedAs: "You are invited to the console as", GoodUntil: "The link is good until",
	NewPassword: "New password", Again: "The same once more", PasswordRules: "At least 12 characters, 6 of them different, without your address.", SavePassword: "Save the password",
	Weak: "Choose another password: this one is too short, too simple, or has your address in it.", Differs: "The two passwords differ.",
	EnrolTitle: "Set up your second factor", EnrolText: "Scan the picture with an authenticator app, then type the six digits that it shows.",
	EnrolPicture: "QR code for the authenticator app", EnrolKey: "No camera? Type this key into the app:", SixDigits: "Six digits",
	RecoveryTitle: "Keep these recovery codes", RecoveryText: "Each one works once, when the app is not at hand. They are not shown again.", RecoveryDone: "I have them: to the console",
	Overview: "Overview", Account: "Your account", Issuer: "Issuer", Role: "Role", Person: "Name", LastSignIn: "Signed in", Rights: "What you may do",
	Roles: map[account.Role]string{account.Owner: "owner", account.Issuer: "issuer", account.Viewer: "viewer", account.Operator: "operator"},
	Actions: map[account.Action]string{
		account.Self: "see and end your own sessions", account.See: "see documents, scans and usage", account.Issue: "issue, suspend, revoke and replace documents",
		account.Integrate: "manage API keys and webhooks", account.Manage: "manage users and signing keys", account.Audit: "read the audit log", account.Operate: "run the gateway: tenants, plans, keys",
	},
	Sessions: "Your sessions", SessionsText: "Every browser that is signed in as you. End one that you do not know, and ask the operator to reset your account.",
	This: "this one", Began: "Began", LastUsed: "Last used", Browser: "Browser", Address: "Address", End: "End",
	BadLink:     note{"This link does not work", "It was used, has expired or is not complete. Ask the person who gave it to you for a new one."},
	NotFound:    note{"There is nothing here", "The address is wrong, or the page has moved."},
	NotAllowed:  note{"You may not see this", "Your role does not permit it. An owner can change your role."},
	OtherOrigin: note{"Refused: sent by another site", "Nothing was changed. Open the console itself and try again there."},
	Suspended:   note{"Your organisation is suspended", "Nothing can be issued or changed until the operator of this gateway activates it again."},
	Failed:      note{"The gateway cannot answer now", "Nothing was changed. Try again in a minute."},
}

var german = texts{
	Language: "de", Direction: "ltr", Name: "Deutsch",
	Console: "TCode-Konsole", Platform: "Plattform", ToContent: "Zum Inhalt", LanguageLabel: "Sprache", Change: "Ändern", Home: "Zur Konsole",
	SignInTitle: "An der Konsole anmelden", SignInWho: "Für Aussteller und Betreiber. Zum Prüfen eines Dokuments braucht man kein Konto.",
	Email: "E-Mail", Password: "Passwort", SignIn: "Anmelden", SignOut: "Abmelden", Cancel: "Abbrechen",
	Forgotten: "Passwort oder Telefon verloren? Der Betreiber dieses Gateways kann Ihnen einen neuen Link geben.",
	Wrong:     "Adresse oder Passwort ist falsch.", WaitMinutes: "%d min warten", TooMany: "Zu viele Versuche von hier oder mit dieser Adresse.",
	CodeTitle: "Code aus Ihrer App", CodeLabel: "Sechs Ziffern oder ein Ersatzcode", CodeHint: "Die App zeigt alle 30 Sekunden einen neuen Code. Jeder gilt einmal.", GoOn: "Weiter",
	WrongCode: "Der Code ist falsch oder wurde schon benutzt.",
	Welcome:   "Willkommen,", InvitedAs: "Sie sind zur Konsole eingeladen als", GoodUntil: "Der Link gilt bis",
	NewPassword: "Neues Passwort", Again: "Noch einmal dasselbe", PasswordRules: "Mindestens 12 Zeichen, davon 6 verschiedene, ohne Ihre Adresse.", SavePassword: "Passwort speichern",
	Weak: "Wählen Sie ein anderes Passwort: Dieses ist zu kurz, zu einfach oder enthält Ihre Adresse.", Differs: "Die beiden Passwörter sind verschieden.",
	EnrolTitle: "Zweiten Faktor einrichten", EnrolText: "Scannen Sie das Bild mit einer Authenticator-App und geben Sie die sechs Ziffern ein, die sie zeigt.",
	EnrolPicture: "QR-Code für die Authenticator-App", EnrolKey: "Keine Kamera? Geben Sie diesen Schlüssel in die App ein:", SixDigits: "Sechs Ziffern",
	RecoveryTitle: "Bewahren Sie diese Ersatzcodes auf", RecoveryText: "Jeder gilt einmal, wenn die App nicht zur Hand ist. Sie werden nicht wieder gezeigt.", RecoveryDone: "Ich habe sie: zur Konsole",
	Overview: "Übersicht", Account: "Ihr Konto", Issuer: "Aussteller", Role: "Rolle", Person: "Name", LastSignIn: "Angemeldet", Rights: "Was Sie dürfen",
	Roles: map[account.Role]string{account.Owner: "Inhaber", account.Issuer: "Aussteller", account.Viewer: "Betrachter", account.Operator: "Betreiber"},
	Actions: map[account.Action]string{
		account.Self: "eigene Sitzungen sehen und beenden", account.See: "Dokumente, Scans und Verbrauch sehen", account.Issue: "Dokumente ausstellen, aussetzen, widerrufen und ersetzen",
		account.Integrate: "API-Schlüssel und Webhooks verwalten", account.Manage: "Benutzer und Signaturschlüssel verwalten", account.Audit: "das Protokoll lesen", account.Operate: "das Gateway betreiben: Mandanten, Tarife, Schlüssel",
	},
	Sessions: "Ihre Sitzungen", SessionsText: "Alle Browser, die unter Ihrem Namen angemeldet sind. Beenden Sie Sitzungen, die Sie nicht kennen, und lassen Sie Ihr Konto vom Betreiber zurücksetzen.",
	This: "diese hier", Began: "Begonnen", LastUsed: "Zuletzt benutzt", Browser: "Browser", Address: "Adresse", End: "Beenden",
	BadLink:     note{"Dieser Link gilt nicht", "Er wurde benutzt, ist abgelaufen oder unvollständig. Bitten Sie die Person, von der Sie ihn haben, um einen neuen."},
	NotFound:    note{"Hier ist nichts", "Die Adresse ist falsch, oder die Seite ist umgezogen."},
	NotAllowed:  note{"Das dürfen Sie nicht sehen", "Ihre Rolle erlaubt es nicht. Ein Inhaber kann Ihre Rolle ändern."},
	OtherOrigin: note{"Abgelehnt: von einer anderen Website gesendet", "Nichts wurde geändert. Öffnen Sie die Konsole selbst und versuchen Sie es dort noch einmal."},
	Suspended:   note{"Ihre Organisation ist gesperrt", "Bis der Betreiber dieses Gateways sie freigibt, kann nichts ausgestellt oder geändert werden."},
	Failed:      note{"Das Gateway kann gerade nicht antworten", "Nichts wurde geändert. Versuchen Sie es in einer Minute noch einmal."},
}
