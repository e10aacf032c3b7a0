package blobtest

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// versityVersion is the S3 server for tests of killed gateways, built once for all runs.
const versityVersion = "v1.8.0"

// program builds versitygw outside of this module.
func program(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "tcode", "tools", "versitygw-"+versityVersion)
	program := filepath.Join(dir, "versitygw")
	if _, err := os.Stat(program); err == nil {
		return program
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "install", "-ldflags=-s -w", "github.com/versity/versitygw/cmd/versitygw@"+versityVersion)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		if os.Getenv("CI") == "" {
			t.Skipf("versitygw cannot be built: %v\n%s", err, out)
		}
		t.Fatalf("build versitygw: %v\n%s", err, out)
	}
	return program
}

// Versity runs versitygw, an S3 server in a process of its own with its files on the disk,
// until the test ends.
func Versity(t testing.TB) Bucket {
	t.Helper()
	keys()
	program, root := program(t), attributeFolder(t, os.TempDir(), "/var/tmp")
	if err := os.Mkdir(filepath.Join(root, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	var log bytes.Buffer
	// Attributes of objects are attributes of their files, so that both change in one step. With
	// its --sidecar they do not.
	cmd := exec.Command(program, "--quiet", "--port", addr, "--access", os.Getenv("AWS_ACCESS_KEY_ID"), "--secret", os.Getenv("AWS_SECRET_ACCESS_KEY"), "posix", root)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it was killed, or its log tells why
		close(ended)
	}()
	stop := func() {
		_ = cmd.Process.Kill() // it may be dead
		<-ended
	}
	t.Cleanup(stop)
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
			return Bucket{URL: Address("files", "http://"+addr), Stop: stop}
		}
		select {
		case <-ended:
			t.Fatalf("versitygw ended; its folder is %s\n%s", root, &log)
		default:
		}
		if time.Now().After(end) {
			stop()
			t.Fatalf("versitygw does not listen: %v\n%s", err, &log)
		}
	}
}
