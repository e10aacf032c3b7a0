//go:build seeded

package contain

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"time"
	"unsafe"
)

// In programs with the tag "seeded" an item has a fault if the folder of TCODE_SEED has a file
// with the name of its kind, or KIND@ITEM for an item that has a name. The file says which
// fault: panic, hang, exit, memory, stack (one without end), or trap (a wrong address). It
// is removed first: one item has the fault. If the file is named NAME.always, it stays. A child
// process has no access to files: its parent reads the file of "child-ROLE" when it starts it,
// and gives it the fault in TCODE_SEED_CHILD. There KIND=FAULT is the fault of another kind that
// the child has.
//
// [SeedNamed] gives an item its name, for [Within] and for children that work on the item. An
// engine in a browser asks the function tcodeSeed of its worker instead.

// Seeded says that the program has the build tag.
const Seeded = true

// Seed has the fault that is seeded for the kind called name, if there is one.
func Seed(name string) { have(taken(name)) }

// SeedItem is [Seed] for an item that has a name, where there is no [Within].
func SeedItem(name, item string) { have(taken(name + "@" + filepath.Base(item))) }

type itemKey struct{}

// SeedNamed returns a context of the item that is called name, without the folder of a file or an
// address.
func SeedNamed(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, itemKey{}, filepath.Base(name))
}

// SeedTask returns the fault that a child shall have with the item of ctx, for [SeedTaken] in the child.
func SeedTask(ctx context.Context, name string) []byte {
	item, ok := ctx.Value(itemKey{}).(string)
	if !ok {
		return nil
	}
	return []byte(taken(name + "@" + item))
}

// SeedTaken has a fault that SeedTask returned.
func SeedTaken(fault []byte) { have(string(fault)) }

func seedItem(ctx context.Context, name string) { SeedTaken(SeedTask(ctx, name)) }

func have(fault string) {
	switch fault {
	case "":
	case "panic":
		panic("seeded")
	case "hang":
		for runtime.GOOS == "js" { // where others go on while one sleeps
		}
		time.Sleep(time.Hour)
	case "exit":
		os.Exit(7)
	case "memory":
		for held := [][]byte{}; ; {
			b := make([]byte, 64<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			held = append(held, b)
		}
	case "stack":
		overflow(0)
	case "trap":
		println(*(*byte)(unsafe.Add(nil, 0xfffffff0)))
	default:
		panic("unknown seed: " + fault)
	}
}

// overflow uses up the stack, for which the Go runtime ends the process.
func overflow(n int) int { return overflow(n+1) + n }
