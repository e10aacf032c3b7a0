//go:build seeded

package contain

import "syscall/js"

// SeedFor returns nothing: there are no child processes.
func SeedFor(string) []string { return nil }

// taken returns the fault that is seeded for the kind called name.
func taken(name string) string {
	if f := js.Global().Get("tcodeSeed"); f.Type() == js.TypeFunction {
		return f.Invoke(name).String()
	}
	return ""
}
