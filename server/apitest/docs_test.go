package apitest

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"tcode/offline/host/browsertest"
	"tcode/server/internal/harness"
)

// browser returns a context with a tab of a real browser. Without a browser it
// skips the test, or fails it in CI, where all tests must run.
func browser(t *testing.T) context.Context {
	t.Helper()
	chromium := browsertest.Headless(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(ctx, chromedp.WithAllocatorOptions(chromedp.ExecPath(chromium), chromedp.NoSandbox))
	t.Cleanup(end)
	return ctx
}

// webhookID matches the names of events, which the documentation shows as operations.
var webhookID = regexp.MustCompile(`^on[A-Z]`)

// TestDocsInABrowser: in a real browser and under its own policy, the documentation
// shows every operation of the contract and opens one, without errors.
//
//engine:sqlite the texts and headers of the answer decide, not its rows
func TestDocsInABrowser(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	policy := r.Want(r.Get("", "/docs/reference/"), 200).Header.Get("Content-Security-Policy")
	for directive := range strings.SplitSeq(policy, ";") {
		if strings.Contains(directive, "script-src") && strings.Contains(directive, "unsafe") || strings.Contains(directive, "http") {
			t.Errorf("the policy lets %s", directive)
		}
	}
	ctx := browser(t)
	console, stop := context.WithCancel(ctx)
	defer stop()
	said := make(chan []string)
	messages := chromedp.Console(console)
	go func() {
		var bad []string
		for m, err := range messages {
			if err == nil && (m.IsException() || m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning) {
				bad = append(bad, m.String())
			}
		}
		said <- bad
	}()
	run := func(a chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(ctx, a); err != nil {
			t.Fatal(err)
		}
	}
	run(chromedp.Navigate(r.URL + "/docs/reference"))
	run(chromedp.WaitVisible(".opblock"))
	shown, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](`[...document.querySelectorAll('.opblock')].map(e => e.id.replace(/.*-/, ''))`))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(shown)
	shown = slices.DeleteFunc(shown, func(id string) bool { return webhookID.MatchString(id) })
	if want := ids(operations()); !slices.Equal(shown, want) {
		t.Errorf("shown %q\nwant %q", shown, want)
	}
	run(chromedp.Click("#operations-stamps-createStamp .opblock-summary-control"))
	run(chromedp.WaitVisible("#operations-stamps-createStamp .responses-table"))
	// The page itself can send a request.
	run(chromedp.Click("#operations-reference-data-listTenants .opblock-summary-control"))
	run(chromedp.WaitVisible("#operations-reference-data-listTenants .try-out__btn"))
	run(chromedp.Click("#operations-reference-data-listTenants .try-out__btn"))
	run(chromedp.WaitVisible("#operations-reference-data-listTenants .execute"))
	run(chromedp.Click("#operations-reference-data-listTenants .execute"))
	run(chromedp.WaitVisible("#operations-reference-data-listTenants .live-responses-table .response"))
	answer, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.querySelector('.live-responses-table tbody').textContent`))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(answer, "200") || !strings.Contains(answer, "items") {
		t.Errorf("tried out, the operation answers %s", answer)
	}
	stop()
	for _, message := range <-said {
		t.Errorf("the console says %s", message)
	}
}
