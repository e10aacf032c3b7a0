//go:build !race

package offline_test

const raceEnabled = false
