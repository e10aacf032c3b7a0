package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/store/storetest"
)

// This program starts itself for each of its own servers: roleEnv names the role, dataEnv
// the folder of its data.
const (
	roleEnv     = "TCODE_BENCH_ROLE"
	dataEnv     = "TCODE_BENCH_DATA"
	profileEnv  = "TCODE_BENCH_PROFILE" // file for this process's CPU profile, or ""
	roleGateway = "gateway"
	roleBare    = "bare"
)

// playRole serves until SIGTERM, if this process was started as a server.
func playRole() {
	role := os.Getenv(roleEnv)
	if role == "" {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	err := profiled(os.Getenv(profileEnv), func() error {
		serve := serveGateway
		if role == roleBare {
			serve = serveBare
		}
		return with(ctx, func(h *host) error { return serve(h, os.Getenv(dataEnv)) })
	})
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", role, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// profiled calls do, and writes its CPU profile to a file.
func profiled(file string, do func() error) error {
	if file == "" {
		return do()
	}
	f, err := os.Create(file) //nolint:gosec // the user who starts this chooses the file
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	err = do()
	pprof.StopCPUProfile()
	return errors.Join(err, f.Close())
}

// serveGateway runs the gateway as its program does. It counts every limit and never
// reaches one; it discards the log.
func serveGateway(h *host, dir string) error {
	const never = 1 << 30
	limits := httpapi.DefaultLimits()
	limits.LookupsPerMinute, limits.KeyLookupsPerMinute, limits.RequestsPerMinute, limits.ScansPerMinute = never, never, never, never
	server.TuneMemory()
	return server.Run(h.ctx, server.Config{
		Init: true,
		Addr: "127.0.0.1:0", Data: dir, DatabaseURL: storetest.Database(h, dir).DatabaseURL,
		Limits: &limits, Readback: storetest.Readback{}, Log: slog.New(slog.NewJSONHandler(io.Discard, nil)),
		Ready: func(addr net.Addr) { fmt.Println(addr) },
	})
}

// A process is a server under measurement.
type process struct {
	name  string
	addr  string
	pid   int
	asked int        // look-ups and lists so far
	tb    testing.TB // of the database's cluster; nil without one
}

// own starts this program in a role on d, with additional env, until h ends.
func own(h *host, role string, d *data, e storetest.Engine, env ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(h.ctx, self)
	cmd.Env = append(append(os.Environ(), roleEnv+"="+role, dataEnv+"="+d.dir), env...)
	p, err := start(h, role, cmd)
	if err == nil && e == storetest.Postgres {
		p.tb = h
	}
	return p, err
}

// start starts a server that prints its address when it is ready.
func start(h *host, name string, cmd *exec.Cmd) (*process, error) {
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	h.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
		late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		_ = cmd.Wait() // its exit status does not matter, because it was told to end
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%s did not start: %w", name, err)
	}
	return &process{name: name, addr: strings.TrimSpace(line), pid: cmd.Process.Pid}, nil
}

// cpu returns the processor time used so far, to 10 ms, including PostgreSQL's.
func (p *process) cpu() (sum time.Duration, err error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	f := strings.Fields(rest) // from the third field on: user and system time are the 14th and 15th (proc(5))
	for _, ticks := range f[11:13] {
		n, err := strconv.ParseInt(ticks, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	if p.tb != nil {
		sum += storetest.ServerCPU(p.tb)
	}
	return sum, nil
}

// rss returns the memory that is resident now, in bytes.
func (p *process) rss() (int64, error) {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "statm"))
	if err != nil {
		return 0, err
	}
	f := strings.Fields(string(raw))
	pages, err := strconv.ParseInt(f[1], 10, 64) // the second is resident (proc(5))
	return pages * int64(os.Getpagesize()), err
}
