package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"

	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/store/storetest"
)

// gatewayEnv names the data folder of a gateway that this very program is to
// run, so that its memory can be measured apart from the tests'.
const gatewayEnv = "TCODE_TEST_GATEWAY"

// runGateway serves until the parent ends it.
func runGateway(data string) {
	limits := httpapi.DefaultLimits()
	limits.LookupsPerMinute, limits.KeyLookupsPerMinute, limits.RequestsPerMinute = 0, 0, 0
	err := server.Run(context.Background(), server.Config{
		Addr: "127.0.0.1:0", Data: data, Limits: &limits,
		Ready: func(addr net.Addr) { fmt.Println(addr) },
	})
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// startProcess is start with the gateway in a process of its own.
func startProcess(t *testing.T) (_ *rig, pid int) {
	t.Helper()
	data := t.TempDir()
	admin, err := server.Open(t.Context(), server.Config{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), gatewayEnv+"="+data)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		admin.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	addr := line[:len(line)-1]
	record.watch(addr)
	return &rig{t: t, url: "http://" + addr, admin: admin, dir: data, engine: storetest.SQLite}, cmd.Process.Pid
}
