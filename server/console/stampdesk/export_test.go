package stampdesk

// Missing returns the words that a language lacks.
func Missing() []string { return lexicon.Missing() }
