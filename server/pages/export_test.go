package pages

// Languages returns the languages of the pages, in the order of the table.
func Languages() (all []string) {
	for _, words := range languages {
		all = append(all, words.Language)
	}
	return all
}

// DocumentLanguages returns the languages that have the words of Trust documents.
func DocumentLanguages() map[string]bool {
	all := map[string]bool{}
	for language, words := range documentTexts {
		all[language] = words.Recipient != "" && words.Title != "" && words.Expires != ""
	}
	return all
}
