package pages

import (
	"fmt"
	"reflect"
	"strings"
)

// Languages returns the languages of the pages, in the order of the table.
func Languages() (all []string) {
	for _, words := range languages {
		all = append(all, words.Language)
	}
	return all
}

// Answers returns the keys of all answers with their tones.
func Answers() map[string]string {
	all := map[string]string{}
	for key, look := range answers {
		all[key] = look.Tone
	}
	return all
}

// Words returns all texts of a language by their place, such as "Answers valid 1".
func Words(language string) map[string]string {
	all := map[string]string{}
	for _, words := range languages {
		if words.Language == language {
			collect(all, "", reflect.ValueOf(words))
		}
	}
	return all
}

func collect(all map[string]string, place string, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		all[strings.TrimSpace(place)] = v.String()
	case reflect.Struct:
		for i := range v.NumField() {
			collect(all, place+" "+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			collect(all, fmt.Sprint(place, " ", i), v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			collect(all, place+" "+key.String(), v.MapIndex(key))
		}
	}
}
