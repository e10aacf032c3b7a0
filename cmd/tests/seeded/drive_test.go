//go:build linux

package seeded_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tcode/offline/host/sandbox"
	"tcode/server"
	"tcode/server/issue/batch"
)

// A way makes a gateway work on items of some kinds.
type way struct {
	kinds string // their names
	// do returns the status of the answer, or that of success for work without one; 0 means that it
	// was not done. What it waits for ends at the end of gone.
	do func(g *gateway, gone context.Context) (status int)

	within string                    // the kind of the child process that has the items
	args   func(*testing.T) []string // flags of the gateway
	start  bool                      // the items belong to the start of the gateway
	alone  bool                      // a fault holds up the items of other kinds
	vital  bool                      // while one hangs, the gateway cannot stamp, and says so
	second bool                      // there is another fault before: the next item has both
}

// ways are those for all kinds but requests and screens, which have one for each kind.
var ways = []way{
	{kinds: "stamp-caveats stamp-compare stamp-file stamp-ground stamp-proof", do: stamps},
	{kinds: "draw-stamped", do: stamps},
	{kinds: "child-measure child-watch", do: stamps, alone: true},
	{kinds: "child-start", do: freshChildren, alone: true, vital: true},
	{kinds: "child-wait", do: freshChildren, alone: true},
	{kinds: "child-caveats child-pdfstamp child-raster child-raster-pdfium", do: freshChildren},
	{kinds: "child-end child-frames", do: freshChildren, within: "child-pdfstamp"},
	{kinds: "child-picturepdf", do: picture},
	{kinds: "picture", do: picture, within: "child-picturepdf"},
	{kinds: "child-starter", do: stamps, start: true, alone: true, vital: true},
	{kinds: "awake-clock key-uses request-counts service", do: stamps, start: true, alone: true},
	{kinds: "start sweeps work-notes", do: stamps, start: true, alone: true},
	{kinds: "background hold", do: order, alone: true},
	{kinds: "bulk-check bulk-feed bulk-job bulk-row bulk-worker", do: order, alone: true},
	{kinds: "work-process work-orders", do: orderApart, alone: true, second: true},
	{kinds: "batch-record", do: changeMany, alone: true},
	{kinds: "webhook-post webhook-try mail-try", do: issue, alone: true},
	{kinds: "erasure leaving-file", do: erase, alone: true},
	{kinds: "history", do: lookUp, alone: true},
	{kinds: "expiry", do: expire, alone: true},
	{kinds: "round", do: wait(12 * time.Second), alone: true},
	{kinds: "metrics", do: askMetrics, alone: true},
	{kinds: "readiness", do: askReady, alone: true},
	{kinds: "child-cancel", do: leave, alone: true},
	{kinds: "awake-look awake-end", do: hangingChild, alone: true, second: true, args: hasty},
	{kinds: "request-end", do: hangingList, alone: true, second: true},
	{kinds: "hold-renewal", do: silence, alone: true},
	{kinds: "certificates", do: askReady, start: true, alone: true, args: certificate},
	{kinds: "certificate-reload", do: hangUp, alone: true, args: certificate},
	{kinds: "certificate certificate-order", do: askReady, start: true, alone: true, args: authority},
}

// wayOf returns the way to items of a kind. ok is false if there is none.
func wayOf(t *testing.T, kind string) (w way, ok bool) {
	t.Helper()
	if operation := strings.TrimPrefix(kind, "request-"); operations(t)[operation].Operation != nil {
		return way{kinds: kind, do: ask(t, operation)}, true
	}
	if path, ok := screens[kind]; ok {
		do := func(g *gateway, _ context.Context) int { return statusOf(g.browse(path, nil)) }
		return way{kinds: kind, do: do}, true
	}
	for _, w := range ways {
		if slices.Contains(strings.Fields(w.kinds), kind) {
			return w, true
		}
	}
	return way{}, false
}

// screens have a path for each area of the console.
var screens = map[string]string{
	"console-access":       "/console/keys",
	"console-branddesk":    "/console/brand",
	"console-bulkdesk":     "/console/bulk",
	"console-door":         "/console/",
	"console-operator":     "/console/operator",
	"console-oversight":    "/console/audit",
	"console-privacydesk":  "/console/privacy",
	"console-records":      "/console/stamps",
	"console-scanners":     "/console/scanners",
	"console-stampdesk":    "/console/stamp",
	"console-team":         "/console/team",
	"console-templatedesk": "/console/templates",
}

// statusOf returns the status of an answer.
func statusOf(status int, _ []byte) int { return status }

// stamps makes a stamp.
func stamps(g *gateway, _ context.Context) int { return statusOf(g.stamp()) }

// freshChildren ends the child processes, and has new ones work.
func freshChildren(g *gateway, _ context.Context) int {
	g.endChildren()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { g.stamp() })
	}
	all.Wait()
	return statusOf(g.stamp())
}

