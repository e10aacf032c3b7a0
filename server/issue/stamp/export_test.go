package stamp

// AllStatuses are the states, for tests that walk every pair.
var AllStatuses = statuses[:]
