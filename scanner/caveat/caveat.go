// Package caveat finds reasons why a PDF may show other things although none of its bytes changed, and
// describes additions to a PDF after it was stamped. Call [Of] for the first, [Added] for the second.
//
//	file ─▶ every object ─┬─▶ Of:    scripts, layers, other files, ... ─▶ caveats
//	        │             └─▶ Added: pages, annotations, signatures    ─▶ one line
//	        └ those that count ─▶ fields, annotations, contents, resources ─▶ caveats
//
// A stamp vouches for bytes. A program makes a picture from them for a person, and a PDF
// can be prepared so that two programs, or one program at two times, show different things
// (the "shadow attacks" of Mladenov, Mainka and Rohlmann, NDSS 2021, need such a
// preparation too). Such a file may be perfectly honest: a caveat is no accusation, it
// says why bytes are not enough here.
//
// A part that cannot be examined gives a caveat as well, so that hiding something gains
// nothing.
package caveat

import (
	"bytes"
	"fmt"
	"slices"

	"tcode/scanner/pdfobj"
)

// A Caveat is a reason why the bytes of a file do not settle what it shows.
type Caveat struct {
	Code  string `json:"code"`            // one of the constants
	Text  string `json:"text"`            // a clause for people, in English; its subject is the file
	Where string `json:"where,omitempty"` // the first place of it, which Text also names
}

// The codes of caveats are frozen: programs match them.
const (
	Script      = "script"       // JavaScript
	XFA         = "xfa"          // an XFA form
	Fields      = "fields"       // form fields that hold something else than they show
	External    = "external"     // contents kept elsewhere
	Layers      = "layers"       // hidden layers, or some for the screen or for print only
	Switch      = "switch"       // actions that show or hide parts
	Opens       = "opens"        // actions that start or open something else
	Media       = "media"        // films, sounds, 3D scenes
	PrintOnly   = "print_only"   // contents for print only
	ScreenOnly  = "screen_only"  // contents that print leaves out
	Attachments = "attachments"  // files inside the file
	Ambiguous   = "ambiguous"    // programs read the structure differently
	Unseen      = "not_examined" // parts that could not be looked at
)

// words are the clauses for people, in the order of the caveats.
var words = []Caveat{
	{Code: Script, Text: "it holds scripts, which can change what it shows"},
	{Code: XFA, Text: "it holds an XFA form, which some programs show in place of its pages"},
	{Code: External, Text: "parts of it are kept outside of the file and can change there"},
	{Code: Layers, Text: "it has layers that are hidden, or shown on the screen only or in print only"},
	{Code: Switch, Text: "it can show or hide parts of itself"},
	{Code: Fields, Text: "programs may show other contents of its form fields"},
	{Code: PrintOnly, Text: "in print it shows something that the screen does not"},
	{Code: ScreenOnly, Text: "on the screen it shows something that print does not"},
	{Code: Media, Text: "it plays films, sounds or 3D scenes"},
	{Code: Opens, Text: "it opens other documents or starts programs"},
	{Code: Attachments, Text: "other files are attached to it, which its pages do not show"},
	{Code: Ambiguous, Text: "programs may read its structure differently"},
	{Code: Unseen, Text: "parts of it could not be looked at"},
}

// Of returns the caveats of file, a PDF, in a fixed order. It returns none if the bytes of
// file settle its appearance, as far as is known.
func Of(file []byte) []Caveat {
	doc := pdfobj.Open(file)
	f := finder{doc: doc, found: map[string]*places{}, leaving: map[pdfobj.Ref]bool{}, going: map[pdfobj.Ref]bool{}}
	f.header(file)
	survey := doc.Scan(f.object)
	f.at = ""
	if survey.Cut || survey.Packed {
		f.tell(Unseen)
	}
	if f.at = survey.Odd; f.at != "" {
		f.tell(Ambiguous)
	}
	if f.at = f.tree.wrong(); f.at != "" && !survey.Cut {
		f.tell(Ambiguous)
	}
	f.examine()
	f.contents()
	if f.at = ""; f.doc.Spent() {
		f.tell(Unseen)
	}
	f.at = ""
	for _, r := range f.automatic {
		if f.leaving[r] || len(f.leaving) > 0 && (r == someAction || f.going[r]) {
			f.tell(Opens)
		}
	}
	if f.events && f.states {
		f.tell(Layers)
	}
	return f.caveats()
}

// caveats returns the caveats found so far.
func (f *finder) caveats() []Caveat {
	var all []Caveat
	for _, c := range words {
		if p := f.found[c.Code]; p != nil {
			c.Where = p.first
			c.Text += p.text()
			all = append(all, c)
		}
	}
	return all
}

// places are the places of one kind of caveat.
type places struct {
	first string // empty if no place is known
	last  string
	n     int // different ones in a row
}

