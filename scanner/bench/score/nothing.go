package score

import (
	"fmt"
	"io"
	"text/tabwriter"

	"tcode/scanner/bench/readers"
)

// Nothing is a class of images without a symbol with the cost and the finds of the readers.
type Nothing struct {
	Class  string             `json:"class"`
	Images int                `json:"images"`
	CPUms  map[string]float64 `json:"cpuMs"` // by reader: of all images together
	Found  map[string]int     `json:"found"` // by reader: images with a text, all of them wrong
}

// Count adds the result of a reader for one image.
func (n *Nothing) Count(reader string, r readers.Result) {
	n.CPUms[reader] += r.CPUms
	if r.Read {
		n.Found[reader]++
	}
}

// PrintNothing prints the classes, one on each line, with the readers called names.
func PrintNothing(w io.Writer, all []Nothing, names []string) error {
	t := tabwriter.NewWriter(w, 0, 1, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\nNO SYMBOL: CPU ms of all images together\nclass\timages\t")
	for _, n := range names {
		fmt.Fprintf(t, "%s\tfound\t", n)
	}
	fmt.Fprintln(t)
	for i := range all {
		n := &all[i]
		fmt.Fprintf(t, "%s\t%d\t", n.Class, n.Images)
		for _, name := range names {
			fmt.Fprintf(t, "%.1f\t%d\t", n.CPUms[name], n.Found[name])
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// NothingBars returns a bar for each class that zxing-wasm looked at too.
func NothingBars(all []Nothing) (out []Bar) {
	for i := range all {
		n := &all[i]
		own, peer := n.CPUms[readers.Own], n.CPUms[readers.Wasm]
		if own <= 0 || peer <= 0 {
			continue
		}
		out = append(out, Bar{
			"no symbol: " + n.Class + ", CPU", "at most zxing-wasm's, 0 found",
			fmt.Sprintf("%.2f times, %.1f ms an image, %d found", own/peer, own/float64(n.Images), n.Found[readers.Own]),
			own <= peer && n.Found[readers.Own] == 0,
		})
	}
	return out
}
