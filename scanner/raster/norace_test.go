//go:build !race

package raster_test

const raceDetector = false
