package privacydesk

// Missing returns the words that a language lacks.
func Missing() []string { return words.Missing() }
