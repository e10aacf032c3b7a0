package server_test

//race:some ./... SQLite is Go here: the detector would watch its memory

import (
	"errors"
	"log/slog"
	"os"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/server"
	"tcode/server/fault"
)

func TestMain(m *testing.M) {
	sandbox.Main(server.Roles()...)
	os.Exit(m.Run())
}

// TestReadyNamesPictures: a gateway that cannot stamp pictures says so.
func TestReadyNamesPictures(t *testing.T) {
	if server.CanStamp() != nil {
		t.Skip("this program never stamps")
	}
	for _, closed := range []bool{false, true} {
		g, err := server.Open(t.Context(), server.Config{Init: true, Data: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { g.Close() })
		if closed {
			g.ClosePicturesForTest()
		}
		var f *fault.Fault
		errors.As(g.ReadyForTest(t.Context()), &f)
		if named := f != nil && f.Fields["pictures"] != nil; named != closed {
			t.Errorf("closed %v: %v", closed, f)
		}
	}
}
