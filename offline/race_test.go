//go:build race

package offline_test

// raceEnabled makes exhaustive tests sparse: the detector costs a factor of ten.
const raceEnabled = true
