package main

//race:off ./... whole programs

import (
	"image"
	"image/png"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
	"tcode/server/pdfstamp"
)

func TestMain(m *testing.M) {
	sandbox.Main(raster.Roles()...)
	testscript.Main(m, map[string]func(){"tcode-scan": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("TCODE_HOME", env.WorkDir+"/home")
			if dir, err := os.UserCacheDir(); err == nil {
				env.Setenv("XDG_CACHE_HOME", dir) // the machine code of PDFium
			}
			env.Setenv("GOTRACEBACK", "single")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"symbol": drawSymbol,
			"blank":  blank,
		},
	})
}

// symbol FILE TEXT draws the Data Matrix symbol of a payload's text as a PNG.
func drawSymbol(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: symbol FILE TEXT")
	}
	raw, err := pdfstamp.BarcodePNG(args[1], 6)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), raw, 0o600))
}

// blank FILE draws a white page.
func blank(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: blank FILE")
	}
	page := image.NewGray(image.Rect(0, 0, 600, 800))
	for i := range page.Pix {
		page.Pix[i] = 0xff
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(png.Encode(f, page))
	ts.Check(f.Close())
}
