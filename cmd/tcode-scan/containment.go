package main

import (
	"context"
	"strings"

	"tcode/cmd/internal/about"
	"tcode/offline/host/sandbox"
)

// containment returns the lines of "version" on what the children that decode documents cannot do on this system, and on what is
// missing. It starts a child that tries.
func containment(ctx context.Context) []about.Line {
	found, err := sandbox.Containment(ctx)
	if err != nil {
		return []about.Line{{Name: "contained", Text: "the processes that decode files could not be started: " + err.Error(), Key: "containment", Value: []sandbox.Measure{}}}
	}
	var held, missing []string
	for _, m := range found {
		if m.InForce {
			held = append(held, m.Prevents)
		} else {
			missing = append(missing, m.Prevents)
		}
	}
	lines := []about.Line{{Name: "contained", Text: listed("a process that decodes files cannot", held), Key: "containment", Value: found}}
	if len(missing) > 0 {
		lines = append(lines, about.Line{Name: "missing", Text: listed("on this system a file that takes over such a process could", missing)})
	}
	return lines
}

func listed(words string, all []string) string {
	if len(all) == 0 {
		return words + ": none known"
	}
	return words + " " + strings.Join(all, ", ")
}
