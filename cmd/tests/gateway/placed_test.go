package gateway_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/scanner"
	"tcode/scanner/symbol"
)

// TestRandomPlacements sends random placements, with numbers at and beyond their edges, for pages of
// many forms. No answer is an error of the gateway. Template, preview, stamp and bulk job agree. Each
// stamp is read on each of its pages at 150 dpi, and lies on the visible page with its quiet zone.
// TCODE_PLACEMENTS is the number of placements.
func TestRandomPlacements(t *testing.T) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("TCODE_PLACEMENTS"), "60"))
	if err != nil {
		t.Fatal(err)
	}
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("TCODE_PLACEMENTS_SEED"), "1"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	f := &fitting{T: t, w: world.New(t, 8), forms: sheetForms(), counts: map[string]int{}}
	f.scanner = scanner.New(scanner.Config{
		FirstDPI: scanner.DefaultFirst, ThoroughDPI: scanner.DefaultFirst, Budget: 2 * time.Minute,
	})
	t.Cleanup(func() { f.scanner.Close() })
	for i := range n {
		if i > 0 && i%1000 == 0 {
			t.Logf("%d placements", i)
		}
		f.place(i, placer{rand.New(rand.NewPCG(seed, uint64(i)))})
	}
	t.Logf("%d placements: %v", n, f.counts)
	for _, least := range []struct {
		what string
		n    int
	}{{"stamp 201", n / 4}, {"stamp 422", n / 20}, {"template 400", n / 20}, {"bulk Succeeded", n / 60}} {
		if f.counts[least.what] < least.n {
			t.Errorf("%s: %d of %d, want %d and more", least.what, f.counts[least.what], n, least.n)
		}
	}
}

// A fitting tries placements.
type fitting struct {
	*testing.T
	w       *world.World
	forms   []sheetForm
	scanner *scanner.Scanner
	counts  map[string]int
}

// A trial is one placement on one file.
type trial struct {
	*fitting
	by    world.Issuer
	body  map[string]any
	pages []sheetForm
}

func (c trial) bad(format string, args ...any) {
	c.Helper()
	c.Errorf("%s\n%v on %v", fmt.Sprintf(format, args...), c.body, c.pages)
}

// send posts a body, and checks what every answer must be.
func (c trial) send(what, path string, body map[string]any) (int, map[string]any) {
	c.Helper()
	status, answer := c.w.Try(c.by, path, body)
	c.counts[fmt.Sprint(what, " ", status)]++
	ok := status == 200 || status == 201
	if message, _ := answer["message"].(string); !ok && (status != 400 && status != 422 || message == "") {
		c.bad("%s: %d %v", what, status, answer)
	}
	return status, answer
}

// place tries one placement: in a preview, as a template, in a stamp, and now and then in a bulk job.
func (f *fitting) place(i int, r placer) {
	pages := []sheetForm{f.forms[r.IntN(len(f.forms))]}
	for r.some(0.2) {
		pages = append(pages, f.forms[r.IntN(len(f.forms))])
	}
	c := trial{f, f.w.Issuers[i%len(f.w.Issuers)], r.placement(), pages}
	pdf := pagesPDF(pages)
	asked := map[string]any{"pdf": world.Base64(pdf), "placement": c.body}
	previewed, preview := c.send("preview", "/v1/tcode/templates/placement/preview", asked)
	made, template := c.send("template", "/v1/tcode/templates/placement", c.body)
	if made != 201 {
		if previewed != made {
			c.bad("template %d %v, preview %d", made, template, previewed)
		}
		return
	}
	data := template["data"].(map[string]any)
	placed := map[string]any{"placementTemplateId": data["id"]}
	stamp := maps.Clone(placed)
	maps.Copy(stamp, map[string]any{
		"name": fmt.Sprint("p", i), "documentTypeCode": "DIP",
		"pdf": world.Base64(pdf),
	})
	status, answer := c.send("stamp", "/v1/tcode/stamps", stamp)
	c.agree(previewed, preview, status, answer)
	c.shown(preview)
	if status == 201 {
		record := answer["data"].(map[string]any)
		c.stamped(record["id"].(string), preview)
	}
	if i%10 == 0 {
		c.bulk(placed, pdf, status, answer, preview)
	}
}

// agree compares a preview with the stamp that followed.
func (c trial) agree(previewed int, preview map[string]any, status int, stamp map[string]any) {
	c.Helper()
	if data, ok := preview["data"].(map[string]any); ok {
		if refusal, ok := data["refusal"].(map[string]any); ok {
			preview, previewed = refusal, 422
		}
	}
	if (previewed == 200) != (status == 201) || status != 201 && preview["code"] != stamp["code"] {
		c.bad("preview %d %v %v, stamp %d %v %v",
			previewed, preview["code"], preview["message"], status, stamp["code"], stamp["message"])
	}
}

