package phonetest

import (
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Choose presses the button, and chooses files in the dialog that it opens.
func (p *Phone) Choose(button string, files ...string) {
	p.t.Helper()
	opened := chromedp.Events(p.ctx, page.FileChooserOpened)
	if _, err := chromedp.Call(p.ctx, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true}); err != nil {
		p.t.Fatal(err)
	}
	p.Do(chromedp.Click(button))
	for e, err := range opened {
		if err == nil {
			_, err = chromedp.Call(p.ctx, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: files, BackendNodeID: e.BackendNodeID})
		}
		if err != nil {
			p.t.Fatal(err)
		}
		return
	}
	p.t.Fatalf("%s opens no dialog", button)
}
