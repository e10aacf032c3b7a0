package web

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// iconNames are the app's pictures for home screens, by their size in pixels. icon.svg is the same drawing.
var iconNames = map[int]string{180: "icon-180.png", 192: "icon-192.png", 512: "icon-512.png"}

// iconModules is the drawing of the icon: a small symbol with its two solid sides and a tick inside, as
// squares of a grid of 12. Phones may cut the picture to a circle, so the symbol keeps to the middle.
var iconModules = [12]string{
	"............",
	"............",
	"..#.#.#.#...",
	"..#......#..",
	"..#.....#...",
	"..#....#.#..",
	"..##..#.....",
	"..#.##...#..",
	"..#.........",
	"..########..",
	"............",
	"............",
}

// icon draws the icon as PNG, white on the accent's blue.
func icon(size int) []byte {
	palette := color.Palette{color.NRGBA{0x34, 0x40, 0xa8, 0xff}, color.White}
	img := image.NewPaletted(image.Rect(0, 0, size, size), palette)
	for y := range size {
		row := iconModules[y*len(iconModules)/size]
		for x := range size {
			if row[x*len(row)/size] == '#' {
				img.SetColorIndex(x, y, 1)
			}
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Bytes()
}
