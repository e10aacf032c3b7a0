package device

// Beside runs something concurrently with its caller.
var Beside = beside[int]

// Misnamed is the caveat of a file by its name.
var Misnamed = misnamed