// endChildren ends the child processes.
func (g *gateway) endChildren() {
	g.t.Helper()
	children := childrenOf(g.t, g.cmd.Process.Pid)
	for _, pid := range children {
		syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // it may have ended
	}
	ended := func(pid int) bool { return slices.Contains(children, pid) }
	waitFor(g.t, func() bool { // the gateway knows
		return !slices.ContainsFunc(childrenOf(g.t, g.cmd.Process.Pid), ended)
	})
}

// picture stamps a picture, with new children.
func picture(g *gateway, _ context.Context) int {
	g.endChildren()
	var b bytes.Buffer
	must(g.t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 1240, 1754))))
	body := stampBody(g.t)
	body["pdf"] = base64.StdEncoding.EncodeToString(b.Bytes())
	return statusOf(g.send("POST", "/v1/tcode/stamps", body))
}

// csv is the table of a bulk order of one stamp.
const csv = "fileName,name,documentTypeCode\ndiploma.pdf,Diploma,DIP\n"

// order has a bulk job made, and waits for its end.
func order(g *gateway, gone context.Context) int { return g.ordered(gone, g.order()) }

// orderApart has a bulk job end the gateway, and then made by a process of its own.
func orderApart(g *gateway, gone context.Context) int {
	g.seed("bulk-row", "exit")
	job := g.order()
	g.ended(time.Minute)
	if g.serve() != nil {
		return 0
	}
	return g.ordered(gone, job)
}

// order begins a bulk job.
func (g *gateway) order() (job string) {
	status, answer := g.send("POST", "/v1/tcode/bulk-jobs", map[string]any{
		"csvFileBase64": base64.StdEncoding.EncodeToString([]byte(csv)),
		"zipFileBase64": base64.StdEncoding.EncodeToString(archive(g.t)),
	})
	var made struct{ Data struct{ ID string } }
	if json.Unmarshal(answer, &made) != nil || made.Data.ID == "" {
		g.t.Errorf("a bulk order: %d %s", status, answer)
	}
	return made.Data.ID
}

// over matches the record of a bulk job that has ended.
var over = regexp.MustCompile(`"status":"(Completed|Failed)`)

// ordered waits for the end of a bulk job.
func (g *gateway) ordered(gone context.Context, job string) (status int) {
	return g.await(gone, func() bool {
		_, answer := g.send("GET", "/v1/tcode/bulk-jobs/"+job, nil)
		return over.Match(answer)
	})
}

// await waits until is or the end of gone, and returns 0 for the latter.
func (g *gateway) await(gone context.Context, is func() bool) (status int) {
	for gone.Err() == nil {
		if is() {
			return http.StatusOK
		}
		time.Sleep(50 * time.Millisecond)
	}
	return 0
}

// issue issues a document, and waits until its message and the event have arrived.
func issue(g *gateway, gone context.Context) int {
	mails, posts := g.mails.Load(), g.posts.Load()
	if status, answer := g.document(); status != http.StatusCreated {
		g.t.Errorf("a document: %d %s", status, answer)
		return status
	}
	return g.await(gone, func() bool { return g.mails.Load() > mails && g.posts.Load() > posts })
}

// document issues one document.
func (g *gateway) document() (status int, answer []byte) {
	return g.send("POST", "/v1/trust/issuances", map[string]any{
		"templateId": g.template, "documentTitle": "Diploma", "fields": []any{},
		"recipientName": "Ada", "recipientEmail": "ada@example.org",
	})
}

// changeMany has an order suspend a document.
func changeMany(g *gateway, gone context.Context) int {
	_, answer := g.document()
	var made struct{ Data struct{ ID string } }
	must(g.t, json.Unmarshal(answer, &made))
	b, err := g.admin.Batches.Begin(g.t.Context(), g.who, batch.Order{
		Subject: batch.Documents, Action: "suspend", Reason: "recount", IDs: []string{made.Data.ID},
	})
	must(g.t, err)
	return g.await(gone, func() bool {
		b, err = g.admin.Batches.Get(g.t.Context(), "ACME01", b.ID)
		return err == nil && b.State == batch.Done
	})
}

// erase erases a stamp with its files.
func erase(g *gateway, gone context.Context) int {
	status, answer := g.stamp()
	var made struct{ Data struct{ ID string } }
	if json.Unmarshal(answer, &made) != nil || made.Data.ID == "" {
		return status
	}
	reason := map[string]any{"reason": "withdrawn"}
	status, _ = g.send("POST", "/v1/tcode/stamps/"+made.Data.ID+"/erase", reason)
	wait(settle)(g, gone)
	return status
}

// wait waits for work that is done at intervals.
func wait(d time.Duration) func(*gateway, context.Context) int {
	return func(_ *gateway, gone context.Context) int {
		select {
		case <-gone.Done():
		case <-time.After(d):
		}
		return http.StatusOK
	}
}

// lookUp looks a new stamp up, and waits until the history has it.
func lookUp(g *gateway, gone context.Context) int {
	_, answer := g.stamp()
	var made struct{ Data struct{ Reference string } }
	must(g.t, json.Unmarshal(answer, &made))
	status, _ := g.send("GET", "/v1/tcode/verify/reference/"+made.Data.Reference, nil)
	wait(3*time.Second)(g, gone)
	return status
}

