// Package symbol turns an image into the Data Matrix symbols on it.
//
//	gray page ─▶ locate ─▶ module grid ─▶ ecc200 ─▶ text
//	gray.Image   boxes,     confidences   Reed-      │
//	             sides,                   Solomon    ▼
//	             sizes                             Symbol
//
// [ReadImage] reads one gray page or photo; it needs no file, no process and no
// network. [Drawn] takes a symbol from the bytes of a stamped file instead.
//
// A wrong text is worse than none: a symbol is returned only when Reed-Solomon
// proves its codewords and the symbol they encode to agrees with the image.
package symbol
