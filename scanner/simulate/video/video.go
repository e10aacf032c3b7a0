// Package video makes videos for the fake camera of a browser: a hand holds a page in front of a phone, and the camera
// focuses on it. Call [Random] or fill a [Scene], then [Scene.MJPEG].
//
//	page ─▶ place, turn, tilt ─▶ shake ─▶ focus ─▶ light, noise ─▶ JPEG ─▶ one after the other
//
// Everything is deterministic: the same scene gives the same bytes.
package video

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// ErrScene means that a scene shows nothing: the page is empty, or the camera looks along the paper.
var ErrScene = errors.New("the scene shows no page")

// A Scene is a page that a hand holds in front of a camera.
type Scene struct {
	Page   *gray.Image
	Middle gray.Point // of the page, px: it is in the middle of the picture

	Width, Height int     // of a frame, px; zero: 1280 x 720
	Scale         float64 // px of the frame for one of the page; zero: 1
	Turn          float64 // of the page, degrees clockwise
	Tilt          float64 // of the page away from the camera, degrees: -60 to 60
	TiltAxis      float64 // direction of the axis of the tilt, degrees

	Frames  int     // zero: 60, two seconds at the usual 30 a second
	Blurred int     // frames at the start until the camera has focused
	Sharp   int     // different frames after them, which come again and again; zero: all are different
	Defocus float64 // of the first frame, px of standard deviation
	Shake   float64 // of the hand, px from frame to frame
	Light   float64 // change of the light from the middle to a side, share of the light; zero: 0.2
	Noise   float64 // of a pixel, standard deviation in gray levels; zero: 4
	Seed    uint64
	// Numbered has each frame show its number in the lower left corner ([Number]), so that a page that plays the video can tell it.
	Numbered bool
}

// Rate is the number of frames a second that the fake camera of Chromium gives of a file.
const Rate = 30

// Bits and Cell describe the number on a frame: Bits squares of Cell px a side in the lower left corner, the most significant bit
// on the left, white for 1.
const (
	Bits = 8
	Cell = 12
)

// Limits of [Random].
const (
	mostTilt    = 22 // degrees
	mostDefocus = 7  // px
	fewBlurred  = 8  // frames
	moreBlurred = 12
	mostLight   = 0.25
	mostNoise   = 6  // gray levels
	quality     = 85 // of a JPEG
)

// Random returns a scene of page as people hold phones: with middle about in the middle of the picture, turned and tilted
// somehow, and blurred at the start. scale is in px of a frame for one of the page.
func Random(page *gray.Image, middle gray.Point, scale float64, seed uint64) Scene {
	r := rand.New(rand.NewPCG(seed, 0x766964656f))
	return Scene{
		Page: page, Middle: middle, Scale: scale * (0.9 + 0.25*r.Float64()),
		Turn: 360 * r.Float64(), Tilt: mostTilt * r.Float64(), TiltAxis: 360 * r.Float64(),
		Blurred: fewBlurred + r.IntN(moreBlurred), Defocus: mostDefocus * (0.6 + 0.4*r.Float64()), Shake: 0.5 + 1.5*r.Float64(), Seed: seed,
		Light: 0.05 + mostLight*r.Float64(), Noise: 2 + mostNoise*r.Float64(),
	}
}

// MJPEG writes the frames to w as JPEG files, one after the other. The errors are [ErrScene] and those of w.
func (s Scene) MJPEG(w io.Writer) error {
	s = s.withDefaults()
	drawn := map[int]*gray.Image{}
	for i := range s.Frames {
		pose := s.pose(i)
		if drawn[pose] == nil {
			m, err := s.draw(pose)
			if err != nil {
				return err
			}
			drawn[pose] = m
		}
		m := drawn[pose]
		if s.Numbered {
			Number(m, i)
		}
		raw, err := simulate.EncodeJPEG(m, quality)
		if err != nil {
			return fmt.Errorf("encode a frame: %w", err)
		}
		if _, err := w.Write(raw); err != nil {
			return fmt.Errorf("write a frame: %w", err)
		}
	}
	return nil
}

// Frame returns frame i, from 0 on. The error is [ErrScene].
func (s Scene) Frame(i int) (*gray.Image, error) {
	s = s.withDefaults()
	m, err := s.draw(s.pose(i))
	if err == nil && s.Numbered {
		Number(m, i)
	}
	return m, err
}

