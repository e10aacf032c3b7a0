package answer

// Misnamed returns the caveat of a file by its name.
var Misnamed = misnamed
