// Package compare compares two drawings of a PDF page. Call [Engines] or [Files].
//
//	          ┌▶ engine a ─▶ gray page ─┐
//	Engines ──┤                         ├▶ Images: tolerant ─▶ boxes ─▶ Report
//	one file  └▶ engine b ─▶ gray page ─┘
//
//	          ┌▶ before ─▶ gray page ─┐
//	Files ────┤  one engine           ├▶ Exact: outside of masks ─▶ boxes ─▶ Report
//	two files └▶ after  ─▶ gray page ─┘
//
// [Engines] shows whether two viewers show the same for one file. [Files] shows whether a change of the file, such as
// a stamp, changed nothing outside of its box. Both draw pages as people see them, with annotations and form fields,
// concurrently and one page ahead of the comparison. They end at a budget of pages and seconds, and the report names
// each page that was not compared.
//
// # The rule of Images
//
// Two engines never draw the same pixels. They place glyphs at whole or at fractional pixels, thicken hairlines,
// and substitute fonts that are not embedded. The rule tolerates this, and no more:
//
//   - A window has the size of a glyph: 6.75 points a side, which is 9 px at 96 dpi. Windows overlap by half.
//   - The window of one drawing may move by up to 1.5 px in steps of half a pixel, and its ink may be lighter or
//     darker by a factor of up to 4. The move and the factor that leave the least squares of differences count.
//   - The score is the geometric mean of two figures, both as parts of the window's contrast: the largest mean of 3 x 3
//     px of the difference that is left, and 1.5 times the root of its mean square. The sign is kept in the first one, so
//     that both edges of a stroke that is a little displaced cancel, and a stroke that is missing does not.
//   - A window differs above a score of 0.337 if its strokes are thin, as in text of 10 points and less, and above 0.44
//     if they are thick: shapes of substituted fonts differ by a part of the glyph. Strokes are thick if both drawings
//     keep 78 % of the contrast at half the resolution, and thin if one keeps less than 68 %. A window of thick strokes
//     differs only if it also does at half the resolution, where the same is asked again, down to a quarter.
//   - Large glyphs are those whose place, three windows a side, keeps 65 % of the contrast at a quarter of the resolution.
//     A window of them needs a score of 0.37, also where its ink is alone (the next rule). From 72 % on, it needs that
//     score at half the resolution as well: the leg of an R has another shape in each substitute of Helvetica.
//   - A window differs in any case if its middle has ink in one drawing and the other has none in all of the window, or
//     if both are even and 64 gray levels apart. The outermost pixel of the page does not count.
//
// # The strict rule
//
// Where all fonts are in the file, both engines draw the same outlines. Pages of [Options.Strict] are drawn at 120 dpi, and
// any window with a score above 0.40 differs, whatever its strokes are. A window above 0.22 is in doubt: both engines draw
// its surroundings again at 240 dpi, and it differs above a score of 0.36. Engines place glyphs on whole pixels, in vertical
// text up to a pixel apart: at twice the resolution such a move is half as large, and glyphs of other shapes differ more.
// Half the resolution is used only for the ends of very large strokes: places that keep 85 % of the contrast at a quarter of
// the resolution.
//
// # What the rules do not see
//
// Everything that a rule tolerates is open to a file that is made for it: ink of less than 12 gray levels, a change of
// darkness up to four times, a displacement of one pixel and a half (0.4 mm at 96 dpi), a change of colour that keeps
// the luminance, and small parts of small glyphs, such as a 6 in place of an 8. README.md in this folder has the
// measurements. Only drawn pixels decide: the rules ignore the text that an engine extracts, because a file can choose
// it freely.
//
// # The rule of Exact
//
// The same engine draws the same contents in the same pixels. Two pixels that are 4 gray levels apart differ, except in
// masks, which are a pixel larger on each side than requested.
package compare
