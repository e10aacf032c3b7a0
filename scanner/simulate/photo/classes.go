package photo

import "math"

func flat(d *draft) {
	d.Camera.Tilt = d.degrees(0, 6)
	d.Sensor.Quality = 85 + d.IntN(11)
}

func tilt(d *draft) {
	d.Camera.Tilt = d.degrees(30, 45)
	d.px = d.between(2.2, 5)
}

func cylinder(d *draft) {
	d.Shape = Shape{Form: Cylinder, Angle: d.angle(), Radius: 40 * math.Pow(3.75, d.Float64())}
	if d.IntN(4) == 0 { // the inside of a rolled page
		d.Shape.Radius *= -1
	}
	d.Camera.Tilt = d.degrees(0, 30)
}

func coneClass(d *draft) {
	d.Shape = Shape{Form: Cone, Angle: d.angle(), Radius: d.sign() * 40 * math.Pow(3, d.Float64()), Apex: d.between(60, 200)}
	d.Camera.Tilt = d.degrees(0, 30)
}

func wave(d *draft) {
	side := d.sheet.Module * float64(d.sheet.Symbol.Rows)
	d.Shape = Shape{Form: Wavy, Angle: d.angle(), Length: side * d.between(0.8, 2.5), Slope: d.degrees(5, 25), Phase: d.angle()}
	d.Camera.Tilt = d.degrees(5, 28)
}

func fold(d *draft) {
	side := d.sheet.Module * float64(d.sheet.Symbol.Rows)
	d.Shape = Shape{
		Form: Folded, Angle: d.angle(), Slope: d.sign() * d.degrees(12, 40), Offset: d.between(-0.4, 0.4) * side, Round: d.between(0.4, 2),
	}
	d.Camera.Tilt = d.degrees(0, 20)
	u, v := d.sheet.middle()
	sin, cos := math.Sincos(d.Shape.Angle)
	d.Print.Crease = &Crease{
		U: u + d.Shape.Offset*cos, V: v + d.Shape.Offset*sin, Angle: d.Shape.Angle + math.Pi/2,
		Width: d.between(0.08, 0.25), Loss: d.between(0.2, 0.9),
	}
}

func crumple(d *draft) {
	d.Shape = Shape{Form: Crumpled, Length: d.between(15, 50), Slope: d.degrees(6, 14), Seed: d.Uint64()}
	d.Camera.Tilt = d.degrees(0, 20)
}

func defocus(d *draft) { d.Lens.Defocus = d.between(0.5, 0.9) }

func motion(d *draft) { d.Lens.Motion = d.between(0.7, 1.4) }

// lowlight has the noise of ISO 3200 and more, a longer exposure, and less light in the end.
func lowlight(d *draft) {
	d.Sensor.White, d.Sensor.Denoise = d.between(25, 150), d.between(1, 2.5)
	d.Exposed, d.Lens.Motion = d.between(0.15, 0.45), d.between(0.1, 0.4)
}

func glare(d *draft) {
	d.Lamp.Gloss, d.Lamp.Sharp = d.between(0.25, 0.9), d.between(100, 1500)
	d.Camera.Tilt = d.degrees(0, 25)
}

// shadow has a phone of 75 x 150 mm with its camera in a corner.
func shadow(d *draft) {
	d.Lamp.Phone = &Phone{Left: -20, Top: -15, Right: 130, Bottom: 60, LampRadius: d.between(5, 120)}
	d.Lamp.Ambient = d.between(0.1, 0.45)
}

// screen shows the page at 0.7 to 2.5 px of the picture for each pixel of the display, where moire
// is strongest, or finer, as on a phone.
func screen(d *draft) {
	shown := d.px / d.between(0.7, 2.5) // pixels of the display for each module
	d.Screen = &Screen{Pitch: d.sheet.Module / max(shown, 1.8), Gap: d.between(0.1, 0.35), Dark: d.between(0.005, 0.08)}
	d.Shape = Shape{Form: Flat}
	if d.IntN(2) == 0 {
		d.Lamp.Gloss, d.Lamp.Sharp = d.between(0.02, 0.2), d.between(20, 200)
	}
	d.Exposed = d.between(0.3, 0.6)
	d.Sensor.Quality = 70 + d.IntN(21)
}

func sharpened(d *draft) {
	d.Sensor.Sharpen, d.Sensor.SharpenPx = d.between(1.5, 4.5), d.between(1, 2)
	d.Sensor.Denoise, d.Sensor.White, d.Sensor.Quality = d.between(1.5, 3), d.between(500, 2000), 60+d.IntN(16)
}

func small(d *draft) { d.px = d.between(2, 3) }

// closeUp is the shortest distance: hard to focus and to hold, and each bend of the paper is large.
func closeUp(d *draft) {
	d.px = d.between(12, 16)
	d.Lens.Defocus, d.Lens.Motion = d.between(0, 0.4), d.between(0, 0.4)
	d.Shape.Radius = d.sign() * 60 * math.Pow(10, d.Float64())
	d.Camera.Tilt = d.degrees(0, 20)
}
