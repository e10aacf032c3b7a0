package server_test

import (
	"os"
	"testing"

	"tcode/offline/sandbox"
	"tcode/server/pdfstamp"
)

func TestMain(m *testing.M) {
	sandbox.Main(pdfstamp.Role()) // stamping runs this very binary again
	os.Exit(m.Run())
}
