//go:build !seeded

package contain

import "context"

// Seeded says that the program has the build tag. The compiler leaves out what depends on it.
const Seeded = false

// Seed is where a test can have a fault: an item of the kind called name begins. It does nothing, except
// in programs with the build tag "seeded".
func Seed(string) {}

// SeedItem is [Seed] for an item that has a name, where there is no [Within].
func SeedItem(string, string) {}

// SeedFor returns nothing.
func SeedFor(string) []string { return nil }

// SeedNamed returns ctx.
func SeedNamed(ctx context.Context, _ string) context.Context { return ctx }

// SeedTask returns nothing.
func SeedTask(context.Context, string) []byte { return nil }

// SeedTaken does nothing.
func SeedTaken([]byte) {}

func seedItem(context.Context, string) {}
