package server_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/store/storetest"
)

// gatewayEnv names the data folder of a gateway that this very program is to
// run, so that its memory can be measured apart from the tests'.
const gatewayEnv = "TCODE_TEST_GATEWAY"

// holdEnv is its [server.Config] Hold, such as 2s.
const holdEnv = "TCODE_TEST_HOLD"

// mailEnv is the server that it hands e-mail to, as [mail.ParseURL] reads it.
const mailEnv = "TCODE_TEST_MAIL"

// runGateway serves until the parent ends it, by force or by SIGTERM. It prints
// where it listens, and where it is watched.
func runGateway(data string) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	server.TuneMemory() // as the program does
	var watch net.Addr
	limits := httpapi.DefaultLimits()
	limits.LookupsPerMinute, limits.KeyLookupsPerMinute, limits.RequestsPerMinute = 0, 0, 0
	database, err := storetest.DatabaseURL(data)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	hold, _ := time.ParseDuration(os.Getenv(holdEnv))
	letters, err := testMail(os.Getenv(mailEnv))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	err = server.Run(ctx, server.Config{
		Init: true,
		Mail: letters, PublicURL: publicURL,
		Addr: "127.0.0.1:0", MetricsAddr: "127.0.0.1:0", Data: data, DatabaseURL: database, Hold: hold, Limits: &limits, Readback: storetest.Readback{},
		Log:          slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		MetricsReady: func(addr net.Addr) { watch = addr },
		Ready:        func(addr net.Addr) { fmt.Printf("%v\n%v\n", addr, watch) },
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// startProcess is start with the gateway in a process of its own.
func startProcess(t *testing.T) (_ *rig, pid int) {
	t.Helper()
	r, cmd, _ := startWatched(t)
	return r, cmd.Process.Pid
}

// startWatched also returns the process and the address that it is watched at.
func startWatched(t *testing.T) (_ *rig, cmd *exec.Cmd, watch string) {
	t.Helper()
	data := t.TempDir()
	admin, err := server.Open(t.Context(), server.Config{Init: true, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(os.Args[0])
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
	lines := bufio.NewReader(out)
	line := func() string {
		s, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(s)
	}
	addr := line()
	record.watch(addr)
	return &rig{t: t, url: "http://" + addr, admin: admin, dir: data, engine: storetest.SQLite}, cmd, "http://" + line()
}

// process runs a gateway on the rig's folder until it is killed, with variables
// of its own.
func (r *rig) process(env ...string) *exec.Cmd {
	r.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), gatewayEnv+"="+r.dir), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		cmd.Process.Kill() // it may be dead
		cmd.Wait()         //nolint:errcheck // it was killed
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		r.t.Fatalf("the gateway did not start: %v", err)
	}
	return cmd
}
