package delivery

// MaxTries is the number of tries of a message that never ends.
const MaxTries = maxTries