// pose returns the first frame that looks like frame i, apart from its number.
func (s *Scene) pose(i int) int {
	if s.Sharp == 0 || i < s.Blurred {
		return i
	}
	return s.Blurred + (i-s.Blurred)%s.Sharp
}

// draw draws frame i.
func (s *Scene) draw(i int) (*gray.Image, error) {
	if !s.Page.Valid() || s.Page.Width == 0 || s.Page.Height == 0 {
		return nil, ErrScene
	}
	r := rand.New(rand.NewPCG(s.Seed, uint64(i)))
	toPage, ok := s.view(gray.Point{X: s.Shake * r.NormFloat64(), Y: s.Shake * r.NormFloat64()})
	if !ok {
		return nil, ErrScene
	}
	m := simulate.Warp(s.Page, toPage, s.Width, s.Height, 2, 70)
	simulate.Blur(m, 0.5+s.defocus(i))
	simulate.Contrast(m, 25, 225, 1)
	simulate.Light(m, s.Light*math.Cos(float64(s.Seed)), s.Light*math.Sin(float64(s.Seed)))
	simulate.Noise(m, r, s.Noise, 0)
	return m, nil
}

// Number writes the lowest Bits bits of i into the lower left corner of m.
func Number(m *gray.Image, i int) {
	for y := max(0, m.Height-Cell); y < m.Height; y++ {
		row := m.Row(y)
		for x := range min(Bits*Cell, len(row)) {
			row[x] = 255 * byte(i>>(Bits-1-x/Cell)&1)
		}
	}
}

// defocus returns the defocus of frame i: it falls in equal steps.
func (s *Scene) defocus(i int) float64 {
	if i >= s.Blurred {
		return 0
	}
	return s.Defocus * float64(s.Blurred-i) / float64(s.Blurred)
}

func (s Scene) withDefaults() Scene {
	if s.Width == 0 || s.Height == 0 {
		s.Width, s.Height = 1280, 720
	}
	if s.Scale == 0 {
		s.Scale = 1
	}
	if s.Frames == 0 {
		s.Frames = 60
	}
	s.Light, s.Noise = cmp.Or(s.Light, 0.2), cmp.Or(s.Noise, 4)
	return s
}

// view returns the map from the frame to the page, with the page moved by shake px.
func (s *Scene) view(shake gray.Point) (toPage gray.Homography, ok bool) {
	// The camera is as far away as the frame is wide, as that of a phone.
	far := float64(s.Width)
	turn, axis, tilt := s.Turn*math.Pi/180, s.TiltAxis*math.Pi/180, s.Tilt*math.Pi/180
	middle := gray.Point{X: float64(s.Width) / 2, Y: float64(s.Height) / 2}.Add(shake)
	half := float64(min(s.Width, s.Height)) / 2 / s.Scale
	var page, frame [4]gray.Point
	for k, c := range [4]gray.Point{{X: -half, Y: -half}, {X: half, Y: -half}, {X: half, Y: half}, {X: -half, Y: half}} {
		page[k] = s.Middle.Add(c)
		p := rotated(c.Mul(s.Scale), turn)
		// Turn the axis of the tilt to the x axis, tilt about it, and turn back.
		q := rotated(p, -axis)
		q, depth := gray.Point{X: q.X, Y: q.Y * math.Cos(tilt)}, q.Y*math.Sin(tilt)
		if far+depth < far/4 {
			return toPage, false
		}
		frame[k] = middle.Add(rotated(q, axis).Mul(far / (far + depth)))
	}
	toFrame, ok := gray.ToQuad(1, 1, frame)
	if !ok {
		return toPage, false
	}
	fromFrame, ok := toFrame.Inverse()
	if !ok {
		return toPage, false
	}
	unit, ok := gray.ToQuad(1, 1, page)
	if !ok {
		return toPage, false
	}
	return unit.Mul(fromFrame), true
}

// rotated returns p turned by angle about the origin.
func rotated(p gray.Point, angle float64) gray.Point {
	sin, cos := math.Sincos(angle)
	return gray.Point{X: p.X*cos - p.Y*sin, Y: p.X*sin + p.Y*cos}
}
