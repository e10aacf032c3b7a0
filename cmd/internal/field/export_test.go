package field

// Beside runs something beside its caller.
var Beside = beside[int]
