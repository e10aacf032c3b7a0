package access

import (
	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
)

var german = texts{
	Keys: "API-Schlüssel", KeysText: "Ein Schlüssel handelt für Ihre Organisation. Er wird einmal gezeigt, wenn er entsteht, und nur als Hash aufbewahrt.",
	NewKey: "Neuer Schlüssel", Name: "Name", NameHint: "Wo er benutzt wird, damit Sie ihn wiedererkennen", Begins: "Beginnt mit", May: "Darf", LastUsed: "Zuletzt benutzt",
	From: "von", Expires: "Läuft ab", Actions: "Aktionen", Renew: "Erneuern", RevokeKey: "Schlüssel widerrufen",
	MadeKey: "Der Schlüssel ist angelegt. Kopieren Sie ihn jetzt: Er wird nie wieder gezeigt.", CopyNow: "Kopieren", SendIt: "Senden Sie ihn im Header",
	Today: "%d Anfragen heute", Over: "Beendete Schlüssel", InDays: "in %d Tagen", NoKeys: "Noch keine Schlüssel",
	NoKeysText: "Ihre eigenen Systeme stempeln Dokumente mit einem API-Schlüssel. Beginnen Sie mit einem Testschlüssel.", MakeKey: "Schlüssel anlegen",
	TestKey: "Testschlüssel", TestHint: "Alles, was er erzeugt, ist ein Testdokument.", DaysLife: "in %d Tagen", NoLife: "nie", NoScope: "Wählen Sie mindestens eines.",
	Mistyped: "Das ist nicht derselbe Text.", ToType: "Zum Bestätigen eintippen:",
	RevokeEffect: "Zuletzt benutzt: %s; Anfragen heute: %d. Programme mit diesem Schlüssel erhalten ab jetzt 401. Dokumente, die er erzeugt hat, bleiben gültig.",
	RenewText:    "Ein neuer Schlüssel tritt an seine Stelle, mit demselben Namen und denselben Rechten. Der alte gilt noch eine Weile, damit Sie Ihre Programme ändern können.",
	Overlap:      "Der alte Schlüssel endet", OverlapNow: "sofort", OverlapHours: "nach %d Stunden", Webhooks: "Webhooks",
	WebhooksText: "Ihre Systeme erfahren an diesen Adressen von Ereignissen. Jede Zustellung ist signiert und wird 17 Stunden lang wiederholt.", NewHook: "Neuer Endpunkt",
	URL: "Adresse", URLHint: "nur https; antwortet innerhalb von 10 Sekunden mit 2xx", Events: "Ereignisse", AllEvents: "alle Ereignisse", State: "Zustand",
	Delivered24: "Angenommen, 24 h", NoHooks: "Noch kein Endpunkt",
	NoHooksText: "Geben Sie eine Adresse Ihres eigenen Systems an, dann erfährt es von Widerrufen, fertigen Aufträgen und Auffälligkeiten.",
	NoEvent:     "Wählen Sie mindestens ein Ereignis.", On: "An", Off: "Aus", FailingSince: "Scheitert seit", SwitchOn: "Einschalten", SwitchOff: "Ausschalten",
	SendTest: "Test senden", ChangeSecret: "Geheimnis ändern", Change: "Speichern", Remove: "Endpunkt entfernen",
	RemoveEffect: "Der Endpunkt und alle seine Zustellungen werden entfernt. Ereignisse, die auf ihn warten, werden nie gesendet.",
	NewSecret:    "Das Geheimnis: Kopieren Sie es jetzt, es wird nie wieder gezeigt.", SecretText: "Es signiert jede Zustellung, im Header TCode-Signature.",
	OldSecret: "Das alte Geheimnis signiert auch, bis", TestWent: "Der Empfänger hat den Test angenommen: %d nach %v.",
	TestFailed: "Der Empfänger hat den Test nicht angenommen: %s", Resent: "%d Zustellungen werden erneut gesendet.", RedeliverFailed: "Gescheiterte erneut senden",
	Redeliver: "Erneut senden", Deliveries: "Zustellungen", AllStates: "Alle", When: "Wann", Tries: "Versuche", Answer: "Letzte Antwort", Next: "Nächster Versuch",
	NoDeliveries: "Hier sind keine Zustellungen.", Newer: "Neuere", Older: "Ältere", Event: "Ereignis", Body: "Gesendeter Inhalt", Took: "Dauer", Number: "Nummer",
	Signing: "Signaturschlüssel", SigningText: "Jeder Stempel wird mit dem Schlüssel signiert, der zu dieser Zeit signiert. Scanner kennen die öffentlichen Hälften.",
	RotateAnnounced: "Neuen Schlüssel ankündigen", RotateNow: "Jetzt neuen Schlüssel benutzen",
	RotateText:       "Ein angekündigter Schlüssel beginnt in 8 Tagen zu signieren, wenn jeder Scanner ihn kennt. Einen Schlüssel, der jetzt signiert, kennen Scanner ohne neue Daten nicht: Sie antworten für seine Stempel UNVERIFIED.",
	Retire:           "Schlüssel stilllegen",
	RetireEffect:     "Er signiert ab jetzt nicht mehr. Seine Stempel bleiben gut. Wenn er gerade signiert, tritt der angekündigte Schlüssel an seine Stelle, oder ein neuer.",
	Compromise:       "Schlüssel als kompromittiert melden",
	CompromiseEffect: "Melden Sie dies, wenn andere den Schlüssel haben könnten. Ab jetzt bleiben nur Stempel gut, die in den Aufzeichnungen dieses Gateways stehen; jeden anderen Stempel mit diesem Schlüssel weisen Scanner nach ihrer nächsten Aktualisierung ab. Wenn er gerade signiert, tritt sofort ein anderer an seine Stelle. Das lässt sich nicht zurücknehmen.",
	Since:            "Andere könnten ihn haben seit (UTC)", NoTime: "Geben Sie Datum und Uhrzeit an.", AgeDays: "%d Tage alt", ValidFrom: "Signiert ab", Until: "bis",
	CompromisedSince: "kompromittiert seit", Survivors: "%d Stempel des Schlüssels bleiben gut.", Omitted: "%d ältere nicht: Ersetzen Sie sie.", Algorithm: "Algorithmus",
	Scopes:        map[tenant.Scope]string{tenant.ScopeStamp: "Stempeln", tenant.ScopeHistory: "Prüfverlauf", tenant.ScopeManage: "Verwalten"},
	ScopeHints:    map[tenant.Scope]string{tenant.ScopeStamp: "stempeln, ausstellen, aussetzen, widerrufen, ersetzen", tenant.ScopeHistory: "lesen, wer was geprüft hat", tenant.ScopeManage: "Schlüssel, Webhooks, Geräte: selten nötig"},
	KeyStates:     map[tenant.APIKeyState]string{tenant.KeyActive: "aktiv", tenant.KeyExpired: "abgelaufen", tenant.KeyRevoked: "widerrufen"},
	States:        map[webhook.State]string{webhook.Waiting: "Wartet", webhook.Delivered: "Angenommen", webhook.Failed: "Gescheitert"},
	SigningStates: map[tenant.KeyState]string{tenant.KeyAnnounced: "angekündigt", tenant.KeySigning: "signiert", tenant.KeyVerifying: "stillgelegt, seine Stempel bleiben gut", tenant.KeyCompromised: "kompromittiert"},
	Done:          map[string]string{"revoked": "Der Schlüssel ist widerrufen.", "changed": "Der Endpunkt ist geändert.", "on": "Der Endpunkt ist an.", "off": "Der Endpunkt ist aus.", "removed": "Der Endpunkt ist entfernt.", "redelivered": "Die Zustellung wird erneut gesendet.", "rotated": "Ein neuer Signaturschlüssel ist angelegt.", "retired": "Der Signaturschlüssel ist stillgelegt."},
}
