package console

import (
	"tcode/server/account"
	"tcode/server/console/frame"
)

// texts are the words of the door and of a user's own screens, in one language.
type texts struct {
	SignInTitle, SignInWho, Email, Password, SignIn, Forgotten, Wrong string
	WaitMinutes                                                       string // with %d

	ChooseTitle, ChooseText, Join, JoinText string

	CodeTitle, CodeLabel, CodeHint, GoOn, WrongCode string

	Welcome, InvitedAs, GoodUntil, NewPassword, Again, PasswordRules, SavePassword, Weak, Differs string

	EnrolTitle, EnrolText, EnrolPicture, EnrolKey, SixDigits string
	RecoveryTitle, RecoveryText, RecoveryDone                string

	Overview, Account, Issuer, Role, Person, LastSignIn, Rights string
	Actions                                                     map[account.Action]string

	SessionsText, This, Began, LastUsed, Browser, Address, End string

	UsePasskey, OrPassword, Or, UseProvider, PasskeyFailed, PasskeyRefused                         string
	Passkeys, PasskeysText, NoPasskeys, PasskeyName, PasskeyNameHint, PasskeyNameWrong, AddPasskey string
	PasskeyAdded, Remove, PasskeyCloned, PasskeyClonedText, PasskeyNotHere                         string
	PasskeyLast, PasskeyStale, BeginPasskey, FirstDevice                                           string

	BadLink, ProviderRefused, ProviderDown, ChoiceOver frame.Note
}

var words = frame.Lexicon[texts]{"en": &english, "de": &german, "fr": &french, "es": &spanish, "ar": &arabic}

var english = texts{
	ChooseTitle: "Which organisation?", ChooseText: "You may sign in for each of these.",
	Join: "Join", JoinText: "You were invited here, or have an account here without this sign-in. Join only an organisation that you know.",
	ChoiceOver:  frame.Note{Title: "This choice is over", Text: "You are not signed in. Sign in again."},
	SignInTitle: "Sign in to the console", SignInWho: "For issuers and operators. To check a document you need no account.",
	Email: "E-mail", Password: "Password", SignIn: "Sign in",
	Forgotten: "Password or phone lost? The operator of this gateway can give you a new link.",
	Wrong:     "Address or password is wrong.", WaitMinutes: "Wait %d min",
	CodeTitle: "Code from your app", CodeLabel: "Six digits, or a recovery code", CodeHint: "The app shows a new code every 30 seconds. Each code works once.", GoOn: "Go on",
	WrongCode: "The code is wrong, or was used already.",
	Welcome:   "Welcome,", InvitedAs: "You are invited to the console as", GoodUntil: "The link is good until",
	NewPassword: "New password", Again: "The same once more", PasswordRules: "At least 12 characters, 6 of them different, without your address.", SavePassword: "Save the password",
	Weak: "Choose another password: this one is too short, too simple, or has your address in it.", Differs: "The two passwords differ.",
	EnrolTitle: "Set up your second factor", EnrolText: "Scan the picture with an authenticator app, then type the six digits that it shows.",
	EnrolPicture: "QR code for the authenticator app", EnrolKey: "No camera? Type this key into the app:", SixDigits: "Six digits",
	RecoveryTitle: "Keep these recovery codes", RecoveryText: "Each one works once, when the app is not at hand. They are not shown again.", RecoveryDone: "I have them: to the console",
	Overview: "Overview", Account: "Your account", Issuer: "Issuer", Role: "Role", Person: "Name", LastSignIn: "Signed in", Rights: "What you may do",
	Actions: map[account.Action]string{
		account.Self: "see and end your own sessions", account.See: "see documents, scans and usage", account.Issue: "issue, suspend, revoke and replace documents",
		account.Integrate: "manage API keys and webhooks", account.Manage: "manage users and signing keys", account.Audit: "read the audit log", account.Operate: "run the gateway: tenants, plans, keys",
	},
	SessionsText: "Every browser that is signed in as you. End one that you do not know, and ask the operator to reset your account.",
	This:         "this one", Began: "Began", LastUsed: "Last used", Browser: "Browser", Address: "Address", End: "End",
	BadLink:    frame.Note{Title: "This link does not work", Text: "It was used, has expired or is not complete. Ask the person who gave it to you for a new one."},
	UsePasskey: "Use a passkey", OrPassword: "or with a password", Or: "or",
	UseProvider: "Go on with single sign-on", PasskeyFailed: "No passkey came from this device. Try again, or sign in another way.", PasskeyRefused: "The passkey was refused. Try again, or sign in another way.",
	Passkeys: "Passkeys", PasskeysText: "A passkey signs you in with your finger, face or PIN, in place of password and code. It works at this address only, so no other site can ask for it.", NoPasskeys: "You have no passkey yet.",
	PasskeyName: "Device", PasskeyNameHint: "So that you know it again, for example: laptop, blue key.", PasskeyNameWrong: "Give the device a name of at most 200 characters.",
	PasskeyStale: "To add a passkey, sign in again: that must be at most 15 minutes ago.",
	PasskeyLast:  "This passkey is your only way in. Add another one, then remove it.", BeginPasskey: "Sign in with your finger, face or PIN from now on, without a password and without codes.", FirstDevice: "My device",
	AddPasskey: "Add a passkey", PasskeyAdded: "Added", Remove: "Remove",
	PasskeyCloned: "refused", PasskeyClonedText: "Its counter went back: it may have been copied. Remove it and add a new one.", PasskeyNotHere: "Passkeys can be added at the public HTTPS address of this gateway only.",
	ProviderRefused: frame.Note{Title: "The single sign-on was refused", Text: "You are not signed in. The account there must have a verified address that was invited here; ask an owner or the operator."},
	ProviderDown:    frame.Note{Title: "The single sign-on cannot be reached", Text: "You are not signed in. Try again in a minute, or sign in another way."},
}

