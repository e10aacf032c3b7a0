//go:build js

package idb_test

import (
	"syscall/js"
	"testing"

	"tcode/offline/host/webapi"
)

// settled waits for a request of IndexedDB.
func settled(t *testing.T, request js.Value) js.Value {
	t.Helper()
	done := make(chan bool, 2)
	defer webapi.On(request, "success", func(js.Value) { done <- true })()
	defer webapi.On(request, "error", func(js.Value) { done <- false })()
	if !<-done {
		t.Fatal(webapi.AsError(request.Get("error")))
	}
	return request.Get("result")
}

func factory() js.Value { return js.Global().Get("indexedDB") }

func remove(t *testing.T, name string) {
	t.Helper()
	settled(t, factory().Call("deleteDatabase", name))
}

// upgrade makes the database that version.
func upgrade(t *testing.T, name string, version int) {
	t.Helper()
	settled(t, factory().Call("open", name, version)).Call("close")
}

// hold makes another database of that name, as version 1 and with a change of its version that does not end before release.
func hold(t *testing.T, name string) (release func()) {
	t.Helper()
	request := factory().Call("open", name, 1)
	began := make(chan struct{}, 1)
	ended := make(chan struct{}, 1)
	offs := []func(){
		webapi.On(request, "upgradeneeded", func(js.Value) {
			request.Get("result").Call("createObjectStore", "records")
			began <- struct{}{}
		}),
		webapi.On(request, "success", func(js.Value) { ended <- struct{}{} }),
	}
	// A request follows a request, so that the transaction goes on.
	<-began
	store := request.Get("transaction").Call("objectStore", "records")
	stop := false
	var again js.Func
	again = js.FuncOf(func(js.Value, []js.Value) any {
		if !stop {
			store.Call("count").Set("onsuccess", again)
		}
		return nil
	})
	store.Call("count").Set("onsuccess", again)
	return func() {
		stop = true
		<-ended
		request.Get("result").Call("close")
		for _, off := range offs {
			off()
		}
	}
}
