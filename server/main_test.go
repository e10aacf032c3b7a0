package server_test

import (
	"net/http"
	"os"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/server/pdfstamp"
)

func TestMain(m *testing.M) {
	sandbox.Main(pdfstamp.Role()) // stamping runs this very binary again
	if data := os.Getenv(gatewayEnv); data != "" {
		runGateway(data)
	}
	http.DefaultTransport = record
	code := m.Run()
	if !record.report(os.Stderr) && code == 0 {
		code = 1
	}
	os.Exit(code)
}
