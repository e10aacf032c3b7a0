package bulkdesk

import (
	"tcode/server/console/frame"
	"tcode/server/issue/bulk"
)

// words are the words of these screens in one language.
type words struct {
	Bulk, Intro, New, Job, State, Rows, Made, Failed, OrderedAt, Kind, Any string
	Products                                                               map[string]string
	States                                                                 map[bulk.Status]string
	Test, Check                                                            string
	Untitled                                                               string // with %s: when it was ordered
	Empty, EmptyFilter                                                     frame.Note

	NewTitle, Name, NameHint, Tdoc, NoTemplate, Placement, DefaultPlace, TypeHint, Template, Path, Validity string
	Paths, Validities, Units                                                                                map[string]string
	Value, Unit, Until, When, WhenHint, TestDocs, TestHint, Columns                                         string
	CSV, ZIP, ZIPHint, Drop, CheckOnly, Make, Sending, SendLost, TooBig                                     string
	CSVHint                                                                                                 string // with %d: rows
	NoTrust                                                                                                 frame.Note
	Refused                                                                                                 frame.Note

	By, ByKey                                                          string // with %s
	Progress, Live, Ago, MadeLabel, FailedLabel, Left, RateLabel, Goes string
	RowsOf                                                             string // with %d of %d
	Minutes, Seconds                                                   string // with %d
	Says                                                               map[string]string
	Begins                                                             string // with %s
	Refresh, LostTitle, LostText, Again, Now                           string
	Finished                                                           string // with %d of %d, %d failed
	Took                                                               string // with %s
	NotMade                                                            string // with %d
	Good                                                               string // with %d
	GoodText, ProceedTo, OrderedAs, BadText, MendText                  string
	Bad                                                                string // with %d
	Unmatched, NoFile, NoRow, Nearest                                  string
	NotListed                                                          string // with %d
	Problems, Line, Column, Found, Wrong, More, Whole                  string
	RowsTitle, File, ExternalID, Outcome                               string
	RowStates                                                          map[bulk.RowState]string
	NoRows, Cancel, CheckAgain, Like, Order, Nothing                   string
	Retry                                                              string // with %d
	Files, Began, Ended                                                string
	Done                                                               map[string]string
	TooManyStreams                                                     frame.Note
}

// lexicon has the words by language.
var lexicon = frame.Lexicon[words]{"en": &english, "de": &german, "fr": &french, "es": &spanish, "ar": &arabic}