// text returns the end of a caveat's clause, which names the places.
func (p *places) text() string {
	switch {
	case p.first == "":
		return ""
	case p.n > 1:
		return fmt.Sprintf(" (%s and %d more)", p.first, p.n-1)
	}
	return " (" + p.first + ")"
}

// tell notes that code was found at the present place.
func (f *finder) tell(code string) {
	if f.doc.Spent() && (code == Ambiguous || code == Fields) { // it may be all right
		code, f.at = Unseen, ""
	}
	p := f.found[code]
	if p == nil {
		p = &places{first: f.at}
		f.found[code] = p
	}
	if p.first == "" {
		p.first = f.at
	}
	if f.at != p.last && f.at != "" {
		p.n++
		p.last = f.at
	}
}

// Unexamined returns the caveat of a file that could not be examined.
func Unexamined() Caveat {
	return words[slices.IndexFunc(words, func(c Caveat) bool { return c.Code == Unseen })]
}

// finder collects findings from single values.
type finder struct {
	doc            *pdfobj.File
	found          map[string]*places
	at             string              // the present place
	automatic      []pdfobj.Ref        // actions that run without a click
	leaving        map[pdfobj.Ref]bool // actions that lead elsewhere, which is usual where a person clicks
	going          map[pdfobj.Ref]bool // actions that others follow
	events, states bool                // layers switched by events; layers with states for events
	tree           tree
	drawn          []pdfobj.Ref       // objects with annotations and form fields that count
	pages          map[pdfobj.Ref]int // of annotations, from 1; nil: not looked for yet
	anew           bool               // programs should draw fields again
	valued         bool               // some field has a value
}

// someAction stands for actions in an object that may not have been reached yet.
const someAction pdfobj.Ref = -1

// header examines the bytes before the header. White space is not harmless: some programs
// count offsets from the header, others from the first byte, and a cross-reference can
// serve both.
func (f *finder) header(file []byte) {
	if !bytes.HasPrefix(file, []byte("%PDF-")) {
		f.at = "something stands before its header"
		f.tell(Ambiguous)
	}
}

func (f *finder) object(o pdfobj.Object) {
	switch {
	case o.Num >= 0:
		f.at = fmt.Sprintf("object %d", o.Num)
	case o.Num == pdfobj.Trailer:
		f.at = "its trailer"
	default:
		f.at = fmt.Sprintf("byte %d", o.At)
	}
	if o.Stream {
		f.stream(o.Dict())
	}
	if leaves(o.Dict()) {
		f.leaving[pdfobj.Ref(o.Num)] = true
	}
	if _, alias := o.Value.(pdfobj.Ref); alias || o.Dict().Has("S") && o.Dict().Has("Next") {
		f.going[pdfobj.Ref(o.Num)] = true
	}
	if o.Live {
		f.tree.object(o)
	}
	drawn := false
	pdfobj.Each(o.Value, func(v any) {
		if d, ok := v.(pdfobj.Dict); ok {
			f.dict(d)
			drawn = drawn || d.Has("Rect") || d.Has("FT") || d.Has("V") && d.Has("T")
		}
	})
	if drawn && o.Live && o.Num >= 0 && f.doc.Wrong() == "" {
		f.drawn = append(f.drawn, pdfobj.Ref(o.Num))
	}
}

// stream examines a stream's own dictionary (ISO 32000-1, 7.3.8 and 8.8 to
// 8.10).
func (f *finder) stream(d pdfobj.Dict) {
	// External data, an OPI proxy, a page of another file.
	if d.Has("F") || d.Has("OPI") || d.Name("Subtype") == "Form" && d.Has("Ref") {
		f.tell(External)
	}
	if d.Has("Alternates") || d.Name("Subtype") == "PS" {
		f.tell(PrintOnly)
	}
}

// keys are dictionary keys whose presence alone gives a caveat.
var keys = map[pdfobj.Name]string{
	"JS": Script, "XFA": XFA, "Collection": Attachments, "EmbeddedFiles": Attachments, "EF": Attachments,
	"RichMediaContent": Media, "RichMediaSettings": Media,
}

// actions are types of actions (ISO 32000-1, 12.6.4) that give a caveat wherever they occur.
var actions = map[pdfobj.Name]string{
	"JavaScript": Script, "Hide": Switch, "SetOCGState": Switch, "Trans": Switch, "ResetForm": Switch,
	"ImportData": Switch, "Rendition": Media, "Movie": Media, "Sound": Media, "GoTo3DView": Media,
	"RichMediaExecute": Media, "Launch": Opens, "GoToE": Opens,
}

// subtypes are kinds of annotations.
var subtypes = map[pdfobj.Name]string{
	"RichMedia": Media, "3D": Media, "Movie": Media, "Screen": Media, "FileAttachment": Attachments,
}

