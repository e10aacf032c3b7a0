package post

// Public is the rule of the guard.
var Public = public