var german = texts{
	ChooseTitle: "Welche Organisation?", ChooseText: "Sie können sich für jede von diesen anmelden.",
	Join: "Beitreten", JoinText: "Sie wurden hierher eingeladen oder haben hier ein Konto ohne diese Anmeldung. Treten Sie nur einer Organisation bei, die Sie kennen.",
	ChoiceOver:  frame.Note{Title: "Diese Auswahl gilt nicht mehr", Text: "Niemand wurde angemeldet. Melden Sie sich noch einmal an."},
	SignInTitle: "An der Konsole anmelden", SignInWho: "Für Aussteller und Betreiber. Zum Prüfen eines Dokuments braucht man kein Konto.",
	Email: "E-Mail", Password: "Passwort", SignIn: "Anmelden",
	Forgotten: "Passwort oder Telefon verloren? Der Betreiber dieses Gateways kann Ihnen einen neuen Link geben.",
	Wrong:     "Adresse oder Passwort ist falsch.", WaitMinutes: "%d min warten",
	CodeTitle: "Code aus Ihrer App", CodeLabel: "Sechs Ziffern oder ein Ersatzcode", CodeHint: "Die App zeigt alle 30 Sekunden einen neuen Code. Jeder gilt einmal.", GoOn: "Weiter",
	WrongCode: "Der Code ist falsch oder wurde schon benutzt.",
	Welcome:   "Willkommen,", InvitedAs: "Sie sind zur Konsole eingeladen als", GoodUntil: "Der Link gilt bis",
	NewPassword: "Neues Passwort", Again: "Noch einmal dasselbe", PasswordRules: "Mindestens 12 Zeichen, davon 6 verschiedene, ohne Ihre Adresse.", SavePassword: "Passwort speichern",
	Weak: "Wählen Sie ein anderes Passwort: Dieses ist zu kurz, zu einfach oder enthält Ihre Adresse.", Differs: "Die beiden Passwörter sind verschieden.",
	EnrolTitle: "Zweiten Faktor einrichten", EnrolText: "Scannen Sie das Bild mit einer Authenticator-App und geben Sie die sechs Ziffern ein, die sie zeigt.",
	EnrolPicture: "QR-Code für die Authenticator-App", EnrolKey: "Keine Kamera? Geben Sie diesen Schlüssel in die App ein:", SixDigits: "Sechs Ziffern",
	RecoveryTitle: "Bewahren Sie diese Ersatzcodes auf", RecoveryText: "Jeder gilt einmal, wenn die App nicht zur Hand ist. Sie werden nicht wieder gezeigt.", RecoveryDone: "Ich habe sie: zur Konsole",
	Overview: "Übersicht", Account: "Ihr Konto", Issuer: "Aussteller", Role: "Rolle", Person: "Name", LastSignIn: "Angemeldet", Rights: "Was Sie dürfen",
	Actions: map[account.Action]string{
		account.Self: "eigene Sitzungen sehen und beenden", account.See: "Dokumente, Scans und Verbrauch sehen", account.Issue: "Dokumente ausstellen, aussetzen, widerrufen und ersetzen",
		account.Integrate: "API-Schlüssel und Webhooks verwalten", account.Manage: "Benutzer und Signaturschlüssel verwalten", account.Audit: "das Protokoll lesen", account.Operate: "das Gateway betreiben: Mandanten, Tarife, Schlüssel",
	},
	SessionsText: "Alle Browser, die unter Ihrem Namen angemeldet sind. Beenden Sie Sitzungen, die Sie nicht kennen, und lassen Sie Ihr Konto vom Betreiber zurücksetzen.",
	This:         "diese hier", Began: "Begonnen", LastUsed: "Zuletzt benutzt", Browser: "Browser", Address: "Adresse", End: "Beenden",
	BadLink:    frame.Note{Title: "Dieser Link gilt nicht", Text: "Er wurde benutzt, ist abgelaufen oder unvollständig. Bitten Sie die Person, von der Sie ihn haben, um einen neuen."},
	UsePasskey: "Passkey benutzen", OrPassword: "oder mit Passwort", Or: "oder",
	UseProvider: "Weiter mit Single Sign-on", PasskeyFailed: "Von diesem Gerät kam kein Passkey. Versuchen Sie es noch einmal, oder melden Sie sich anders an.", PasskeyRefused: "Der Passkey wurde abgelehnt. Versuchen Sie es noch einmal, oder melden Sie sich anders an.",
	Passkeys: "Passkeys", PasskeysText: "Mit einem Passkey melden Sie sich durch Finger, Gesicht oder PIN an, statt mit Passwort und Code. Er gilt nur an dieser Adresse, keine andere Website kann ihn verlangen.", NoPasskeys: "Sie haben noch keinen Passkey.",
	PasskeyName: "Gerät", PasskeyNameHint: "Damit Sie es wiedererkennen, zum Beispiel: Laptop, blauer Schlüssel.", PasskeyNameWrong: "Geben Sie dem Gerät einen Namen mit höchstens 200 Zeichen.",
	PasskeyStale: "Um einen Passkey hinzuzufügen, melden Sie sich noch einmal an: Das darf höchstens 15 Minuten her sein.",
	PasskeyLast:  "Dieser Passkey ist Ihr einziger Zugang. Fügen Sie erst einen anderen hinzu, dann können Sie ihn entfernen.", BeginPasskey: "Melden Sie sich künftig mit Finger, Gesicht oder PIN an, ohne Passwort und ohne Codes.", FirstDevice: "Mein Gerät",
	AddPasskey: "Passkey hinzufügen", PasskeyAdded: "Hinzugefügt", Remove: "Entfernen",
	PasskeyCloned: "abgelehnt", PasskeyClonedText: "Sein Zähler lief zurück: Er wurde vielleicht kopiert. Entfernen Sie ihn und fügen Sie einen neuen hinzu.", PasskeyNotHere: "Passkeys kann man nur an der öffentlichen HTTPS-Adresse dieses Gateways hinzufügen.",
	ProviderRefused: frame.Note{Title: "Die Anmeldung über Single Sign-on wurde abgelehnt", Text: "Niemand wurde angemeldet. Das Konto dort braucht eine bestätigte Adresse, die hier eingeladen ist; fragen Sie einen Inhaber oder den Betreiber."},
	ProviderDown:    frame.Note{Title: "Single Sign-on ist nicht erreichbar", Text: "Niemand wurde angemeldet. Versuchen Sie es in einer Minute noch einmal, oder melden Sie sich anders an."},
}
