package opstest

import (
	"errors"
	"net"
	"testing"

	"tcode/server"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// TestNewerSchema: a gateway ends when a newer program has updated the schema under it.
func TestNewerSchema(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	db := storetest.Begin(t, storetest.DefaultEngine(), data)
	ready, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		done <- server.Run(t.Context(), server.Config{
			Init: true, Addr: "127.0.0.1:0", Data: data, DatabaseURL: db.DatabaseURL, Readback: storetest.Readback{},
			Ready: func(a net.Addr) { ready <- a },
		})
	}()
	select {
	case <-ready:
	case err := <-done:
		t.Fatal(err)
	}
	_, err := storetest.Raw(t, data).Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`)
	must(t, err)
	if err := <-done; !errors.Is(err, store.ErrNewerSchema) {
		t.Errorf("Run = %v, want ErrNewerSchema", err)
	}
}
