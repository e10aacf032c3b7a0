package privacydesk

import (
	"fmt"

	"tcode/server/console/frame"
	"tcode/server/privacy"
)

// texts are the words of these screens in one language.
type texts struct {
	Privacy, PrivacyText                                                    string
	Times, SweptAt, NeverSwept, WrongTimes, Kind, Kept, Default, Removed    string
	Nothing, Fixed, Unit, Forever, SweepText                                string
	Days, OneDay, Range, FromTo, FilesOf                                    string // with numbers or times
	ShortenAsk, ShortenText, TypeTenant, Shorten, Mistyped, Backups         string
	EraseTitle, EraseText, Reference, ReferenceHint, Find, NoReference      string
	NoRecord, Erasures, NoErasures, Record, By, Why, State, Erased, Erasing string
	EraseAsk, Test, WithStamp, NotNow, Goes, GoesText, Stays, StaysText     string
	Except, NeedReason, ReasonHint, TypeReference, Erase                    string
	ExportTitle, ExportText, ExportWay, Export, Exports, NoExports          string

	Kinds   map[privacy.Kind]kindWords
	Reasons map[privacy.Reason]string
	Done    map[string]string
}

// kindWords are the words of a kind of data.
type kindWords struct{ Name, About string }

// With returns a sentence with its values.
func (*texts) With(sentence string, values ...any) string { return fmt.Sprintf(sentence, values...) }

// time returns a time in days for people; 0 is forever.
func (t *texts) time(days int) string {
	switch days {
	case 0:
		return t.Forever
	case 1:
		return t.OneDay
	}
	return t.With(t.Days, days)
}

// words are the words by language.
var words = frame.Lexicon[texts]{"en": &english, "de": &german, "fr": &french, "es": &spanish, "ar": &arabic}

var english = texts{
	Privacy: "Privacy", PrivacyText: "How long data is kept, what is erased, and a copy of everything that your organisation has here.",
	Times: "How long data is kept", SweptAt: "Last clearing:", NeverSwept: "The first clearing comes within the hour.", WrongTimes: "Some times cannot be kept. Nothing was changed.",
	Kind: "Data", Kept: "Kept for", Default: "Default", Removed: "Last removed", Nothing: "nothing yet", Fixed: "fixed", Unit: "days", Forever: "forever", SweepText: "Every hour the gateway deletes what is older.",
	Days: "%d days", OneDay: "1 day", Range: "%d to %d days", FromTo: "%s, from now on %s", FilesOf: "Files: %d",
	ShortenAsk: "Keep data for a shorter time?", ShortenText: "What is older is deleted within the hour, permanently.", TypeTenant: "To confirm, type the reference of your organisation:", Shorten: "Keep it shorter", Mistyped: "This is not what has to be typed.",
	Backups:    "Backups that were made before, and copies that others have, stay as they are.",
	EraseTitle: "Erase a document", EraseText: "The files and personal data of one stamp or Trust document go. That it was issued can still be verified.",
	Reference: "Reference", ReferenceHint: "TRF-… or TCR-…. The screen of each stamp and document leads here, too.", Find: "Find", NoReference: "This is no reference.", NoRecord: "Your organisation has no such stamp or document.",
	Erasures: "Last erasures", NoErasures: "Nothing was erased yet.", Record: "Record", By: "By", Why: "Reason", State: "State", Erased: "erased", Erasing: "in progress",
	EraseAsk: "Erase files and personal data?", Test: "Test", WithStamp: "with its stamp", NotNow: "It cannot be erased now.",
	Goes: "This goes, forever", GoesText: "Files, name, recipient, fields, external id, reasons of changes, e-mail, notes of scans, and the files of the bulk job that made it.",
	Stays: "This stays", StaysText: "Reference, hash, signature and status: gateway and scanners give the same answers, and the public page says “erased by the issuer”.",
	Except: "The exception", NeedReason: "Choose a reason.", ReasonHint: "The audit log keeps it, with your name. So it comes from a list, without names.", TypeReference: "To confirm, type the reference:", Erase: "Erase",
	ExportTitle: "Export everything", ExportText: "One ZIP archive with every row and file of your organisation, a README and a list of contents. Keys and passwords are left out.",
	ExportWay: "The archive is made while your browser loads it, and the browser shows the progress. The gateway keeps no copy, so there is nothing to delete here.", Export: "Export", Exports: "Last exports", NoExports: "Nothing was exported yet.",
	Kinds: map[privacy.Kind]kindWords{
		privacy.History: {"Verifications", "Who looked a document up, and when; from the look-up on"}, privacy.Scans: {"Scans", "What devices sent; from its arrival on"},
		privacy.Locations: {"Places and notes", "Of scans and verifications; from their arrival on"}, privacy.Mails: {"E-mails", "With the address of the recipient; from when they were made"},
		privacy.Uploads: {"Files of bulk jobs", "CSV, ZIP and rows; from the end of the job on"}, privacy.Originals: {"Original PDFs", "As they were sent; from when the record was made"},
		privacy.Stamped: {"Stamped PDFs", "With symbols and payloads for download; from when the record was made"}, privacy.Answers: {"Answers to repeated requests", "For an Idempotency-Key; from the answer on"},
		privacy.Deliveries: {"Deliveries of webhooks", "From their end on"},
	},
	Reasons: map[privacy.Reason]string{
		privacy.Asked: "The person asked for it", privacy.Unneeded: "The data is no longer needed", privacy.Withdrawn: "The person withdrew consent", privacy.Mistaken: "The data should not have been taken", privacy.Obliged: "A law or a court demands it",
	},
	Done: map[string]string{"kept": "The times are saved."},
}

