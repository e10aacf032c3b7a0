package stampdesk

import (
	"fmt"
	"strings"

	"tcode/server/console/frame"
)

// An input is a member of the form as a template draws it.
type input struct {
	In, Label, Note, Hint, Unit, Type, V, None, Load string
	Max                                              int
	On                                               bool
	Options                                          []choice
	Wrong                                            frame.Sentences
}

// Text returns a line of text.
func (v *view) Text(in, label, note, hint string, limit int) input {
	return input{In: in, Label: label, Note: note, Hint: hint, Type: "text", Max: limit, V: v.V(in), Wrong: v.Wrong(in)}
}

// Length returns a number with its unit.
func (v *view) Length(in, label, unit string) input {
	out := input{In: in, Label: label, Unit: unit, V: v.V(in), Wrong: v.Wrong(in)}
	if in == inSize && v.Here != nil {
		out.Hint = mm(v.Here.Box.Width)
	}
	return out
}

// List returns a list; none, if not empty, is its first line, without a value.
func (v *view) List(in, label, none string, options []choice) input {
	return input{In: in, Label: label, None: none, Options: options, Wrong: v.Wrong(in)}
}

// Loads is a list whose choice has settings that the form can take.
func (v *view) Loads(in, label, none string, options []choice) input {
	out := v.List(in, label, none, options)
	out.Load = "load"
	return out
}

// Tick returns a box.
func (v *view) Tick(in, label, hint string) input {
	return input{In: in, Label: label, Hint: hint, On: v.On(in)}
}

// Field returns a field of the TDoc template.
func (v *view) Field(f fieldInput, t *words) input {
	out := input{In: f.In, Label: f.Label, Hint: t.Stored, Type: f.Input, Max: f.MaxLength, V: v.V(f.In), Wrong: v.Wrong(f.In)}
	if f.InPayload {
		out.Hint = t.Signed
	}
	if !f.Required {
		out.Note = t.Optional
	}
	return out
}

// CanLoad reports whether there are templates with settings.
func (v *view) CanLoad() bool { return v.Kind == kindStamp && len(v.Placements)+len(v.Tdocs) > 0 }

// MoreOpen reports whether a member that is folded away has a problem.
func (v *view) MoreOpen() bool {
	for _, in := range []string{inHeight, inTop, inRight, inBottom, inLeft, inPadding, inOpacity, inQuiet, inModule, inDPI, inRendering, inCaptionText, inCaptionSide, inCaptionFont} {
		if len(v.bad[in]) > 0 {
			return true
		}
	}
	return false
}

// PageList names the stamped pages.
func (v *view) PageList() string {
	if len(v.answer.Pages) > 20 {
		return fmt.Sprintf("%d–%d", v.answer.Pages[0], v.answer.Pages[len(v.answer.Pages)-1])
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(v.answer.Pages), " ", ", "), "[]")
}

// An area is where a file is dropped.
type area struct {
	To  string
	Max int
	W   *words
}

// Area returns the place for a file.
func (v *dropView) Area(t *words) area { return area{v.To, v.MaxMiB, t} }

// Area returns the place for the next file.
func (v *doneView) Area(t *words) area { return area{v.Base + "/file", v.MaxMiB, t} }
