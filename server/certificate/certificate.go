package certificate

import (
	"fmt"
	"time"

	"tcode/offline/dates"
	"tcode/server/lettering"
	"tcode/server/pdfstamp"
)

// A Certificate is what a page shows.
type Certificate struct {
	Language  string // BCP 47, of the fixed texts
	Title     string
	Issuer    string
	Recipient string
	Fields    []Field
	Issued    time.Time
	Expires   time.Time // zero: never
	Reference string
	Address   string // of the page that checks the document
	Test      bool
}

// A Field is a value with its label.
type Field struct {
	Key          string
	Label, Value string
}

// A MissingError names the text with a character that cannot be shown.
type MissingError struct {
	Field string // recipientName, documentTitle, issuerName, or the key of a field
	Err   error  // a [*lettering.MissingError]
}

func (e *MissingError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns the error of the character.
func (e *MissingError) Unwrap() error { return e.Err }

// Measures of a page, in mm and in points.
const (
	margin  = 22.0
	right   = pdfstamp.SheetWidth - margin
	inner   = right - margin
	bottom  = pdfstamp.SheetHeight - 24 // of the fields
	footer  = pdfstamp.SheetHeight - 12 // baseline
	corner  = 60                        // width that is left at the right for the symbol and its QR code
	factsAt = pdfstamp.SheetHeight - 54 // and from there down
	named   = 36.0                      // width of the column of labels there
	labels  = 52.0                      // width of the column of labels
	gap     = 6.0

	titlePt, namePt, valuePt, labelPt, smallPt = 24.0, 17.0, 11.0, 9.0, 8.0

	black, dark, pale, hair = 0.0, 0.35, 0.55, 0.8
	mmPerPt                 = 25.4 / 72
)

// Draw returns the PDF of c. The error is a [*MissingError].
func Draw(c Certificate) ([]byte, error) {
	p := &press{words: wordsOf(c.Language), c: c}
	if err := p.head(); err != nil {
		return nil, err
	}
	for _, f := range c.Fields {
		if err := p.field(f); err != nil {
			return nil, err
		}
	}
	if err := p.facts(); err != nil {
		return nil, err
	}
	if err := p.footers(); err != nil {
		return nil, err
	}
	return pdfstamp.WriteSheets(p.sheets, c.Title, p.words.tag), nil
}

// A press sets the pages one after the other. y is where the next line begins, from the top of the last page.
type press struct {
	words  words
	c      Certificate
	sheets []pdfstamp.Sheet
	y      float64
}

func (p *press) sheet() *pdfstamp.Sheet { return &p.sheets[len(p.sheets)-1] }

// leading returns the height of a line.
func leading(pt float64) float64 { return lettering.Leading * pt * mmPerPt * 1.08 }

// wrap sets text in a column.
func wrap(field, text string, width, pt float64) ([]lettering.Line, error) {
	para, err := lettering.Wrap(text, width/(pt*mmPerPt))
	if err != nil {
		return nil, &MissingError{field, err}
	}
	return para.Lines, nil
}

// put draws one line whose top is y in the column from left on: at its left, or at its right in a language that runs there.
// It returns its left end.
func (p *press) put(line lettering.Line, left, width, y, pt, gray float64) (x float64) {
	x = left
	if p.words.leftward {
		x = left + width - line.Width*pt*mmPerPt
	}
	p.sheet().Texts = append(p.sheet().Texts, pdfstamp.Text{X: x, Y: y + lettering.Ascent*pt*mmPerPt, SizePt: pt, Gray: gray, Line: line})
	return x
}

// column mirrors a column in a language that runs from right to left.
func (p *press) column(left, width float64) float64 {
	if p.words.leftward {
		return pdfstamp.SheetWidth - left - width
	}
	return left
}

func (p *press) bar(y, height, gray float64) {
	p.sheet().Bars = append(p.sheet().Bars, pdfstamp.Bar{X: margin, Y: y, Width: inner, Height: height, Gray: gray})
}

// page begins a page.
func (p *press) page() { p.sheets, p.y = append(p.sheets, pdfstamp.Sheet{}), margin }

// block draws lines over the whole width, on this page and the next ones.
func (p *press) block(field, text string, pt, gray float64) error {
	lines, err := wrap(field, text, inner, pt)
	for _, l := range lines {
		if p.y+leading(pt) > bottom {
			p.page()
		}
		p.put(l, margin, inner, p.y, pt, gray)
		p.y += leading(pt)
	}
	return err
}

// head draws issuer, title and recipient.
func (p *press) head() error {
	p.page()
	if p.c.Test {
		if err := p.block("modeType", p.words.test, labelPt, dark); err != nil {
			return err
		}
		p.y += 3
	}
	if err := p.block("issuerName", p.c.Issuer, valuePt, dark); err != nil {
		return err
	}
	p.y += 2
	p.bar(p.y, 0.7, black)
	p.y += 12
	if err := p.block("documentTitle", p.c.Title, titlePt, black); err != nil {
		return err
	}
	p.y += 9
	if err := p.block("", p.words.issuedTo, labelPt, pale); err != nil {
		return err
	}
	p.y++
	if err := p.block("recipientName", p.c.Recipient, namePt, black); err != nil {
		return err
	}
	p.y += 10
	return nil
}

// field draws a label and its value side by side, below a hairline. A page break may come between two lines.
func (p *press) field(f Field) error {
	label, err := wrap(f.Key, f.Label, labels-gap, labelPt)
	if err != nil {
		return err
	}
	value, err := wrap(f.Key, f.Value, inner-labels, valuePt)
	if err != nil {
		return err
	}
	const pad = 2.2
	if p.y+2*pad+min(float64(len(value)), 2)*leading(valuePt) > bottom {
		p.page()
	}
	p.bar(p.y, 0.15, hair)
	p.y += pad
	for i := range max(len(label), len(value)) {
		if p.y+leading(valuePt) > bottom {
			p.page()
		}
		if i < len(label) {
			p.put(label[i], p.column(margin, labels-gap), labels-gap, p.y+(valuePt-labelPt)*lettering.Ascent*mmPerPt, labelPt, dark)
		}
		if i < len(value) {
			p.put(value[i], p.column(margin+labels, inner-labels), inner-labels, p.y, valuePt, black)
		}
		p.y += leading(valuePt)
	}
	p.y += pad
	return nil
}

// facts draws reference, dates and address at the bottom of the last page, beside the corner of the symbol.
func (p *press) facts() error {
	type fact struct{ label, value, link string }
	facts := []fact{{p.words.reference, p.c.Reference, ""}, {p.words.issued, dates.Day(p.c.Issued), ""}}
	if !p.c.Expires.IsZero() {
		facts = append(facts, fact{p.words.expires, dates.LastDay(p.c.Expires), ""})
	}
	const width = right - corner - margin
	var lines []func(y float64) float64
	for _, f := range append(facts, fact{p.words.check, p.c.Address, p.c.Address}) {
		label, err := wrap("", f.label, named-2, smallPt)
		if err != nil {
			return err
		}
		value, err := wrap("", f.value, width-named, labelPt)
		if err != nil {
			return err
		}
		lines = append(lines, func(y float64) float64 {
			for i, l := range label {
				p.put(l, p.factColumn(0, named-2), named-2, y+float64(i)*leading(smallPt)+0.2, smallPt, dark)
			}
			for i, l := range value {
				top := y + float64(i)*leading(labelPt)
				x := p.put(l, p.factColumn(named, width-named), width-named, top, labelPt, black)
				if f.link != "" {
					p.sheet().Links = append(p.sheet().Links, pdfstamp.Link{
						X: x, Y: top, Width: l.Width * labelPt * mmPerPt, Height: leading(labelPt), Address: f.link,
					})
				}
			}
			return y + max(float64(len(label))*leading(smallPt), float64(len(value))*leading(labelPt)) + 1.6
		})
	}
	if p.y > factsAt-4 {
		p.page()
	}
	p.bar(factsAt-4, 0.15, hair)
	for y := float64(factsAt); len(lines) > 0; lines = lines[1:] {
		y = lines[0](y)
	}
	return nil
}

// factColumn returns the left end of a column of facts. The symbol lies at the right, whatever the language.
func (p *press) factColumn(left, width float64) float64 {
	const all = right - corner - margin
	if p.words.leftward {
		return margin + all - left - width
	}
	return margin + left
}

// footers numbers the pages if there are several, and names the document on each of them.
func (p *press) footers() error {
	if len(p.sheets) == 1 {
		return nil
	}
	for i := range p.sheets {
		line, err := lettering.Shape(p.c.Reference + " · " + fmt.Sprintf(p.words.page, i+1, len(p.sheets)))
		if err != nil {
			return err
		}
		x := margin
		if p.words.leftward && i < len(p.sheets)-1 { // where the last page has the symbol
			x = right - line.Width*smallPt*mmPerPt
		}
		p.sheets[i].Texts = append(p.sheets[i].Texts, pdfstamp.Text{X: x, Y: footer, SizePt: smallPt, Gray: pale, Line: line})
	}
	return nil
}
