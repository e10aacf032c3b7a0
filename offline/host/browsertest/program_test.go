//go:build js

package browsertest_test

import (
	"fmt"
	"os"
	"syscall/js"
	"testing"
)

func TestPasses(t *testing.T) {
	if js.Global().Get("WorkerGlobalScope").IsUndefined() {
		t.Error("no worker")
	}
	fmt.Println("setting", os.Getenv("SETTING"))
}

func TestFails(t *testing.T) {
	t.Error("as it must")
}

func TestWaits(*testing.T) {
	fmt.Println("now")
	fmt.Println("after")
}
