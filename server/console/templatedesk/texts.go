package templatedesk

import (
	"tcode/server/console/frame"
	"tcode/server/issue/field"
)

// words are the words of these screens in one language.
type words struct {
	Templates, TrustTemplates, TDocTemplates, PlacementTemplates, TrustText, TDocText, PlacementText, ToPlacements, None string
	Name, Description, Type, Pages, FieldsCount, Updated, Actions, Archived, Archive, Restore, Edit, Columns             string
	ShowArchived, HideArchived, ArchiveTitle, ArchiveText, Stale                                                         string
	Choose, TypeStays, Mode, Mails, Base, BaseHint, Placement, DefaultPlace                                              string
	Fields, Key, Label, NamedHint, FieldType, Max, Required, InPayload, Signed, Up, Down, Remove, Add, Refresh           string
	Preview, PreviewText, TextExample                                                                                    string

	New, Scopes, Modes, FieldTypes, Done map[string]string
}

// lines is the data of a table of templates.
type lines struct {
	W     *words
	Title string
	Kind  string
	Lines []line
	May   bool
}

// Lines returns the data of a table.
func (t *words) Lines(kind string, all []line, may bool) lines {
	title := map[string]string{"trust": t.TrustTemplates, "tdoc": t.TDocTemplates, "placements": t.PlacementTemplates}[kind]
	return lines{t, title, kind, all, may}
}

// Example returns a value of a type, for the preview.
func (t *words) Example(kind string) string {
	if kind == "" || kind == string(field.Text) {
		return t.TextExample
	}
	return field.Definition{Type: field.Type(kind)}.Example()
}

// texts are the words by language.
var texts = frame.Lexicon[words]{"en": &english, "de": &german, "fr": &french, "es": &spanish, "ar": &arabic}

var english = words{
	Templates: "Templates", TrustTemplates: "Trust templates", TDocTemplates: "TDoc templates, for stamps", PlacementTemplates: "Placement templates",
	TrustText: "A Trust template says which fields a Trust document has.", TDocText: "A TDoc template says which fields a stamped document has, and which of them are signed into the symbol.", PlacementText: "A placement template says where the symbol lies on the page.", ToPlacements: "To the placement editor", None: "None yet",
	Name: "Name", Description: "Description", Type: "Document type", Pages: "Pages", FieldsCount: "Fields", Updated: "Changed", Actions: "Actions", Archived: "archived", Archive: "Archive", Restore: "Restore", Edit: "Edit", Columns: "CSV columns",
	ShowArchived: "Show archived ones", HideArchived: "Hide archived ones", ArchiveTitle: "Archive this template?", ArchiveText: "Nothing new is made with it until it is restored. What was made with it stays as it is.", Stale: "Another person has changed this template meanwhile. Open it again to see the change.",
	Choose: "choose", TypeStays: "The type of a template is permanent.", Mode: "For", Mails: "Send the stamped document to the address in the first field of type e-mail", Base: "Base fields", BaseHint: "Optional texts of which no more is said: one key a line.", Placement: "Place of the symbol", DefaultPlace: "the default place",
	Fields: "Fields", Key: "Key", Label: "Label", NamedHint: "People see the document type’s own label:", FieldType: "Type", Max: "Most characters", Required: "required", InPayload: "signed into the symbol", Signed: "in the symbol", Up: "Up", Down: "Down", Remove: "Remove", Add: "Add a field", Refresh: "Update the preview",
	Preview: "Preview", PreviewText: "What a document of this template shows, with examples.", TextExample: "a text",
	New:        map[string]string{"trust": "New Trust template", "tdoc": "New TDoc template"},
	Scopes:     map[string]string{"first": "first page", "last": "last page", "all": "all pages", "odd": "odd pages", "even": "even pages"},
	Modes:      map[string]string{"tcode": "stamps", "trust": "Trust documents", "trust_tcode": "both"},
	FieldTypes: map[string]string{"text": "text", "date": "date", "number": "number", "email": "e-mail address", "url": "web address"},
	Done:       map[string]string{"saved": "The template is saved.", "archived": "The template is archived.", "restored": "The template can be used again."},
}

var german = words{
	Templates: "Vorlagen", TrustTemplates: "Trust-Vorlagen", TDocTemplates: "TDoc-Vorlagen, für Stempel", PlacementTemplates: "Platzierungsvorlagen",
	TrustText: "Eine Trust-Vorlage sagt, welche Felder ein Trust-Dokument hat.", TDocText: "Eine TDoc-Vorlage sagt, welche Felder ein gestempeltes Dokument hat und welche davon ins Symbol signiert werden.", PlacementText: "Eine Platzierungsvorlage sagt, wo das Symbol auf der Seite liegt.", ToPlacements: "Zum Platzierungseditor", None: "Noch keine",
	Name: "Name", Description: "Beschreibung", Type: "Dokumentart", Pages: "Seiten", FieldsCount: "Felder", Updated: "Geändert", Actions: "Aktionen", Archived: "archiviert", Archive: "Archivieren", Restore: "Wiederherstellen", Edit: "Bearbeiten", Columns: "CSV-Spalten",
	ShowArchived: "Archivierte zeigen", HideArchived: "Archivierte verbergen", ArchiveTitle: "Diese Vorlage archivieren?", ArchiveText: "Bis zur Wiederherstellung entsteht nichts Neues damit. Was damit entstand, bleibt, wie es ist.", Stale: "Jemand anderes hat diese Vorlage inzwischen geändert. Öffnen Sie sie neu, um die Änderung zu sehen.",
	Choose: "wählen", TypeStays: "Die Art einer Vorlage ist dauerhaft.", Mode: "Für", Mails: "Das gestempelte Dokument an die Adresse im ersten Feld der Art E-Mail senden", Base: "Grundfelder", BaseHint: "Freiwillige Texte ohne weitere Angaben: ein Schlüssel je Zeile.", Placement: "Platz des Symbols", DefaultPlace: "der übliche Platz",
	Fields: "Felder", Key: "Schlüssel", Label: "Beschriftung", NamedHint: "Man sieht die Beschriftung der Dokumentart:", FieldType: "Typ", Max: "Höchstens Zeichen", Required: "Pflicht", InPayload: "ins Symbol signiert", Signed: "im Symbol", Up: "Nach oben", Down: "Nach unten", Remove: "Entfernen", Add: "Feld hinzufügen", Refresh: "Vorschau aktualisieren",
	Preview: "Vorschau", PreviewText: "Was ein Dokument dieser Vorlage zeigt, mit Beispielen.", TextExample: "ein Text",
	New:        map[string]string{"trust": "Neue Trust-Vorlage", "tdoc": "Neue TDoc-Vorlage"},
	Scopes:     map[string]string{"first": "erste Seite", "last": "letzte Seite", "all": "alle Seiten", "odd": "ungerade Seiten", "even": "gerade Seiten"},
	Modes:      map[string]string{"tcode": "Stempel", "trust": "Trust-Dokumente", "trust_tcode": "beides"},
	FieldTypes: map[string]string{"text": "Text", "date": "Datum", "number": "Zahl", "email": "E-Mail-Adresse", "url": "Webadresse"},
	Done:       map[string]string{"saved": "Die Vorlage ist gespeichert.", "archived": "Die Vorlage ist archiviert.", "restored": "Die Vorlage ist wieder verwendbar."},
}
