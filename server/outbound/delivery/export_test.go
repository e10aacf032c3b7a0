package delivery

// MaxTries is how often a message is tried that never comes to an end.
const MaxTries = maxTries
