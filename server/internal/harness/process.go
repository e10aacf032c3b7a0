package harness

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	netmail "net/mail"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/outbound/mail"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// gatewayEnv names the data folder of a gateway that the test program runs
// instead of tests.
const gatewayEnv = "TCODE_TEST_GATEWAY"

// Environment variables of a gateway in a process of its own.
const (
	HoldEnv = "TCODE_TEST_HOLD" // its [server.Config] Hold, such as 2s, also of messages
	MailEnv = "TCODE_TEST_MAIL" // the server for its e-mail, as [mail.ParseURL] reads it
	BlobEnv = "TCODE_TEST_BLOB" // its [server.Config] BlobURL
	// SweepEnv makes the process sweep files of any age, again and again, instead of serving.
	SweepEnv = "TCODE_TEST_SWEEP"
	NameEnv  = "PGAPPNAME" // the name of its sessions in PostgreSQL's pg_stat_activity
)

// PublicURL is the begin of links in e-mail.
const PublicURL = "https://t.example"

// Mail is a configuration with short waits. An empty address is none.
func Mail(address string) (c server.MailConfig, err error) {
	if address == "" {
		return c, nil
	}
	c.Server, err = mail.ParseURL(address)
	c.From, c.Timeout = netmail.Address{Address: "office@t.example"}, 5*time.Second
	c.HandOver = 5 * time.Second
	c.FirstWait, c.Lease = 200*time.Millisecond, 3*time.Second
	return c, err
}

// runGateway serves until the parent ends it, by force or by SIGTERM, and ends
// the program. It prints the addresses of the API and of the metrics.
func runGateway(data string) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	server.TuneMemory() // as the program does
	var watch net.Addr
	hold, _ := time.ParseDuration(os.Getenv(HoldEnv))
	letters, err := Mail(os.Getenv(MailEnv))
	if hold > 0 {
		letters.Lease = hold
	}
	database := ""
	if err == nil {
		database, err = storetest.DatabaseURL(data)
	}
	if err == nil && os.Getenv(SweepEnv) != "" {
		err = sweep(ctx, server.Config{Data: data, DatabaseURL: database, BlobURL: os.Getenv(BlobEnv)})
	} else if err == nil {
		err = server.Run(ctx, server.Config{
			Init: true, BlobURL: os.Getenv(BlobEnv),
			Mail: letters, PublicURL: PublicURL,
			Addr: "127.0.0.1:0", MetricsAddr: "127.0.0.1:0", Data: data, DatabaseURL: database, Hold: hold, WebhooksAllowPrivate: true, Limits: unlimited(), Readback: storetest.Readback{},
			Log:          slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
			MetricsReady: func(addr net.Addr) { watch = addr },
			Ready:        func(addr net.Addr) { fmt.Printf("%v\n%v\n", addr, watch) },
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// sweep removes files that no row names, until ctx ends. It prints two lines, as a gateway
// does.
func sweep(ctx context.Context, c server.Config) error {
	g, err := server.Open(ctx, c)
	if err != nil {
		return err
	}
	defer g.Close()
	fmt.Print("sweeps\nsweeps\n")
	for ctx.Err() == nil {
		if _, err := g.Fsck(ctx, server.FsckOptions{Quick: true, Sweep: time.Now().Add(time.Hour)}, func(store.Problem) {}); err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "sweep:", err)
		}
	}
	return nil
}

// StartProcess is [Start] on SQLite with the gateway in a process of its own, so
// that its memory is measured apart from the tests'. watch is the address of its
// metrics.
func StartProcess(t *testing.T) (r *Rig, cmd *exec.Cmd, watch string) {
	t.Helper()
	r = &Rig{T: t, Dir: t.TempDir(), Engine: storetest.SQLite}
	var err error
	r.Admin, err = server.Open(t.Context(), server.Config{Init: true, Data: r.Dir})
	Must(t, err)
	cmd, addr, watch := r.spawn()
	t.Cleanup(func() { r.Admin.Close() })
	Watch(addr)
	r.URL = "http://" + addr
	return r, cmd, "http://" + watch
}

// Process runs a gateway on the data folder until the test ends or kills it, with
// environment variables such as [HoldEnv]=1s.
func (r *Rig) Process(env ...string) *exec.Cmd {
	r.T.Helper()
	cmd, _, _ := r.spawn(env...)
	return cmd
}

// Gateway is [Rig.Process] with the gateway as a rig for requests to it.
func (r *Rig) Gateway(env ...string) (*exec.Cmd, *Rig) {
	r.T.Helper()
	cmd, addr, _ := r.spawn(env...)
	Watch(addr)
	return cmd, &Rig{T: r.T, Dir: r.Dir, Engine: r.Engine, Admin: r.Admin, URL: "http://" + addr}
}

// spawn starts a gateway and returns its two addresses.
func (r *Rig) spawn(env ...string) (cmd *exec.Cmd, addr, watch string) {
	r.T.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), gatewayEnv+"="+r.Dir), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	Must(r.T, err)
	Must(r.T, cmd.Start())
	r.T.Cleanup(func() {
		cmd.Process.Kill() // it may be dead
		cmd.Wait()         //nolint:errcheck // it was killed
	})
	lines := bufio.NewReader(out)
	line := func() string {
		s, err := lines.ReadString('\n')
		if err != nil {
			r.T.Fatalf("the gateway did not start: %v", err)
		}
		return strings.TrimSpace(s)
	}
	return cmd, line(), line()
}
