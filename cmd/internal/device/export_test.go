package device

// Beside runs a function concurrently with its caller.
var Beside = beside[int]

// Misnamed returns the caveat of a file by its name.
var Misnamed = misnamed
