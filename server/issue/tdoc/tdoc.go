// Package tdoc holds TDoc templates: which fields a kind of document has, which
// of them are signed into the symbol, and the rules for their values.
//
//	             archive
//	  Active ─────────────▶ Archived     an archived template makes no new stamps;
//	     ▲                     │         those it made stay as they are
//	     └───── unarchive ─────┘
//
//	fields of a request ─▶ Template.Values ─▶ all values ─▶ stored
//	                                          └▶ signed ones ─▶ payload
//
// A template deleted is hidden: stamps that name it keep it.
package tdoc

import (
	"time"

	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/issue/field"
)

// Limits on a template. Lengths are characters.
const (
	MaxName        = 200
	MaxDescription = 1000
	MaxKey         = field.MaxKey
	MaxDocType     = 100
	MaxFields      = 50 // base fields, and custom fields
	MaxValue       = field.MaxValue
	maxOrder       = 10_000
)

// Status says whether a template makes new stamps. The API and the database use
// these words.
type Status string

// The states of a template.
const (
	Active   Status = "Active"
	Archived Status = "Archived"
)

// Action changes a template's status.
type Action string

// The actions.
const (
	ActionArchive   Action = "archive"
	ActionUnarchive Action = "unarchive"
)

// next is the whole state machine: an action that is not in it is not allowed.
var next = map[Status]map[Action]Status{
	Active:   {ActionArchive: Archived},
	Archived: {ActionUnarchive: Active},
}

// result is the state an action leads to. An action whose result is the present
// state changes nothing and is no error.
var result = map[Action]Status{ActionArchive: Archived, ActionUnarchive: Active}

// Next returns the state after a; s itself if a leads to where the template is
// already. An action that does not exist is an INVALID_TRANSITION fault.
func (s Status) Next(a Action) (Status, error) {
	return issue.Step("template", next, result, s, a)
}

// FieldType is the type of a field's values.
type FieldType = field.Type

// The types; see [field.CheckValues] for their rules.
const (
	Text   = field.Text
	Date   = field.Date
	Number = field.Number
	Email  = field.Email
	URL    = field.URL
)

// A Field describes one field. The store keeps it in its JSON form.
type Field struct {
	Key       string    `json:"key"` // unique within the template, base fields included
	Label     string    `json:"label"`
	Type      FieldType `json:"type"`
	Required  bool      `json:"required,omitempty"`
	MaxLength int       `json:"maxLength,omitempty"` // characters; 0: [MaxValue]
	InPayload bool      `json:"inPayload,omitempty"` // signed into the symbol
	Order     int       `json:"order"`               // position; fields are in ascending order
}

// A ProductMode is the kind of documents that a template is for.
type ProductMode string

// The modes. The zero value means [ModeTCode].
const (
	ModeTCode      ProductMode = "tcode"       // stamps
	ModeTrust      ProductMode = "trust"       // Trust documents
	ModeTrustTCode ProductMode = "trust_tcode" // Trust documents with a stamp, and stamps
)

// ProductModes lists all modes.
func ProductModes() []ProductMode { return []ProductMode{ModeTCode, ModeTrust, ModeTrustTCode} }

// A Spec holds the settings of a template. The store keeps it in its JSON form.
type Spec struct {
	Name        string `json:"-"`
	Description string `json:"-"`

	IssuanceTemplateID   string      `json:"issuanceTemplateId,omitempty"` // of the Trust template it goes with
	IssuanceTemplateName string      `json:"issuanceTemplateName,omitempty"`
	BaseFields           []string    `json:"baseFields,omitempty"` // keys of fields of which no more is said
	CustomFields         []Field     `json:"customFields,omitempty"`
	SuggestedDocType     string      `json:"suggestedDocType,omitempty"`
	EnableEmailSending   bool        `json:"enableEmailSending,omitempty"`
	ProductMode          ProductMode `json:"productMode"`
}

// A Template is a stored [Spec].
type Template struct {
	Spec
	issue.Template // a change of Status counts as an update

	Status     Status
	ArchivedAt time.Time // zero unless archived
}

// Fields returns all fields a document may have: the base fields, which are
// text that need not be given, and the custom fields in their order.
func (s Spec) Fields() []Field {
	out := make([]Field, 0, len(s.BaseFields)+len(s.CustomFields))
	for _, key := range s.BaseFields {
		out = append(out, Field{Key: key, Label: key, Type: Text})
	}
	return append(out, s.CustomFields...)
}

// Stampable returns the fault that refuses a new stamp made with t:
// TEMPLATE_ARCHIVED or CONFIGURATION_MISMATCH.
func (t Template) Stampable() error {
	switch {
	case t.Status == Archived:
		return fault.New(fault.Rejected, fault.CodeTemplateArchived, "this TDoc template is archived").
			WithField("tdocTemplateId", "names an archived template")
	case t.ProductMode == ModeTrust:
		return fault.New(fault.Rejected, fault.CodeConfigurationMismatch, "this TDoc template is for Trust documents, not for stamps").
			WithField("tdocTemplateId", "names a template whose productMode is %s", ModeTrust)
	}
	return nil
}
