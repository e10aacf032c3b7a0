//go:build race

package raster_test

// raceDetector says that the race detector slows PDFium, which runs as WebAssembly, a hundredfold.
const raceDetector = true
