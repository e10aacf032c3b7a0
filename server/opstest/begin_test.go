package opstest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"tcode/server"
	"tcode/server/platform/keyring"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// TestBegin: only Init creates a gateway, and never in a folder with remains of
// another one.
func TestBegin(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		data := filepath.Join(t.TempDir(), "data")
		cfg := server.Config{Data: data, DatabaseURL: emptyDatabase(t, e)}
		if _, err := server.Open(t.Context(), cfg); !errors.Is(err, server.ErrNoGateway) {
			t.Fatalf("nowhere: %v, want ErrNoGateway", err)
		}
		if _, err := os.Stat(filepath.Join(data, keyring.FileName)); err == nil {
			t.Error("Open made a keyset")
		}
		g, err := server.Init(t.Context(), cfg)
		must(t, err)
		root := g.Publisher.Fingerprint()
		_, err = g.Publisher.Publish(t.Context())
		must(t, err)
		must(t, g.Close())
		if _, err := server.Init(t.Context(), cfg); !errors.Is(err, server.ErrBegun) {
			t.Errorf("once more: %v, want ErrBegun", err)
		}
		g, err = server.Open(t.Context(), cfg)
		must(t, err)
		if got := g.Publisher.Fingerprint(); got != root {
			t.Errorf("root %v, want %v", got, root)
		}
		must(t, g.Close())

		// The database is lost; the rest of the folder is not.
		lost := cfg
		if lost.DatabaseURL != "" {
			lost.DatabaseURL = emptyDatabase(t, e)
		} else {
			for _, suffix := range []string{"", "-wal", "-shm"} {
				if err := os.Remove(filepath.Join(data, store.FileName) + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
			}
		}
		tryBegin := func(what string) {
			t.Helper()
			for _, begin := range []bool{false, true} {
				lost.Init = begin
				_, err := server.Open(t.Context(), lost)
				if want := server.ErrRemains; !errors.Is(err, want) && !(lost.DatabaseURL != "" && !begin && errors.Is(err, server.ErrNoGateway)) {
					t.Errorf("%s, init %v: %v, want %v", what, begin, err, want)
				}
			}
		}
		tryBegin("without its database")
		if lost.DatabaseURL == "" { // as after a copy that was cut off immediately
			must(t, os.WriteFile(filepath.Join(data, store.FileName), nil, 0o600))
			tryBegin("with an empty database file")
			tryBegin("with a database without rows") // the file has its tables now
		}
	})
}

// TestBeginningIsCutOff: Init completes a gateway that an interrupted Init left.
//
//engine:sqlite its gateway runs on SQLite
func TestBeginningIsCutOff(t *testing.T) {
	t.Parallel()
	cfg := server.Config{Data: t.TempDir()}
	db, err := store.Open(t.Context(), store.Config{Path: filepath.Join(cfg.Data, store.FileName)})
	must(t, err)
	must(t, db.Close())
	if _, err := server.Open(t.Context(), cfg); !errors.Is(err, server.ErrNoGateway) {
		t.Errorf("half a gateway: %v, want ErrNoGateway", err)
	}
	g, err := server.Init(t.Context(), cfg)
	must(t, err)
	must(t, g.Close())
}

// emptyDatabase is the address of a PostgreSQL database without any table, or ""
// for SQLite.
func emptyDatabase(t *testing.T, e storetest.Engine) string {
	t.Helper()
	if e != storetest.Postgres {
		return ""
	}
	return storetest.EmptyPostgres(t)
}
