package lettering

import (
	"strings"

	"github.com/go-text/typesetting/segmenter"
	"golang.org/x/text/unicode/bidi"
)

// A Paragraph is text on several lines.
type Paragraph struct {
	Lines    []Line
	Leftward bool // it runs from right to left
}

// Wrap sets text on lines of at most width em. It breaks lines where Unicode Standard Annex 14 allows it, but not in a
// reference such as TRF-7KQ2M4X9T1C3V5B8, and a word that is longer than a line between characters. A line feed begins a new
// line too. All lines have one direction, that of the text's first strong character. The error is a [*MissingError].
func Wrap(text string, width float64) (p Paragraph, err error) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ").Replace(text)
	p.Leftward = leftward(text)
	for part := range strings.SplitSeq(text, "\n") {
		if err := p.wrap(part, width); err != nil {
			return p, err
		}
	}
	return p, nil
}

// wrap adds the lines of text, which has no line feed.
func (p *Paragraph) wrap(text string, width float64) error {
	var all segmenter.Segmenter
	all.Init([]rune(text))
	var parts []string // that need not stay on one line
	for i := all.LineIterator(); i.Next(); {
		part := string(i.Line().Text)
		if last := len(parts) - 1; last >= 0 && (strings.HasSuffix(parts[last], "TRF-") || strings.HasSuffix(parts[last], "TCR-")) {
			parts[last] += part
			continue
		}
		parts = append(parts, part)
	}
	line := ""
	for i := 0; i < len(parts); {
		fits, err := p.fits(line+parts[i], width)
		switch {
		case err != nil:
			return err
		case fits:
			line += parts[i]
			i++
		case line == "":
			head, rest, err := p.split(parts[i], width)
			if err != nil {
				return err
			}
			if rest == "" {
				line, i = head, i+1
				continue
			}
			parts[i] = rest
			if err := p.add(head); err != nil {
				return err
			}
		default:
			if err := p.add(line); err != nil {
				return err
			}
			line = ""
		}
	}
	return p.add(line)
}

// split cuts a word so that its head fits, with one character at least.
func (p *Paragraph) split(word string, width float64) (head, rest string, err error) {
	var all segmenter.Segmenter
	all.Init([]rune(word))
	for i := all.GraphemeIterator(); i.Next(); {
		next := string(i.Grapheme().Text)
		if head != "" {
			fits, err := p.fits(head+next, width)
			if err != nil || !fits {
				return head, word[len(head):], err
			}
		}
		head += next
	}
	return head, "", nil
}

// fits reports whether text is at most that wide. White space at its end does not count.
func (p *Paragraph) fits(text string, width float64) (bool, error) {
	l, err := p.shape(text)
	return l.Width <= width, err
}

func (p *Paragraph) add(text string) error {
	l, err := p.shape(text)
	p.Lines = append(p.Lines, l)
	return err
}

// shape sets a line in the direction of the paragraph.
func (p *Paragraph) shape(text string) (Line, error) {
	text = strings.TrimRight(text, " ")
	mark := "\u200e"
	if p.Leftward {
		mark = "\u200f"
	}
	l, err := Shape(mark + text)
	l.Text = text
	for i := range l.Glyphs { // the mark is not a part of the text
		l.Glyphs[i].text = strings.TrimPrefix(l.Glyphs[i].text, mark)
	}
	return l, err
}

// leftward reports whether the first strong character of text runs from right to left (Unicode Standard Annex 9, rule P2).
func leftward(text string) bool {
	for _, r := range text {
		c, _ := bidi.LookupRune(r)
		if class := c.Class(); class == bidi.L || class == bidi.R || class == bidi.AL {
			return class != bidi.L
		}
	}
	return false
}
