package records

// Missing returns the words that a language lacks.
func Missing() []string { return texts.Missing() }
