package server

// PlacedForTest is how a template becomes geometry.
var PlacedForTest = placed
