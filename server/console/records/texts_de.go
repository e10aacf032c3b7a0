package records

import (
	"tcode/server/console/frame"
	"tcode/server/issue/batch"
	"tcode/server/outbound/delivery"
	"tcode/sync/wire"
)

var german = words{
	Stamps: "Stempel", Documents: "Trust-Dokumente", Export: "CSV exportieren", IssueTitle: "Trust-Dokument ausstellen", StampOne: "Dokument stempeln",
	OrderRuns: "Das geschieht gerade.", OrderOpen: "Fortschritt ansehen", Status: "Status", All: "Alle", SearchHint: "Referenz, Name, externe Kennung", Type: "Art", Any: "beliebig", Template: "Vorlage",
	From: "Ausgestellt von", To: "bis", Kinds: "Zweck", Live: "echt", Test: "Test", Sort: "Reihenfolge", Newest: "neueste zuerst", Oldest: "älteste zuerst", SelectPage: "Alle dieser Seite auswählen",
	Reference: "Referenz", Name: "Name", Issued: "Ausgestellt", Select: "Auswählen:", Pages: "Seiten",
	NoneMatch: "Nichts passt", NoneMatchText: "Kein Eintrag erfüllt alles, was der Filter verlangt.", NoneYet: "Noch keine",
	FirstDocument: "Stellen Sie hier ein Dokument aus, viele als Sammelauftrag, oder lassen Sie es Ihr eigenes System mit einem API-Schlüssel tun.", FirstStamp: "Stempeln Sie hier ein Dokument, viele als Sammelauftrag, oder lassen Sie es Ihr eigenes System mit einem API-Schlüssel tun.",
	AllMatching: "Alle %s passenden, auf allen Seiten", Range: "%d bis %d von %s", Tries: "Versuche: %d.", VerifiedTimes: "%s Mal geprüft",

	Replace: "Ersetzen", OwnedBy: "Gehört zu", OwnedText: "Er wird mit diesem Dokument ausgesetzt, widerrufen und ersetzt, nicht allein.", OpenDocument: "Dokument öffnen",
	Facts: "Dokument", External: "Ihre Nummer", ByWhom: "von", Expires: "Läuft ab", Signed: "signiert", Mail: "E-Mail", Key: "Signaturschlüssel", Fingerprint: "SHA-256 der Datei", Symbol: "Symbol", Page: "Seite", Grade: "Note",
	Chain: "Ersetzungen", ThisOne: "dieses", Warnings: "Hinweise beim Stempeln", Timeline: "Verlauf", Changes: "Änderungen", Scans: "Scans", Scanned: "Gescannt:", DeviceSaid: "Das Gerät sagte", GatewaySaid: "das Gateway sagte", Device: "Gerät",
	Gateway: "Das Gateway", NoLines: "Nichts dergleichen ist geschehen.",
	PublicSees: "Was alle sehen", Open: "Öffnen", Issuer: "Aussteller", ItsStamp: "Sein Stempel", Files: "Dateien", LinksEnd: "Die Adressen gelten 15 Minuten.", NoFiles: "Es gibt keine Datei.", NeverVerified: "Noch niemand hat es nachgeschlagen.",

	ReasonHint: "Er steht in Verlauf, Protokoll und Webhooks. Scanner zeigen ihn nicht.", TypeLast: "Tippen Sie die letzten vier Zeichen:", TypeThis: "Tippen Sie zur Bestätigung", TheFilter: "Alle passenden:", NoFilter: "kein Filter",
	UntilNow: "Was ab jetzt ausgestellt wird, ändert sich nicht.", LeftOwned: "Ausgelassen: sie gehören zu Trust-Dokumenten", LeftOther: "Ausgelassen: die Aktion ändert sie nicht", TooMany: "Mehr als 10.000 Einträge passen.", TooManyText: "Grenzen Sie den Filter ein, etwa durch Daten, und gehen Sie in Teilen vor.",
	BackToList: "Zurück zur Liste", NothingToDo: "Keiner davon würde geändert.",
	NeedReason: "Nennen Sie einen Grund.", BadReason: "Das ist zu lang oder hat Zeichen, die nicht aufbewahrt werden können.", Mistyped: "Das ist nicht, was zu tippen ist.", Moved: "Die Auswahl hat sich inzwischen geändert. Nichts wurde getan. Prüfen Sie die Zahlen unten.",
	Progress: "Fortschritt", OfTotal: "erledigt von", Changed: "geändert", LeftOut: "ausgelassen", Begun: "Begonnen", StopWhy: "Angehalten, weil", Refresh: "Aktualisieren", StopOrder: "Anhalten",

	ReplaceTitle: "Durch ein neues Dokument ersetzen", ReplaceText: "Das neue bekommt eine eigene Referenz. Dieses wird im selben Augenblick widerrufen und sagt, dass es ersetzt wurde.", ChooseTemplate: "Vorlage wählen", UseTemplate: "Diese Vorlage verwenden",
	NoTemplates: "Es gibt noch keine Trust-Vorlage", NoTemplatesText: "Eine Vorlage sagt, welche Felder ein Dokument hat.", ToTemplates: "Zu den Vorlagen", NeedTemplate: "Wählen Sie eine Vorlage.",
	Recipient: "Empfänger", Title: "Titel", Optional: "(freiwillig)", EndOfDay: "Es gilt bis zum Ende dieses Tages in UTC.", Way: "Form", File: "Datei", FileMay: "Eine PDF-Datei oder ein Bild (PNG, JPEG, TIFF). Nötig für ein Dokument mit Stempel. Nach einer Ablehnung neu wählen.", FileMust: "Die neue PDF-Datei oder das neue Bild (PNG, JPEG, TIFF). Nach einer Ablehnung neu wählen.", Generate: "Stattdessen eine Urkunde zeichnen", GenerateHint: "Ohne Datei zeichnet das Gateway eine Seite mit Aussteller, Empfänger und Feldern und stempelt sie.", IssueIt: "Ausstellen",

	Address: "Adresse", SendMail: "Senden", SendMailHint: "Sendet das Dokument an diese Adresse, auch wenn es schon gesendet wurde. Eine neue Adresse wird übernommen.",
	Erase: "Löschen", ErasedOn: "Dateien und personenbezogene Daten wurden gelöscht am", ErasedText: "Referenz, Hash, Signatur und Status bleiben: es wird geprüft wie vorher.", Erasing: "Kopien werden noch entfernt.",

	BadFilter: frame.Note{Title: "Der Filter ist ungültig", Text: "Ein Teil davon ist nicht brauchbar und wurde weggelassen."},

	States:     map[string]string{"Active": "Gültig", "Suspended": "Ausgesetzt", "Revoked": "Widerrufen", "Expired": "Abgelaufen", "Replaced": "Ersetzt"},
	Acts:       map[string]string{"suspend": "Aussetzen", "reactivate": "Reaktivieren", "reinstate": "Reaktivieren", "revoke": "Widerrufen", "expire": "Jetzt beenden"},
	Verb:       map[string]string{"suspend": "aussetzen", "reactivate": "reaktivieren", "reinstate": "reaktivieren", "revoke": "widerrufen", "expire": "beenden"},
	Effect:     map[string]string{"suspend": "Scanner und öffentliche Seite sagen, dass es ausgesetzt ist, bis es reaktiviert wird. Scanner erfahren es bei der nächsten Aktualisierung.", "reactivate": "Es gilt wieder. Scanner erfahren es bei der nächsten Aktualisierung.", "reinstate": "Es gilt wieder. Scanner erfahren es bei der nächsten Aktualisierung.", "revoke": "Ein Widerruf ist endgültig. Scanner erfahren ihn bei der nächsten Aktualisierung; solche ohne Netz zeigen noch bis zu 7 Tage Gelb.", "expire": "Das Dokument endet jetzt, endgültig."},
	Ask:        map[string]string{"suspend": "Diesen Eintrag aussetzen?", "reactivate": "Diesen Eintrag reaktivieren?", "reinstate": "Diesen Eintrag reaktivieren?", "revoke": "Diesen Eintrag endgültig widerrufen?", "expire": "Dieses Dokument jetzt beenden?"},
	AskMany:    map[string]string{"suspend": "%s Einträge aussetzen?", "reactivate": "%s Einträge reaktivieren?", "reinstate": "%s Einträge reaktivieren?", "revoke": "%s Einträge endgültig widerrufen?", "expire": "%s Dokumente jetzt beenden?"},
	OrderTitle: map[string]string{"suspend": "%s Einträge aussetzen", "reactivate": "%s Einträge reaktivieren", "reinstate": "%s Einträge reaktivieren", "revoke": "%s Einträge widerrufen", "expire": "%s Dokumente beenden"},
	Events:     map[string]string{"create": "Gestempelt", "issue": "Ausgestellt", "suspend": "Ausgesetzt", "reactivate": "Reaktiviert", "reinstate": "Reaktiviert", "revoke": "Widerrufen", "replace": "Ersetzt", "expire": "Abgelaufen"},
	Done:       map[string]string{"mailed": "Die E-Mail ist unterwegs.", "suspend": "Es ist ausgesetzt.", "reactivate": "Es gilt wieder.", "reinstate": "Es gilt wieder.", "revoke": "Es ist widerrufen.", "expire": "Es ist beendet.", "replaced": "Dies ist das neue Dokument. Das alte ist widerrufen.", "issued": "Das Dokument ist ausgestellt.", "erased": "Dateien und personenbezogene Daten sind gelöscht.", "already": "Es wurde inzwischen geändert. So ist es jetzt.", "nothing": "Wählen Sie zuerst Einträge mit ihren Kästchen."},
	Verdicts:   map[string]string{"valid": "GÜLTIG", "suspended": "AUSGESETZT", "revoked": "WIDERRUFEN", "expired": "ABGELAUFEN", "not_found": "NICHT ECHT", "unverified": "UNGEPRÜFT"},
	Public:     map[string]string{"compare": "Referenz ist gültig, VERGLEICHEN", "not_found": "Testdokument: der Öffentlichkeit unbekannt", "Suspended": "AUSGESETZT", "Revoked": "WIDERRUFEN", "Replaced": "ERSETZT", "Expired": "ABGELAUFEN"},
	FileKinds:  map[string]string{"stamped": "Gestempeltes PDF", "original": "Ursprüngliche Datei", "barcode": "Symbol als Bild", "payload": "Inhalt des Symbols"},
	Ways:       map[string]string{"digital": "digital", "tcode": "gestempelt, für Papier", "both": "beides"},

	OrderStates: map[batch.State]string{batch.Running: "In Arbeit", batch.Done: "Erledigt", batch.Stopped: "Angehalten: was geändert ist, bleibt geändert"},
	Mails: map[delivery.State]string{
		delivery.NotConfigured: "Nicht gemailt: dieses Gateway sendet keine E-Mail", delivery.Waiting: "E-Mail wartet auf den nächsten Versuch", delivery.Sending: "E-Mail wird gesendet", delivery.Sent: "Gemailt",
		delivery.Refused: "E-Mail wurde abgelehnt", delivery.Failed: "E-Mail konnte nicht gesendet werden", delivery.Dropped: "Nicht gemailt: das Dokument war beendet",
	},
	Findings: map[wire.Finding]string{
		wire.TestDocument: "Ein Testdokument wurde vorgelegt.", wire.PayloadOnOtherFile: "Der Stempel war auf einer anderen Datei.", wire.AcceptedUnknown: "Das Gerät nahm an, was das Gateway nicht kennt.", wire.RevokedWhenScanned: "Es war beim Scannen schon widerrufen.",
		wire.SuspendedWhenScanned: "Es war beim Scannen ausgesetzt.", wire.RefusedOnDevice: "Das Gerät lehnte ab, was gültig ist.", wire.RevokedSince: "Es wurde seitdem widerrufen.", wire.SuspendedSince: "Es wurde seitdem ausgesetzt.",
		wire.AddedToFile: "Der Datei wurde etwas hinzugefügt.", wire.ClockWasAhead: "Die Uhr des Geräts ging vor.", wire.UndecidedOnDevice: "Das Gerät konnte nicht entscheiden.",
	},
}
