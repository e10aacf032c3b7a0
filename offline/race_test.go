//go:build race

package offline_test

// raceEnabled makes exhaustive tests skip most cases: the detector is ten times slower.
const raceEnabled = true
