package post

// Public is what the guard decides by.
var Public = public
