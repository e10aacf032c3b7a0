//go:build seeded && !js

package contain

import (
	"os"
	"path/filepath"
	"strings"
)

var (
	seeds = os.Getenv("TCODE_SEED")
	child = os.Getenv("TCODE_SEED_CHILD")
)

// SeedFor returns the environment of a new child process of a role.
func SeedFor(role string) []string {
	fault := taken("child-" + role)
	if fault == "" {
		return nil
	}
	if !strings.Contains(fault, "=") {
		fault = "child-" + role + "=" + fault
	}
	return []string{"TCODE_SEED_CHILD=" + fault}
}

// taken returns the fault that is seeded for the kind called name, and removes it.
func taken(name string) string {
	if fault, ok := strings.CutPrefix(child, name+"="); ok {
		child = ""
		return fault
	}
	if seeds == "" {
		return ""
	}
	if fault, err := os.ReadFile(filepath.Join(seeds, name+".always")); err == nil {
		return string(fault)
	}
	path := filepath.Join(seeds, name)
	fault, err := os.ReadFile(path)
	if err != nil || os.Remove(path) != nil {
		return ""
	}
	return string(fault)
}