func (f *finder) dict(d pdfobj.Dict) {
	for k, v := range d {
		if code := keys[k]; code != "" && v != nil {
			f.tell(code)
		}
	}
	if code := actions[d.Name("S")]; code != "" {
		f.tell(code)
	}
	f.runs(d["OpenAction"])
	switch aa := d["AA"].(type) {
	case pdfobj.Dict:
		for _, action := range aa {
			f.runs(action)
		}
	case pdfobj.Ref:
		f.automatic = append(f.automatic, someAction)
	}
	if d["NeedsRendering"] == true {
		f.tell(Fields)
	}
	f.anew = f.anew || d["NeedAppearances"] == true
	for _, k := range settled {
		if _, elsewhere := d[k].(pdfobj.Ref); elsewhere {
			f.tell(Unseen)
		}
	}
	if code := subtypes[d.Name("Subtype")]; code != "" && d.Has("Rect") {
		f.tell(code)
	}
	if f.doc.Wrong() != "" { // its live objects are unknown
		if filled(d) {
			f.tell(Fields)
		}
		f.flags(d)
		f.valued = f.valued || d.Name("FT") != ""
	}
	f.layers(d)
	f.belongs(d)
}

// filled reports whether d is a form field with a text: some programs show the appearance
// from the file, others draw the text itself, which may differ.
func filled(d pdfobj.Dict) bool {
	switch d.Name("FT") {
	case "Tx", "Ch":
	case "":
		if !d.Has("T") && !d.Has("Parent") && d.Name("Subtype") != "Widget" || d.Name("Type") == "Page" {
			return false
		}
	default:
		return false
	}
	switch v := d["V"].(type) {
	case pdfobj.String:
		return len(v.Bytes()) > 0
	case pdfobj.Array:
		return len(v) > 0
	case pdfobj.Ref:
		return d.Has("FT")
	}
	return false
}

// settled are keys whose value is examined in place. A value as an object of its own hides
// something: no writer does that otherwise.
var settled = []pdfobj.Name{
	"S", "Subtype", "BaseState", "NeedAppearances", "NeedsRendering", "ViewState", "PrintState", "ExportState",
}

// runs notes an action that runs by itself.
func (f *finder) runs(action any) {
	switch a := action.(type) {
	case pdfobj.Ref:
		f.automatic = append(f.automatic, a)
	case pdfobj.Dict:
		if leaves(a) {
			f.tell(Opens)
		}
		if a.Has("Next") {
			f.automatic = append(f.automatic, someAction)
		}
	}
}

// leaves reports whether d is an action that leads to another document.
func leaves(d pdfobj.Dict) bool {
	switch d.Name("S") {
	case "URI", "GoToR", "SubmitForm":
		return true
	}
	return false
}

// Flags of annotations (ISO 32000-1, 12.5.3).
const (
	flagHidden       = 1 << 1
	flagPrint        = 1 << 2
	flagNoView       = 1 << 5
	flagToggleNoView = 1 << 8
)

// flags examines the flags of an annotation. It returns false if the annotation is shown
// nowhere.
func (f *finder) flags(d pdfobj.Dict) bool {
	if !d.Has("Rect") {
		return false
	}
	flags, isInt := d["F"].(int)
	if !isInt && d.Has("F") {
		f.tell(Unseen)
	}
	if flags&flagToggleNoView != 0 || flags&flagNoView != 0 && flags&flagPrint != 0 {
		f.tell(PrintOnly)
	}
	shown := flags&(flagHidden|flagNoView) == 0
	if kind := d.Name("Subtype"); f.doc.Wrong() != "" && d.Has("AP") && shown && flags&flagPrint == 0 && kind != "Link" && kind != "Popup" {
		f.tell(ScreenOnly)
	}
	return shown
}

// layers examines optional content (ISO 32000-1, 8.11): configurations that hide groups,
// and groups that events switch.
func (f *finder) layers(d pdfobj.Dict) {
	if base := d.Name("BaseState"); base == "OFF" || base == "Unchanged" {
		f.tell(Layers)
	}
	switch off := d["OFF"].(type) {
	case pdfobj.Array:
		if len(off) > 0 {
			f.tell(Layers)
		}
	case pdfobj.Ref:
		f.tell(Layers)
	}
	if d.Has("OCGs") && (d.Name("P") == "AllOff" || d.Name("P") == "AnyOff") || d.Has("VE") {
		f.tell(Layers) // it hides while others show
	}
	if d.Has("Event") && d.Has("Category") {
		f.events = true
	}
	for _, k := range []pdfobj.Name{"ViewState", "PrintState", "ExportState"} {
		if d.Name(k) == "OFF" {
			f.tell(Layers) // poppler hides it without an event, others do not
		}
	}
	for _, k := range []pdfobj.Name{"Zoom", "Language", "User"} {
		_, isDict := d[k].(pdfobj.Dict)
		f.states = f.states || isDict && d.Has("CreatorInfo") || isDict && k == "Zoom"
	}
}