var german = texts{
	Privacy: "Datenschutz", PrivacyText: "Wie lange Daten bleiben, was gelöscht wird, und eine Kopie von allem, was Ihre Organisation hier hat.",
	Times: "Wie lange Daten bleiben", SweptAt: "Zuletzt aufgeräumt:", NeverSwept: "Das erste Aufräumen folgt innerhalb einer Stunde.", WrongTimes: "Einige Zeiten sind nicht möglich. Nichts wurde geändert.",
	Kind: "Daten", Kept: "Bleiben", Default: "Standard", Removed: "Zuletzt entfernt", Nothing: "noch nichts", Fixed: "fest", Unit: "Tage", Forever: "für immer", SweepText: "Jede Stunde löscht das Gateway, was älter ist.",
	Days: "%d Tage", OneDay: "1 Tag", Range: "%d bis %d Tage", FromTo: "%s, ab jetzt %s", FilesOf: "Dateien: %d",
	ShortenAsk: "Daten kürzer aufbewahren?", ShortenText: "Was älter ist, wird innerhalb einer Stunde endgültig gelöscht.", TypeTenant: "Zum Bestätigen die Kennung Ihrer Organisation eintippen:", Shorten: "Kürzer aufbewahren", Mistyped: "Das ist nicht, was einzutippen ist.",
	Backups:    "Sicherungen von vorher und Kopien, die andere haben, bleiben, wie sie sind.",
	EraseTitle: "Ein Dokument löschen", EraseText: "Dateien und personenbezogene Daten eines Stempels oder Trust-Dokuments verschwinden. Dass es ausgestellt wurde, bleibt prüfbar.",
	Reference: "Referenz", ReferenceHint: "TRF-… oder TCR-…. Auch die Seite jedes Stempels und Dokuments führt hierher.", Find: "Finden", NoReference: "Das ist keine Referenz.", NoRecord: "Ihre Organisation hat keinen solchen Stempel und kein solches Dokument.",
	Erasures: "Letzte Löschungen", NoErasures: "Noch nichts wurde gelöscht.", Record: "Eintrag", By: "Von", Why: "Grund", State: "Stand", Erased: "gelöscht", Erasing: "läuft",
	EraseAsk: "Dateien und personenbezogene Daten löschen?", Test: "Test", WithStamp: "mit seinem Stempel", NotNow: "Das kann gerade nicht gelöscht werden.",
	Goes: "Das verschwindet für immer", GoesText: "Dateien, Name, Empfänger, Felder, externe Kennung, Gründe von Änderungen, E-Mail, Notizen von Scans und die Dateien des Sammelauftrags, aus dem es stammt.",
	Stays: "Das bleibt", StaysText: "Referenz, Hash, Signatur und Status: Gateway und Scanner antworten wie vorher, und die öffentliche Seite sagt „vom Aussteller gelöscht“.",
	Except: "Die Ausnahme", NeedReason: "Wählen Sie einen Grund.", ReasonHint: "Das Protokoll behält ihn mit Ihrem Namen. Darum kommt er aus einer Liste und nennt niemanden.", TypeReference: "Zum Bestätigen die Referenz eintippen:", Erase: "Löschen",
	ExportTitle: "Alles exportieren", ExportText: "Ein ZIP-Archiv mit allen Zeilen und Dateien Ihrer Organisation, einer Anleitung und einem Verzeichnis. Schlüssel und Passwörter fehlen darin.",
	ExportWay: "Das Archiv entsteht, während Ihr Browser es lädt; er zeigt den Fortschritt. Das Gateway behält keine Kopie, darum ist hier nichts zu löschen.", Export: "Exportieren", Exports: "Letzte Exporte", NoExports: "Noch nichts wurde exportiert.",
	Kinds: map[privacy.Kind]kindWords{
		privacy.History: {"Prüfungen", "Wer ein Dokument wann geprüft hat; ab der Prüfung"}, privacy.Scans: {"Scans", "Was Geräte gesendet haben; ab der Ankunft"},
		privacy.Locations: {"Orte und Notizen", "Von Scans und Prüfungen; ab der Ankunft"}, privacy.Mails: {"E-Mails", "Mit der Adresse des Empfängers; ab ihrer Erstellung"},
		privacy.Uploads: {"Dateien von Sammelaufträgen", "CSV, ZIP und Zeilen; ab dem Ende des Auftrags"}, privacy.Originals: {"Original-PDFs", "Wie sie gesendet wurden; ab der Ausstellung"},
		privacy.Stamped: {"Gestempelte PDFs", "Mit Symbolen und Inhalten zum Herunterladen; ab der Ausstellung"}, privacy.Answers: {"Antworten auf wiederholte Anfragen", "Zu einem Idempotency-Key; ab der Antwort"},
		privacy.Deliveries: {"Zustellungen von Webhooks", "Ab ihrem Ende"},
	},
	Reasons: map[privacy.Reason]string{
		privacy.Asked: "Die Person verlangt es", privacy.Unneeded: "Die Daten werden nicht mehr gebraucht", privacy.Withdrawn: "Die Person hat die Einwilligung widerrufen", privacy.Mistaken: "Die Daten hätten nicht erhoben werden dürfen", privacy.Obliged: "Ein Gesetz oder Gericht verlangt es",
	},
	Done: map[string]string{"kept": "Die Zeiten sind gespeichert."},
}
