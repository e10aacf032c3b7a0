package device

// Beside runs a function concurrently with its caller.
var Beside = beside[int]
