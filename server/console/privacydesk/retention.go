package privacydesk

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/privacy"
)

// kindRow is a kind of data with its time.
type kindRow struct {
	privacy.Rule
	Name, About       string
	Days              string // in the field; "" with Forever
	Forever           bool
	Endless           bool   // it may be kept forever
	Kept, Else, Range string // its time, its default, and the times that may be set, for people
	Wrong             string
	Noted             bool // what is removed is noted
	Removed           int  // by the last sweep that removed something
	RemovedAt         string
}

// form is what a person typed for the times.
type form struct {
	in    url.Values
	wrong map[string][]fault.Text // by kind
}

// Names of the fields of a kind.
func daysField(k privacy.Kind) string    { return "days-" + string(k) }
func foreverField(k privacy.Kind) string { return "forever-" + string(k) }

// rows returns the kinds for people. typed, if not nil, is what was refused.
func rows(set privacy.Settings, swept privacy.Swept, typed *form, t *texts) (out []kindRow) {
	for _, r := range privacy.Rules() {
		days := set.Days(r.Kind)
		row := kindRow{
			Rule: r, Name: t.Kinds[r.Kind].Name, About: t.Kinds[r.Kind].About, Forever: days == 0, Endless: r.Most == 0, Kept: t.time(days), Else: t.time(r.Default),
			Noted: r.Kind != privacy.Deliveries, // package webhook removes them
			Range: t.With(t.Range, r.Least, r.Longest()), Removed: swept.Last[r.Kind].N, RemovedAt: frame.Moment(swept.Last[r.Kind].At),
		}
		if days != 0 {
			row.Days = strconv.Itoa(days)
		}
		if typed != nil && !r.Fixed {
			row.Days, row.Forever = typed.in.Get(daysField(r.Kind)), typed.in.Has(foreverField(r.Kind))
			if len(typed.wrong[string(r.Kind)]) > 0 {
				row.Wrong = row.Range
			}
		}
		out = append(out, row)
	}
	return out
}

// settings returns the times of a form. A time that equals the default is not set, so that
// it follows the default.
func settings(in url.Values) privacy.Settings {
	set := privacy.Settings{}
	for _, r := range privacy.Rules() {
		if r.Fixed || !in.Has(daysField(r.Kind)) && !in.Has(foreverField(r.Kind)) {
			continue
		}
		days := 0
		if !in.Has(foreverField(r.Kind)) {
			var err error
			if days, err = strconv.Atoi(strings.TrimSpace(in.Get(daysField(r.Kind)))); err != nil || days == 0 {
				days = -1 // is refused by the service
			}
		}
		if days != r.Default {
			set[r.Kind] = days
		}
	}
	return set
}

// A change is a time that becomes shorter.
type change struct{ Name, From, To string }

// shorter returns the times that become shorter: the next sweep deletes by them.
func shorter(old, set privacy.Settings, t *texts) (out []change) {
	for _, r := range privacy.Rules() {
		from, to := old.Days(r.Kind), set.Days(r.Kind)
		if to != 0 && (from == 0 || to < from) {
			out = append(out, change{t.Kinds[r.Kind].Name, t.time(from), t.time(to)})
		}
	}
	return out
}

// shortenView is the data of the screen that confirms shorter times.
type shortenView struct {
	Changes []change
	Fields  []field
	Typed   string // what is to be typed
	Wrong   bool   // something else was typed
}

// A field is a hidden field of a form.
type field struct{ Name, Value string }

func (d *desk) retention(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if err := r.ParseForm(); err != nil {
		d.Failed(w, r, fault.New(fault.Invalid, fault.CodeValidationFailed, "the form is not valid").WithErr(err))
		return
	}
	ctx, ref := r.Context(), v.Tenant.Reference
	old, err := d.c.Privacy.Retention(ctx, ref)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	set := settings(r.PostForm)
	if f := fault.As(set.Check()); set.Check() != nil {
		d.draw(w, r, v, http.StatusBadRequest, view{}, &form{r.PostForm, f.Fields})
		return
	}
	p, t := d.page(r, v, nil)
	if s := (shortenView{Changes: shorter(old, set, t), Typed: ref}); len(s.Changes) > 0 && !same(r.PostForm.Get("typed"), ref) {
		status := http.StatusOK
		if s.Wrong = r.PostForm.Has("typed"); s.Wrong {
			status = http.StatusBadRequest
		}
		for name, values := range r.PostForm {
			if strings.HasPrefix(name, "days-") || strings.HasPrefix(name, "forever-") {
				s.Fields = append(s.Fields, field{name, values[0]})
			}
		}
		p.Title, p.D, p.Back = t.ShortenAsk, s, home
		d.Draw(w, r, status, "privacydesk/shorten", p)
		return
	}
	if err := d.c.Privacy.SetRetention(ctx, ref, frame.Identity(r, v).By(), set); err != nil {
		d.Failed(w, r, err)
		return
	}
	frame.Back(w, r, home, "kept")
}

// same compares a typed confirmation in any case, without spaces and hyphens.
func same(typed, want string) bool {
	plain := strings.NewReplacer(" ", "", "-", "", "\t", "")
	return strings.EqualFold(plain.Replace(typed), plain.Replace(want))
}
