package video_test

import (
	"bytes"
	"context"
	"errors"
	"image/jpeg"
	"math/rand/v2"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/simulate/video"
	"tcode/scanner/symbol"
)

// stamped returns a page of text with a symbol, its text, and the middle of the symbol.
func stamped(t *testing.T, seed uint64) (page *gray.Image, text string, middle gray.Point) {
	t.Helper()
	s, text, err := simulate.RandomText(rand.New(rand.NewPCG(seed, 1)), 40)
	if err != nil {
		t.Fatal(err)
	}
	page = simulate.Clutter(1200, 1000, 26, seed)
	simulate.Draw(page, s, simulate.Place{X: 500, Y: 400, ModulePx: 6, Quiet: 2}, 0, 255)
	return page, text, gray.Point{X: 620, Y: 520}
}

// TestFrames reads the sharp frames of random scenes, and none of the blurred start.
func TestFrames(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		page, text, middle := stamped(t, seed)
		s := video.Random(page, middle, 0.9, seed)
		for _, i := range []int{0, s.Blurred, s.Blurred + 10} {
			m, err := s.Frame(i)
			if err != nil {
				t.Fatal(err)
			}
			got := symbol.ReadImage(context.Background(), m, symbol.Options{MaxSymbols: 1})
			switch read := len(got.Symbols) == 1 && got.Symbols[0].Text == text; {
			case len(got.Symbols) > 0 && !read:
				t.Errorf("seed %d, frame %d: wrong text", seed, i)
			case i == 0 && read:
				t.Errorf("seed %d: the blurred start is read", seed)
			case i > 0 && !read:
				t.Errorf("seed %d, frame %d: %s", seed, i, got.Reason.Message)
			}
		}
	}
}

// TestMJPEG decodes all frames of a video, and gets the same bytes again.
func TestMJPEG(t *testing.T) {
	t.Parallel()
	page, _, middle := stamped(t, 1)
	s := video.Random(page, middle, 0.9, 1)
	s.Frames, s.Width, s.Height = 5, 320, 240
	var a, b bytes.Buffer
	if err := errors.Join(s.MJPEG(&a), s.MJPEG(&b)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the same scene gives other bytes")
	}
	for i, one := range bytes.SplitAfter(a.Bytes(), []byte{0xff, 0xd9}) {
		if len(one) == 0 {
			continue
		}
		m, err := jpeg.Decode(bytes.NewReader(one))
		if err != nil {
			t.Fatalf("frame %d: %v", i, err)
		}
		if b := m.Bounds(); b.Dx() != 320 || b.Dy() != 240 {
			t.Errorf("frame %d has %v", i, b)
		}
	}
}

// TestNumbers: each frame of a video shows its number, also where its picture came before.
func TestNumbers(t *testing.T) {
	t.Parallel()
	page, _, middle := stamped(t, 1)
	s := video.Random(page, middle, 0.9, 1)
	s.Blurred, s.Sharp, s.Frames, s.Width, s.Height, s.Numbered = 2, 2, 7, 320, 240, true
	var out bytes.Buffer
	if err := s.MJPEG(&out); err != nil {
		t.Fatal(err)
	}
	files := bytes.SplitAfter(out.Bytes(), []byte{0xff, 0xd9})
	for want := range s.Frames {
		drawn, err := s.Frame(want)
		if err != nil {
			t.Fatal(err)
		}
		img, err := jpeg.Decode(bytes.NewReader(files[want]))
		if err != nil {
			t.Fatalf("frame %d: %v", want, err)
		}
		for name, m := range map[string]*gray.Image{"a frame": drawn, "a frame of the video": simulate.FromImage(img)} {
			got := 0
			for i := range video.Bits {
				got = got<<1 | int(m.Row(m.Height - video.Cell/2)[video.Cell*i+video.Cell/2]>>7)
			}
			if got != want {
				t.Errorf("%s shows %d, want %d", name, got, want)
			}
		}
	}
}

// TestNoScene checks the scenes that show nothing.
func TestNoScene(t *testing.T) {
	t.Parallel()
	for _, s := range []video.Scene{{Page: gray.New(0, 0)}, {Page: gray.New(10, 10), Tilt: 90, Scale: 1000}} {
		if _, err := s.Frame(0); !errors.Is(err, video.ErrScene) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
