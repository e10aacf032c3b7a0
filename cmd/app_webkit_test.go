package cmd_test

import (
	"os"
	"path/filepath"
	"testing"

	"tcode/scanner/web/phonetest"
	"tcode/scanner/web/phonetest/browsers"
)

func snap(t *testing.T, b *browsers.Browser, name string) {
	if dir := os.Getenv("TCODE_SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), b.Picture(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAppSpike(t *testing.T) {
	w, _ := stampedForApp(t)
	b := browsers.New(t)
	b.On(w.url() + "/scan/#tcode-enrol=" + w.fingerprint())
	b.Until(`!!document.querySelector('#device-name')`)
	snap(t, b, "webkit-enrol")
	phonetest.Eval[bool](b, `(document.querySelector('.actions .button--main').click(), true)`)
	b.Until(`!!document.querySelector('.hero')`)
	snap(t, b, "webkit-enrolled")
	t.Logf("%+v", phonetest.Eval[any](b, `import('/scan/js/app.js').then(({app}) => app.start)`))
	t.Logf("%+v", phonetest.Eval[any](b, `({locks: !!navigator.locks, opfs: !!navigator.storage?.getDirectory, persist: !!navigator.storage?.persist, estimate: !!navigator.storage?.estimate, iso: isSecureContext, ua: navigator.userAgent, offscreen: typeof OffscreenCanvas, w: innerWidth, h: innerHeight})`))
	t.Log(b.Wrong())
}
