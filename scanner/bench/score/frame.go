package score

import (
	"errors"
	"fmt"
)

// A FrameAnswer is the answer of two readers for one frame of a camera.
type FrameAnswer struct {
	Own, Peer     string
	OwnMs, PeerMs float64
}

// Frames are the counts of camera frames of 1280x720 px. CPUms is wall time.
type Frames struct {
	Where string `json:"where"` // where they were read: node, or a browser
	Own   Count  `json:"own"`
	Peer  Count  `json:"zxingWasm"`
}

var errFrames = errors.New("not every frame was answered")

// CountFrames counts answers, one for each row in order.
func CountFrames(where string, rows []*Row, answers []FrameAnswer) (*Frames, error) {
	if len(rows) != len(answers) {
		return nil, fmt.Errorf("%d of %d: %w", len(answers), len(rows), errFrames)
	}
	f := &Frames{Where: where}
	var own, peer []float64
	count := func(c *Count, text, want string) {
		c.Pages++
		switch {
		case text == want:
			c.Read++
		case text != "":
			c.Wrong++
		}
	}
	for i, a := range answers {
		want := latin1(rows[i].Truth.Text)
		count(&f.Own, a.Own, want)
		if rows[i].Truth.Maker != "own" && a.Peer != "" {
			a.Peer = want // the peer guesses the charset of bytes; package readers compares the bytes
		}
		count(&f.Peer, a.Peer, want)
		own, peer = append(own, a.OwnMs), append(peer, a.PeerMs)
	}
	f.Own.CPUms, f.Peer.CPUms = Median(own), Median(peer)
	return f, nil
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
	return []Bar{
		{
			"1280x720 frame in Go wasm, wall time in " + f.Where, "at most zxing-wasm's",
			fmt.Sprintf("%.1f ms, zxing-wasm %.1f ms, median of %d", f.Own.CPUms, f.Peer.CPUms, f.Own.Pages), f.Own.CPUms <= f.Peer.CPUms,
		},
		{
			"1280x720 frames read in " + f.Where, "at least zxing-wasm's",
			fmt.Sprintf("%d, %d wrong, zxing-wasm %d, of %d", f.Own.Read, f.Own.Wrong, f.Peer.Read, f.Own.Pages), f.Own.Read >= f.Peer.Read && f.Own.Wrong == 0,
		},
	}
}
