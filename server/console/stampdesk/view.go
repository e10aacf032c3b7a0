package stampdesk

import (
	"fmt"
	"net/http"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/issue/placement"
	"tcode/server/issue/tdoc"
	"tcode/server/refdata"
)

func fieldValue(key, value string) payload.Field { return payload.Field{Key: key, Value: value} }

// view is the data of the editor.
type view struct {
	*answer
	Kind       kind
	Base       string // address of the editor
	File       string
	KiB        int64
	Sample     bool
	Page       int
	Pages      int
	Size       geometry.Size
	Picture    string // address of the page's picture
	Margins    geometry.Margins
	Types      []choice
	Tdocs      []choice
	Placements []choice
	Fields     []fieldInput
	Loaded     *placement.Template
	Mails      bool // the TDoc template sends e-mail
	Tdoc       *tdoc.Template

	Anchors, Scopes, Rotations, Policies, Renderings, Sides []choice

	form form
	bad  problems
}

// A choice is an option of a list.
type choice struct {
	Value, Label string
	On           bool
}

// V returns a member of the form.
func (v *view) V(name string) string { return v.form.v.Get(name) }

// On reports whether a box of the form is ticked.
func (v *view) On(name string) bool { return v.form.is(name) }

// Wrong returns what is wrong with a member of the form.
func (v *view) Wrong(name string) frame.Sentences { return v.bad[name] }

// Many returns how many problems there are at fields.
func (v *view) Many() int { return len(v.bad) }

// Point reports whether the place is a point.
func (v *view) Point() bool { return v.form.get(inAt) == atPoint }

// Before and After are the pages around the one that is shown; 0: none.
func (v *view) Before() int { return v.Page - 1 }

// After is the next page, 0 if there is none.
func (v *view) After() int { return (v.Page + 1) % (v.Pages + 1) }

// Tenth writes a length for people.
func (v *view) Tenth(mm float64) string { return tenth(mm) }

// MM writes a length for drawing.
func (v *view) MM(mm float64) string { return fmt.Sprintf("%.3f", mm) }

// Hole is the path around the page and within its margins.
func (v *view) Hole() string {
	z, m := v.Size, v.Margins
	return fmt.Sprintf("M0 0H%.2fV%.2fH0ZM%.2f %.2fV%.2fH%.2fV%.2fZ", z.Width, z.Height, m.Left, m.Top, max(m.Top, z.Height-m.Bottom), max(m.Left, z.Width-m.Right), m.Top)
}

// Under returns the clashes on the page that is shown.
func (v *view) Under() (out []clash) {
	for _, c := range v.Clashes {
		if c.Page == v.Page {
			out = append(out, c)
		}
	}
	return out
}

// view returns the data of the editor.
func (d *desk) view(r *http.Request, v account.Visit, s *sheet, all templates, a *answer, bad problems, t *words) (*view, error) {
	types, err := d.c.Types.DocumentTypes(r.Context())
	if err != nil {
		return nil, err
	}
	f := s.form
	out := &view{
		answer: a, Kind: s.Kind, Base: s.base(), File: s.Name, KiB: (s.Draft.Size + 1023) >> 10, Sample: s.Sample,
		Page: f.page(), Pages: len(s.state.Pages), Size: f.size(), Picture: fmt.Sprintf("%s/page/%d", s.base(), f.page()),
		Margins: f.spec(problems{}, t).Margins(), Fields: all.fields, Loaded: all.placement, Tdoc: all.tdoc, form: f, bad: bad,
	}
	out.Mails = all.tdoc != nil && all.tdoc.EnableEmailSending
	for _, one := range types {
		out.Types = append(out.Types, choice{one.Code, label(one, t.Language), f.get(inType) == one.Code})
	}
	for _, one := range all.tdocs {
		out.Tdocs = append(out.Tdocs, choice{one.ID, one.Name, f.get(inTdoc) == one.ID})
	}
	for _, one := range all.placements {
		out.Placements = append(out.Placements, choice{one.ID, one.Name, f.get(inPlacement) == one.ID})
	}
	out.Anchors = t.choices(f.get(inAnchor), t.AnchorWords, texts(geometry.Anchors())...)
	out.Scopes = t.choices(f.get(inScope), t.ScopeWords, texts(geometry.Scopes())...)
	out.Rotations = t.choices(f.get(inRotation), map[string]string{"0": "0°", "90": "90°", "180": "180°", "270": "270°"}, "0", "90", "180", "270")
	out.Policies = t.choices(f.get(inClash), t.PolicyWords, texts([]placement.Collision{placement.CollisionWarn, placement.CollisionRelocate, placement.CollisionReject, placement.CollisionAllow})...)
	out.Renderings = t.choices(f.get(inRendering), t.RenderingWords, texts([]placement.Rendering{placement.RenderingWarn, placement.RenderingReject, placement.RenderingOff})...)
	out.Sides = t.choices(f.get(inCaptionSide), t.SideWords, texts(geometry.Sides())...)
	return out, nil
}

func label(one refdata.DocumentType, language string) string {
	return one.Code + "  " + one.Name(language)
}

// texts returns words of any kind as strings.
func texts[S ~string](words []S) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}

// choices returns the options of a list, in their order.
func (*words) choices(now string, labels map[string]string, values ...string) (out []choice) {
	for _, v := range values {
		out = append(out, choice{v, labels[v], v == now})
	}
	return out
}
