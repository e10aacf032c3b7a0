package pages

// A Brand is how an issuer looks. Empty members are not shown.
type Brand struct {
	Colour        string // of a line below the name: # and six hexadecimal digits
	Logo          string // address on this gateway
	Width, Height int    // of the logo, px
	Email, Phone  string
	Web           string // https address
}

// The grounds of the line in a brand's colour, on light and on dark pages. public.css has
// them, too.
const (
	GroundLight = "#f3f4f7"
	GroundDark  = "#0d0f14"
)

// Reachable reports whether b says how to reach the issuer.
func (b Brand) Reachable() bool { return b.Email != "" || b.Phone != "" || b.Web != "" }

// About is what a page says in addition to the answer.
type About struct {
	Brand  Brand
	Name   string            // of the stamp; "": the issuer does not show it
	Labels map[string]string // of the fields of the stamp's template, by key
}

// About returns the pages of one document. p stays as it is.
func (p *Pages) About(a About) *Pages {
	one := *p
	one.about = a
	return &one
}
