package door_test

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tcode/offline/host/journal"
	"tcode/offline/host/logjournal"
	"tcode/scanner/web/engine/door"
	"tcode/scanner/web/engine/keep"
)

// A file is one of an app's private folder, as journals use it.
type file struct{ *os.File }

func (f file) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f file) Flush() error { return f.Sync() }

// inFolder opens the journal of that name in a folder: two files.
func inFolder(folder, name string) keep.Opener {
	return func(context.Context) (journal.Journal, error) {
		var both [2]logjournal.File
		for i, end := range []string{".a", ".b"} {
			f, err := os.OpenFile(filepath.Join(folder, name+end), os.O_RDWR|os.O_CREATE, 0o600)
			if err != nil {
				return nil, err
			}
			both[i] = file{f}
		}
		return logjournal.Open(both[0], both[1])
	}
}

// newShell returns the scanner of a native shell that keeps its journals in a folder and reaches no network. A real shell has
// the device key in the key store of the phone. now is the clock of the example, whose files are of that day.
func newShell(folder string, key crypto.Signer, now time.Time) *door.Door {
	return door.New(door.Config{
		Trust: inFolder(folder, "trust"), Scans: inFolder(folder, "scans"), Notes: inFolder(folder, "notes"),
		Key: func(context.Context) (crypto.Signer, string, error) { return key, "sealed", nil },
		Now: func() time.Time { return now },
	})
}

// ask sends one request, and writes what the shell would show of its reply.
func ask(d *door.Door, request string, data []byte) {
	reply, _ := d.Ask(context.Background(), []byte(request), data)
	var r struct {
		Result struct {
			State  struct{ Trust struct{ Enrolled bool } }
			Answer struct {
				Screens []struct{ Word, AdviceText string }
			}
			Waiting int
		}
		Error struct{ Code, Fingerprint string }
	}
	if err := json.Unmarshal(reply, &r); err != nil {
		fmt.Println(err)
		return
	}
	switch {
	case r.Error.Code != "":
		fmt.Println("error:", r.Error.Code, r.Error.Fingerprint)
	case r.Result.State.Trust.Enrolled:
		fmt.Println("enrolled")
	case len(r.Result.Answer.Screens) > 0:
		for _, s := range r.Result.Answer.Screens {
			fmt.Printf("%s: %s\n", s.Word, s.AdviceText)
		}
	case r.Result.Waiting > 0:
		fmt.Println("scans that wait:", r.Result.Waiting)
	}
}

// A native shell takes trust documents by file, judges a stamped PDF without a network, and keeps the scan in files. When its process
// has ended and started again, the scan is still there.
func Example() {
	folder, err := os.MkdirTemp("", "tcode-shell-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	trust, err := os.ReadFile("testdata/trust.export")
	if err != nil {
		fmt.Println(err)
		return
	}
	letter, err := os.ReadFile("testdata/stamped.pdf")
	if err != nil {
		fmt.Println(err)
		return
	}
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)) // no secret
	now := time.Date(2026, 11, 25, 15, 0, 0, 0, time.UTC)

	shell := newShell(folder, key, now)
	ask(shell, `{"id":1,"op":"start","language":"en"}`, nil)
	ask(shell, `{"id":2,"op":"importTrust"}`, trust) // a person compares the fingerprint with what the issuer has published
	ask(shell, `{"id":3,"op":"importTrust","fingerprint":"25699bc9fbd8868dc7c350c110ef9d1c7b20002f6dd5c63e214df1c57eb98b03"}`, trust)
	ask(shell, `{"id":4,"op":"file","name":"letter.pdf"}`, letter)
	letter[2000] ^= 1
	ask(shell, `{"id":5,"op":"file","name":"letter.pdf"}`, letter)
	if err := shell.Close(); err != nil {
		fmt.Println(err)
	}

	shell = newShell(folder, key, now)
	ask(shell, `{"id":1,"op":"start"}`, nil)
	ask(shell, `{"id":2,"op":"counts"}`, nil)
	if err := shell.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// error: fingerprint_needed 25699bc9fbd8868dc7c350c110ef9d1c7b20002f6dd5c63e214df1c57eb98b03
	// enrolled
	// VALID: This is the very file that Acme University stamped: you can rely on it.
	// NOT GENUINE: Do not accept it: this file is not the one that was stamped, or was changed since.
	// scans that wait: 2
}
