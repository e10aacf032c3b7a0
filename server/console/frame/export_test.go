package frame

// Translated returns the sentence of a key in a language as a format, or "".
func Translated(key, language string) string { return sentences[key].of(language) }

// Keys returns the keys of all sentences.
func Keys() (keys []string) {
	for key := range sentences {
		keys = append(keys, key)
	}
	return keys
}