// shown checks the places of a preview: all of each lies on its page.
func (c trial) shown(preview map[string]any) {
	c.Helper()
	for _, at := range places(preview) {
		w, h := c.pages[int(at["page"].(float64))-1].size()
		for _, part := range []string{"box", "quietZone", "symbol"} {
			x, y, wide, high := rectangle(at[part])
			const slack = 0.001
			if x < -slack || y < -slack || x+wide > w+slack || y+high > h+slack {
				c.bad("preview: %s %v beyond the page of %g x %g mm", part, at[part], w, h)
			}
		}
	}
}

// stamped reads a stamped file at 150 dpi: its symbol is on each page that the record names, at
// the place of the preview.
func (c trial) stamped(id string, preview map[string]any) {
	c.Helper()
	var record struct{ Data struct{ Pages []int } }
	c.w.Call(c.by, "GET", "/v1/tcode/stamps/"+id, nil, &record)
	text := strings.TrimSpace(string(c.w.Download(c.by, id, "payload")))
	why, read := map[int]string{}, map[int]bool{}
	file := c.w.Download(c.by, id, "stamped")
	err := c.scanner.Read(c.Context(), "stamped.pdf", file, scanner.DocumentOptions{}, func(p scanner.Page) error {
		why[p.Number] = p.Reading.Reason.Message
		for i := range p.Reading.Symbols {
			s := &p.Reading.Symbols[i]
			read[p.Number] = read[p.Number] || s.Text == text
			c.inside(p, s.Corners, s.Cols, preview)
		}
		return nil
	})
	if err != nil {
		c.bad("read: %v", err)
	}
	for _, page := range record.Data.Pages {
		if !read[page] {
			c.bad("page %d is not read at 150 dpi: %s", page, why[page])
		}
	}
	if len(read) != len(record.Data.Pages) {
		c.bad("symbols on pages %v, the record has %v", read, record.Data.Pages)
	}
}

// inside checks that a symbol lies where the preview says, of which shown has checked that it lies
// on the page with its quiet zone. A side is known to 2 px, 3 px of a first look, or a module
// of a large symbol. A renderer draws all of a crop box that exceeds the page: the place is unknown then.
func (c trial) inside(p scanner.Page, corners [4][2]float64, modules int, preview map[string]any) {
	c.Helper()
	w, h := c.pages[p.Number-1].size()
	px := max(w, h) / float64(max(p.WidthPx, p.HeightPx)) // mm
	const least = 25.4 / scanner.DefaultFirst
	whole := px > 0.98*least
	px = max(px, least)
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, at := range corners {
		x0, y0, x1, y1 = min(x0, at[0]*px), min(y0, at[1]*px), max(x1, at[0]*px), max(y1, at[1]*px)
	}
	for _, place := range places(preview) {
		if int(place["page"].(float64)) != p.Number {
			continue
		}
		x, y, wide, high := rectangle(place["symbol"])
		off := max(math.Abs(x1-x0-wide), math.Abs(y1-y0-high)) / 2 // of two sides
		if whole {
			off = max(math.Abs(x0-x), math.Abs(y0-y), math.Abs(x1-x-wide), math.Abs(y1-y-high))
		}
		slack := wide / float64(modules)
		if wide > 100 { // the reader's corners of so large a symbol are off by up to two modules
			slack *= 2.5
		}
		if off > max(2*px, 3*math.Sqrt(w*h/symbol.WholePixels), slack) {
			c.bad("page %d of %.1f x %.1f mm: the symbol is at %.2f %.2f %.2f %.2f mm, the preview has %v",
				p.Number, w, h, x0, y0, x1, y1, place["symbol"])
		}
		return
	}
	c.bad("page %d has a symbol, and no place in the preview", p.Number)
}

// places are those of a preview.
func places(preview map[string]any) (list []map[string]any) {
	data, _ := preview["data"].(map[string]any)
	all, _ := data["places"].([]any)
	for _, p := range all {
		list = append(list, p.(map[string]any))
	}
	return list
}

// rectangle returns the numbers of a part of a place, in mm.
func rectangle(part any) (x, y, wide, high float64) {
	r := part.(map[string]any)
	number := func(name string) float64 { return r[name].(float64) }
	return number("x"), number("y"), number("width"), number("height")
}