var english = words{
	Bulk: "Bulk jobs", Intro: "Many documents from one CSV file and one ZIP archive. Nothing is made until all rows are good.", New: "New job",
	Job: "Job", State: "State", Rows: "Rows", Made: "Made", Failed: "Failed", OrderedAt: "Ordered, UTC", Kind: "Documents", Any: "All",
	Products: map[string]string{"tcode": "Stamps", "trust": "Trust documents"},
	States: map[bulk.Status]string{
		bulk.Scheduled: "Scheduled", bulk.Pending: "Waiting", bulk.Validating: "Being checked", bulk.Processing: "Processing", bulk.Completed: "Completed",
		bulk.CompletedWithErrors: "Completed with errors", bulk.Failed: "Failed", bulk.Cancelling: "Being cancelled", bulk.Cancelled: "Cancelled",
	},
	Test: "Test", Check: "Check only", Untitled: "Job of %s",
	Empty:       frame.Note{Title: "No bulk job yet", Text: "Take the CSV file with the columns of your template, fill in a row for each document, and send it with the PDFs in a ZIP archive."},
	EmptyFilter: frame.Note{Title: "No such job", Text: "No job has this state and this kind of documents."},

	NewTitle: "New bulk job", Name: "Name of the job", NameHint: "For your list of jobs. Empty: the name of the CSV file.", Tdoc: "TDoc template", NoTemplate: "None: the columns of every stamp", Placement: "Placement", DefaultPlace: "Default place",
	TypeHint: "The type of each document is in the column documentTypeCode.", Template: "Trust template", Path: "Issue as", Validity: "Valid",
	Paths:      map[string]string{"digital": "record, with the PDF as it is sent", "tcode": "stamped PDF", "both": "stamped PDF and record"},
	Validities: map[string]string{"None": "without an end", "Duration": "for a time from issue", "Until": "until the end of a day"},
	Units:      map[string]string{"days": "days", "months": "months", "years": "years"},
	Value:      "How long", Unit: "Unit", Until: "Last day, UTC", When: "Begin, UTC", WhenHint: "Empty: immediately. Within a year.", TestDocs: "Test documents", TestHint: "No scanner takes them for genuine.", Columns: "CSV with its columns to fill in",
	CSV: "CSV file", ZIP: "ZIP archive of the PDFs", CSVHint: "A row for each document, at most %d rows and 8 MiB.", ZIPHint: "At most 200 MiB. The column fileName names a file in it.", Drop: "Or drop the file here",
	CheckOnly: "Check only", Make: "Check and make", Sending: "Sending the files", SendLost: "The line was lost while the files were sent. Nothing was ordered. Send them again.", TooBig: "This file is too large.",
	NoTrust: frame.Note{Title: "There is no Trust template", Text: "Trust documents are made of a template. Make one first."},
	Refused: frame.Note{Title: "The order was not taken", Text: "Nothing was ordered. Correct what is marked below, and choose the files again."},

	By: "ordered by %s", ByKey: "ordered with the API key %s", Progress: "Progress", Live: "Live", Ago: "s ago", MadeLabel: "made", FailedLabel: "failed", Left: "left, about", RateLabel: "rows a second",
	Goes:   "You can close this page: the job goes on, and its progress is here when you come back.",
	RowsOf: "%d of %d rows", Minutes: "%d min", Seconds: "%d s",
	Says: map[string]string{
		"Scheduled": "The job waits for its time.", "Pending": "The job waits for its turn.", "Validating": "The files are being checked. Nothing is made until all rows are good.", "Processing": "The documents are being made.",
		"Cancelling": "The job stops after the rows in work.", "Completed": "All is done.", "CompletedWithErrors": "Some rows failed.", "Failed": "No document was made.", "Cancelled": "The job was cancelled.",
	},
	Begins: "Begins %s", Refresh: "Refresh", LostTitle: "No news from the gateway", LostText: "The job goes on at the gateway. This page tries again in", Again: "s.", Now: "Now",
	Finished: "%d of %d documents are made, %d rows failed.", Took: "It took %s.", NotMade: "%d rows were not made, because the job was cancelled.",
	Good: "All %d rows are good", GoodText: "Nothing was made yet. The order uses the same files, so that you need not send them again.", ProceedTo: "Make the documents", OrderedAs: "Ordered: to the job", Bad: "%d problems",
	BadText:   "Nothing was made. Do what the table says, to the rows in errors.csv or to the archive, and send both as a new job. “Check again” helps if only a template or a document type was at fault.",
	Unmatched: "File names that differ", NoFile: "Rows whose file is not in the archive", NoRow: "Files that no row names", Nearest: "Looks most like", NotListed: "%d more are not listed.",
	MendText: "Correct errors.csv and send it as a new job with the same archive: it has the failed rows only, and rows that were made are not made twice.",
	Problems: "Problems", Line: "Line", Column: "Column", Found: "Value found", Wrong: "What is wrong", More: "more problems, which are not listed", Whole: "all",
	RowsTitle: "Rows of the file", File: "File", ExternalID: "External id", Outcome: "Outcome",
	RowStates: map[bulk.RowState]string{bulk.RowFailed: "Failed", bulk.RowSucceeded: "Made", bulk.RowPending: "Waiting", bulk.RowSkipped: "Not made"},
	NoRows:    "No row is in this state.", Cancel: "Cancel", CheckAgain: "Check again", Like: "New job like this", Order: "Order", Nothing: "none", Retry: "Retry %d rows",
	Files: "Files", Began: "Began", Ended: "Ended",
	Done:           map[string]string{"ordered": "The job is ordered.", "cancelled": "The job is cancelled, or stops after the rows in work.", "retried": "The job runs again."},
	TooManyStreams: frame.Note{Title: "Too many pages with live progress", Text: "Close some of them, or refresh this page from time to time."},
}

