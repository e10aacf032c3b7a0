package restamp

import "strings"

// A stamp's stream closes the graphics states that the page's contents leave open, fills a
// white box, and paints the symbol:
//
//	drawing = "/Artifact BMC\nq " 6 number "cm " [ fill(1) "0 0 " 2 number "re f " ] fill(0)
//	          number "0 0 " 3 number "cm " label "Do Q\nEMC\n"
//	fill(v) = v " g " | label "cs " v " sc "
//	number  = ["-"] 1*digit ["." 1*digit] " "
//	label   = "/TCode" *(digit | "A".."Z") ["." 1*digit] " "

// A drawing has the names in a stamp's stream.
type drawing struct {
	white, black string // color spaces; "" for the device's gray
	image        string
}

// opens reports whether text only saves the graphics state, up to 32 times.
func opens(text string) bool {
	n := strings.Count(text, "q ")
	return n >= 1 && n <= 32 && len(text) == n*len("q ")
}

// alone reads the stream of a stamp that is the first of its page.
func alone(text string) (drawing, bool) {
	c := cursor{rest: text}
	d := c.drawing()
	return d, c.done()
}

// behind reads the stream of a stamp that follows the page's contents.
func behind(text string) (drawing, bool) {
	c := cursor{rest: text}
	c.word("\n")
	c.maybe("n ")
	c.maybe("ET ")
	for c.maybe("EMC ") {
	}
	c.word("Q ")
	for c.maybe("Q ") {
	}
	c.word("\n")
	d := c.drawing()
	return d, c.done()
}

func (c *cursor) drawing() (d drawing) {
	c.word("/Artifact BMC\nq ")
	c.numbers(6)
	c.word("cm ")
	box := *c
	d.white = box.fill("1")
	box.word("0 0 ")
	box.numbers(2)
	box.word("re f ")
	if box.failed {
		d.white = ""
	} else {
		*c = box
	}
	d.black = c.fill("0")
	c.numbers(1)
	c.word("0 0 ")
	c.numbers(3)
	c.word("cm ")
	d.image = c.label()
	c.word("Do Q\nEMC\n")
	return d
}

// fill takes the color value and returns the name of its color space.
func (c *cursor) fill(value string) (space string) {
	if c.maybe(value + " g ") {
		return ""
	}
	space = c.label()
	c.word("cs " + value + " sc ")
	return space
}

// label takes a name of the stamp's and returns it without its slash.
func (c *cursor) label() string {
	c.word("/")
	start := c.rest
	c.word("TCode")
	c.some(func(b byte) bool { return isDigit(b) || 'A' <= b && b <= 'Z' })
	c.fraction()
	name := start[:len(start)-len(c.rest)]
	c.word(" ")
	return name
}

func (c *cursor) numbers(n int) {
	for range n {
		c.maybe("-")
		c.digits()
		c.fraction()
		c.word(" ")
	}
}

// fraction takes a point with digits, if there is one.
func (c *cursor) fraction() {
	if c.maybe(".") {
		c.digits()
	}
}
