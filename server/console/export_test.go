package console

import (
	"reflect"
	"slices"
	"strings"
)

// Forms returns the paths that take forms.
func Forms() (paths []string) {
	for pattern := range (&console{styleURL: "/console/assets/x.css"}).routes() {
		if path, ok := strings.CutPrefix(pattern, "POST "); ok {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Missing returns the words that a language lacks.
func Missing() (missing []string) {
	for _, t := range languages {
		v := reflect.ValueOf(*t)
		for i := range v.NumField() {
			name := t.Language + " " + v.Type().Field(i).Name
			switch f := v.Field(i).Interface().(type) {
			case note:
				if f.Title == "" || f.Text == "" {
					missing = append(missing, name)
				}
			case string:
				if f == "" {
					missing = append(missing, name)
				}
			default:
				english := reflect.ValueOf(english).Field(i)
				for _, k := range english.MapKeys() {
					if got := v.Field(i).MapIndex(k); !got.IsValid() || got.String() == "" {
						missing = append(missing, name+" "+k.String())
					}
				}
			}
		}
	}
	return missing
}