// expire issues a document for a moment, and waits until its end is stored.
func expire(g *gateway, gone context.Context) int {
	status, answer := g.send("POST", "/v1/trust/issuances", map[string]any{
		"templateId": g.template, "documentTitle": "Diploma", "fields": []any{},
		"recipientName": "Ada", "expiresAt": time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339),
	})
	if status != http.StatusCreated {
		g.t.Errorf("a document: %d %s", status, answer)
	}
	wait(14*time.Second)(g, gone)
	return status
}

// leave asks for a stamp, and goes while a child works on it.
func leave(g *gateway, gone context.Context) int {
	g.endChildren()
	works := g.seed("child-pdfstamp", "hang")
	ctx, cancel := context.WithCancel(gone)
	defer cancel()
	go func() {
		for ctx.Err() == nil && !works() {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(200 * time.Millisecond)
		cancel()
	}()
	g.sendFor(ctx, "POST", "/v1/tcode/stamps", stampBody(g.t))
	wait(time.Second)(g, gone)
	return http.StatusOK
}

// hangingChild has a child hang until its limit.
func hangingChild(g *gateway, gone context.Context) int {
	g.seed("child-raster-pdfium", "hang")
	return freshChildren(g, gone)
}

// hasty returns the flags for a limit of the work of a child that ends before that of its request.
func hasty(*testing.T) []string { return []string{"--page-time", "2s"} }

// hangingList has a request hang until its limit.
func hangingList(g *gateway, _ context.Context) int {
	g.seed("request-listStamps", "hang")
	g.send("GET", "/v1/tcode/stamps", nil)
	return statusOf(g.send("GET", "/v1/tcode/stamps", nil))
}

// silence has a message go to a server that says nothing for longer than a third of a lease.
func silence(g *gateway, gone context.Context) int {
	g.silent.Store(true)
	defer g.silent.Store(false)
	g.document()
	return wait(10*time.Second)(g, gone)
}

// askMetrics reads the metrics.
func askMetrics(g *gateway, _ context.Context) int { return statusOf(g.watch("/metrics")) }

// askReady asks whether the gateway is ready.
func askReady(g *gateway, _ context.Context) int { return statusOf(g.watch("/readyz")) }

// hangUp has the gateway read its certificate again.
func hangUp(g *gateway, gone context.Context) int {
	must(g.t, g.cmd.Process.Signal(syscall.SIGHUP))
	wait(time.Second)(g, gone)
	return askReady(g, gone)
}

// lifelong are the kinds of items that belong to the begin or the end of the process, or are as long
// as it, with what a gateway does before its end so that it has one; nil for nothing. TestLives
// tries them.
var lifelong = map[string]func(g *gateway){
	"certificate-end": func(*gateway) { time.Sleep(time.Second) }, // it asks the authority
	"close-children":  nil, "close-files": nil, "closing": nil, "drain": nil, "gateway-services": nil,
	"hangups": nil, "last-publication": nil, "listener": nil, "log": nil,
	"mail-cut": undelivered, "mail-farewell": undelivered,
	"memory-of-start": func(*gateway) { time.Sleep(7 * time.Second) },
	"memory-watch":    nil, "services": nil, "signal": nil,
	"webhook-farewell": silentReceiver,
}

// undelivered has a message go to a server that says nothing.
func undelivered(g *gateway) {
	g.silent.Store(true)
	g.document()
	time.Sleep(2 * time.Second)
}

// unreached are kinds that no way leads to, with the reason.
var unreached = map[string]string{
	"child-raster-avif":    "of the scanner: a gateway draws PDFs alone",
	"child-raster-heic":    "of the scanner: a gateway draws PDFs alone",
	"child-raster-picture": "of the scanner: a gateway draws PDFs alone",
	"console-dashboard":    "it has no route: console-door shows it",
	"document-time":        "of the scanner",
	"draw":                 "of the scanner",
	"drawer":               "of the scanner",
	"file-deadline":        "of commands that read a file which a person names",
	"forced-end":           "after another fault, when nothing else ends the process",
	"gozxing":              "it names panics of a library for symbols that are hard to read",
	"last-words":           "after another fault, when no other process reads stderr",
	"mail-lost":            "only while another gateway takes a message",
	"open-file":            "of commands that read a file which a person names",
	"page":                 "of the scanner",
	"page-wait":            "of the scanner",
	"request":              "it names faults of request-OPERATION",
	"screen":               "it names faults of console-AREA",
	"slow-start":           "of the scanner",
	"sweep":                "of old data, which a new gateway has not: see TestPoisonOwn of server/opstest",
}

// inChild reports whether a fault of an item ends a child process alone.
func inChild(c cell) bool {
	role, ok := strings.CutPrefix(c.kind, "child-")
	return c.within != "" || c.kind == "work-orders" ||
		ok && slices.ContainsFunc(server.Roles(), func(r sandbox.Role) bool { return r.Name == role })
}
