package scanners

import (
	"fmt"

	"tcode/server/console/frame"
	"tcode/server/verify"
)

// texts are the words of the screens in one language.
type texts struct {
	Scanners, ScannersText, Name, NotNamed, LastSync, StatusHad, Clock, Scans, Findings, NoFinding, FindingsOf, TwoDevices, RefusedHere, RefusedBy string
	Empty, EmptyText, NoneHere, Newer, Older                                                                                                       string
	Tabs                                                                                                                                           map[string]string

	ID, First, Last, Latest, TrustOf, NameHint, Save, Refuse, RefuseText, Reason, Accept, AcceptText, SeeScans string
	Corrections, CorrectedAt, Was, Received                                                                    string
	Done                                                                                                       map[string]string

	Sheet, SheetFor, Step1, Step2, Step3, ForCamera, ForApp, Print, Gateway string
}

// With returns a sentence with its values, for templates.
func (*texts) With(sentence string, values ...any) string { return fmt.Sprintf(sentence, values...) }

// Fresh returns the word for a freshness.
func (t *texts) Fresh(f verify.Freshness) string { return t.Tabs[string(f)] }

var words = frame.Lexicon[texts]{"en": &english, "de": &german, "fr": &french, "es": &spanish, "ar": &arabic}
