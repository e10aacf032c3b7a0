package score

import (
	"errors"
	"fmt"
	"slices"

	"tcode/scanner/bench/pages"
)

// A FrameAnswer is the answer of two readers for one frame of a camera.
type FrameAnswer struct {
	Own, Peer     string
	OwnMs, PeerMs float64
}

// Frames are the counts of camera frames of 1280x720 px. CPUms is wall time.
type Frames struct {
	Where string `json:"where"` // where they were read: node, or a browser
	Empty bool   `json:"empty"` // they show text and no symbol
	Own   Count  `json:"own"`
	Peer  Count  `json:"zxingWasm"`
}

// Bars of one frame, ms.
const frameMs, emptyFrameMs = 20.0, 30.0

var errFrames = errors.New("not every frame was answered")

// CountFrames counts answers, one for each row in order: those with a symbol, and those without.
func CountFrames(where string, rows []*Row, answers []FrameAnswer) ([]*Frames, error) {
	if len(rows) != len(answers) {
		return nil, fmt.Errorf("%d of %d: %w", len(answers), len(rows), errFrames)
	}
	all := []*Frames{countFrames(where, false, rows, answers), countFrames(where, true, rows, answers)}
	return slices.DeleteFunc(all, func(f *Frames) bool { return f.Own.Pages == 0 }), nil
}

// countFrames counts the answers for the rows with a symbol, or for those without.
func countFrames(where string, empty bool, rows []*Row, answers []FrameAnswer) *Frames {
	f := &Frames{Where: where, Empty: empty}
	var own, peer []float64
	count := func(c *Count, text, want string) {
		c.Pages++
		switch {
		case text == want && text != "":
			c.Read++
		case text != "":
			c.Wrong++
		}
	}
	for i, a := range answers {
		if (rows[i].Truth.Variant == pages.Empty) != empty {
			continue
		}
		want := latin1(rows[i].Truth.Text)
		count(&f.Own, a.Own, want)
		if !empty && rows[i].Truth.Maker != "own" && a.Peer != "" {
			a.Peer = want // the peer guesses the charset of bytes; package readers compares the bytes
		}
		count(&f.Peer, a.Peer, want)
		own, peer = append(own, a.OwnMs), append(peer, a.PeerMs)
	}
	f.Own.CPUms, f.Peer.CPUms = Median(own), Median(peer)
	return f
}

// latin1 returns bytes as text, one character each.
func latin1(b []byte) string {
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = rune(c)
	}
	return string(out)
}

// Bars returns the bars of camera frames, or none if f is nil.
func (f *Frames) Bars() []Bar {
	if f == nil {
		return nil
	}
	kind, most := "", frameMs
	if f.Empty {
		kind, most = " of text without a symbol", emptyFrameMs
	}
	time := Bar{
		"1280x720 frame" + kind + " in Go wasm, wall time in " + f.Where, fmt.Sprintf("at most zxing-wasm's and %.0f ms", most),
		fmt.Sprintf("%.1f ms, zxing-wasm %.1f ms, median of %d", f.Own.CPUms, f.Peer.CPUms, f.Own.Pages), f.Own.CPUms <= f.Peer.CPUms && f.Own.CPUms <= most,
	}
	if f.Empty {
		return []Bar{time, {
			"1280x720 frames without a symbol in " + f.Where, "no text", fmt.Sprintf("%d, zxing-wasm %d", f.Own.Wrong, f.Peer.Wrong), f.Own.Wrong == 0,
		}}
	}
	return []Bar{
		time,
		{
			"1280x720 frames read in " + f.Where, "at least zxing-wasm's",
			fmt.Sprintf("%d, %d wrong, zxing-wasm %d, of %d", f.Own.Read, f.Own.Wrong, f.Peer.Read, f.Own.Pages), f.Own.Read >= f.Peer.Read && f.Own.Wrong == 0,
		},
	}
}