var german = words{
	Bulk: "Sammelaufträge", Intro: "Viele Dokumente aus einer CSV-Datei und einem ZIP-Archiv. Nichts wird erstellt, bevor alle Zeilen stimmen.", New: "Neuer Auftrag",
	Job: "Auftrag", State: "Zustand", Rows: "Zeilen", Made: "Erstellt", Failed: "Fehler", OrderedAt: "Bestellt, UTC", Kind: "Dokumente", Any: "Alle",
	Products: map[string]string{"tcode": "Stempel", "trust": "Trust-Dokumente"},
	States: map[bulk.Status]string{
		bulk.Scheduled: "Geplant", bulk.Pending: "Wartet", bulk.Validating: "Wird geprüft", bulk.Processing: "In Arbeit", bulk.Completed: "Fertig",
		bulk.CompletedWithErrors: "Fertig mit Fehlern", bulk.Failed: "Fehlgeschlagen", bulk.Cancelling: "Wird abgebrochen", bulk.Cancelled: "Abgebrochen",
	},
	Test: "Test", Check: "Nur Prüfung", Untitled: "Auftrag vom %s",
	Empty:       frame.Note{Title: "Noch kein Sammelauftrag", Text: "Nehmen Sie die CSV-Datei mit den Spalten Ihrer Vorlage, füllen Sie für jedes Dokument eine Zeile aus und senden Sie sie mit den PDF-Dateien in einem ZIP-Archiv."},
	EmptyFilter: frame.Note{Title: "Kein solcher Auftrag", Text: "Kein Auftrag hat diesen Zustand und diese Art von Dokumenten."},

	NewTitle: "Neuer Sammelauftrag", Name: "Name des Auftrags", NameHint: "Für Ihre Liste. Leer: der Name der CSV-Datei.", Tdoc: "TDoc-Vorlage", NoTemplate: "Keine: die Spalten jedes Stempels", Placement: "Platzierung", DefaultPlace: "Üblicher Platz",
	TypeHint: "Die Art jedes Dokuments steht in der Spalte documentTypeCode.", Template: "Trust-Vorlage", Path: "Ausstellen als", Validity: "Gültig",
	Paths:      map[string]string{"digital": "Eintrag, mit dem PDF wie gesendet", "tcode": "gestempeltes PDF", "both": "gestempeltes PDF und Eintrag"},
	Validities: map[string]string{"None": "ohne Ende", "Duration": "für eine Dauer ab Ausstellung", "Until": "bis zum Ende eines Tages"},
	Units:      map[string]string{"days": "Tage", "months": "Monate", "years": "Jahre"},
	Value:      "Wie lange", Unit: "Einheit", Until: "Letzter Tag, UTC", When: "Beginn, UTC", WhenHint: "Leer: sofort. Innerhalb eines Jahres.", TestDocs: "Testdokumente", TestHint: "Kein Scanner hält sie für echt.", Columns: "CSV mit den Spalten zum Ausfüllen",
	CSV: "CSV-Datei", ZIP: "ZIP-Archiv der PDF-Dateien", CSVHint: "Eine Zeile je Dokument, höchstens %d Zeilen und 8 MiB.", ZIPHint: "Höchstens 200 MiB. Die Spalte fileName nennt eine Datei darin.", Drop: "Oder die Datei hier ablegen",
	CheckOnly: "Nur prüfen", Make: "Prüfen und erstellen", Sending: "Die Dateien werden gesendet", SendLost: "Die Verbindung brach beim Senden ab. Nichts wurde bestellt. Senden Sie die Dateien noch einmal.", TooBig: "Diese Datei ist zu groß.",
	NoTrust: frame.Note{Title: "Es gibt keine Trust-Vorlage", Text: "Trust-Dokumente entstehen aus einer Vorlage. Legen Sie zuerst eine an."},
	Refused: frame.Note{Title: "Der Auftrag wurde nicht angenommen", Text: "Nichts wurde bestellt. Berichtigen Sie, was unten markiert ist, und wählen Sie die Dateien noch einmal."},

	By: "bestellt von %s", ByKey: "bestellt mit dem API-Schlüssel %s", Progress: "Fortschritt", Live: "Live", Ago: "s her", MadeLabel: "erstellt", FailedLabel: "fehlgeschlagen", Left: "noch, etwa", RateLabel: "Zeilen je Sekunde",
	Goes:   "Sie können diese Seite schließen: Der Auftrag läuft weiter, und sein Fortschritt steht hier, wenn Sie wiederkommen.",
	RowsOf: "%d von %d Zeilen", Minutes: "%d min", Seconds: "%d s",
	Says: map[string]string{
		"Scheduled": "Der Auftrag wartet auf seine Zeit.", "Pending": "Der Auftrag wartet, bis er an der Reihe ist.", "Validating": "Die Dateien werden geprüft. Nichts wird erstellt, bevor alle Zeilen stimmen.", "Processing": "Die Dokumente werden erstellt.",
		"Cancelling": "Der Auftrag endet nach den Zeilen in Arbeit.", "Completed": "Alles ist fertig.", "CompletedWithErrors": "Einige Zeilen sind fehlgeschlagen.", "Failed": "Kein Dokument wurde erstellt.", "Cancelled": "Der Auftrag wurde abgebrochen.",
	},
	Begins: "Beginnt %s", Refresh: "Neu laden", LostTitle: "Keine Nachricht vom Gateway", LostText: "Der Auftrag läuft im Gateway weiter. Diese Seite versucht es wieder in", Again: "s.", Now: "Jetzt",
	Finished: "%d von %d Dokumenten sind erstellt, %d Zeilen sind fehlgeschlagen.", Took: "Es dauerte %s.", NotMade: "%d Zeilen wurden nicht erstellt, weil der Auftrag abgebrochen wurde.",
	Good: "Alle %d Zeilen stimmen", GoodText: "Noch wurde nichts erstellt. Die Bestellung verwendet dieselben Dateien, Sie müssen sie nicht noch einmal senden.", ProceedTo: "Die Dokumente erstellen", OrderedAs: "Bestellt: zum Auftrag", Bad: "%d Probleme",
	BadText:   "Nichts wurde erstellt. Tun Sie, was die Tabelle sagt, mit den Zeilen in errors.csv oder mit dem Archiv, und senden Sie beides als neuen Auftrag. „Noch einmal prüfen“ hilft, wenn nur eine Vorlage oder eine Dokumentart nicht stimmte.",
	Unmatched: "Dateinamen, die sich unterscheiden", NoFile: "Zeilen, deren Datei nicht im Archiv ist", NoRow: "Dateien, die keine Zeile nennt", Nearest: "Ähnelt am meisten", NotListed: "%d weitere sind nicht aufgeführt.",
	MendText: "Berichtigen Sie errors.csv und senden Sie sie als neuen Auftrag mit demselben Archiv: Sie enthält nur die fehlgeschlagenen Zeilen, und was erstellt ist, wird nicht noch einmal erstellt.",
	Problems: "Probleme", Line: "Zeile", Column: "Spalte", Found: "Gefundener Wert", Wrong: "Was nicht stimmt", More: "weitere Probleme, die nicht aufgeführt sind", Whole: "alles",
	RowsTitle: "Zeilen der Datei", File: "Datei", ExternalID: "Externe Kennung", Outcome: "Ergebnis",
	RowStates: map[bulk.RowState]string{bulk.RowFailed: "Fehlgeschlagen", bulk.RowSucceeded: "Erstellt", bulk.RowPending: "Wartet", bulk.RowSkipped: "Nicht erstellt"},
	NoRows:    "Keine Zeile ist in diesem Zustand.", Cancel: "Abbrechen", CheckAgain: "Noch einmal prüfen", Like: "Neuer Auftrag wie dieser", Order: "Bestellung", Nothing: "keine", Retry: "%d Zeilen wiederholen",
	Files: "Dateien", Began: "Begonnen", Ended: "Beendet",
	Done:           map[string]string{"ordered": "Der Auftrag ist bestellt.", "cancelled": "Der Auftrag ist abgebrochen oder endet nach den Zeilen in Arbeit.", "retried": "Der Auftrag läuft noch einmal."},
	TooManyStreams: frame.Note{Title: "Zu viele Seiten mit Fortschritt", Text: "Schließen Sie einige davon, oder laden Sie diese Seite ab und zu neu."},
}
