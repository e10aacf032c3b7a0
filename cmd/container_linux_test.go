package cmd_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/cmd/internal/container"
	"tcode/cmd/internal/pack"
)

// TestContainer runs the gateway in the root file system of its container image, as the user of the image, with nothing
// else in sight: it begins, serves, and stamps a PDF, which takes child processes. TCODE_CONTAINER_PROGRAM names a
// program to use, such as one that was built without cgo; the one of the other tests needs C libraries in the root.
func TestContainer(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("changing the root takes root")
		}
		t.Skip("changing the root takes root")
	}
	exe, root := os.Getenv("TCODE_CONTAINER_PROGRAM"), t.TempDir()
	libraries := []pack.Entry(nil)
	if exe == "" {
		exe = program(t, "tcode-gateway")
		libraries = sharedLibraries(t, exe)
	}
	certificates := filepath.Join(t.TempDir(), "certificates")
	writeFile(t, certificates, []byte("none\n"))
	if err := pack.Unpack(root, append(container.Entries(exe, certificates, filepath.Join("..", "LICENSE"), []byte("the source")), libraries...)); err != nil {
		t.Fatal(err)
	}
	copyCache(t, filepath.Join(root, "data", "cache"))
	giveAway(t, filepath.Join(root, "data"))
	inside := func(args ...string) *exec.Cmd {
		cmd := exec.Command("unshare", append([]string{
			"--mount", "--pid", "--ipc", "--uts", "--fork", "--mount-proc=" + filepath.Join(root, "proc"),
			"chroot", "--userspec=" + container.User + ":" + container.User, root, "/tcode-gateway",
		}, args...)...)
		cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/data", "TCODE_DATA=/data", "TCODE_ADDR=127.0.0.1:0", "GOMEMLIMIT=1GiB"} // as Containerfile sets them
		return cmd
	}
	output := func(args ...string) string {
		t.Helper()
		cmd := inside(args...)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, said.String())
		}
		return strings.TrimSpace(string(out))
	}
	output("init")
	output("tenant", "create", "--name", "Acme", "--reference", "ACME01")
	key := output("key", "create", "--tenant", "ACME01", "--name", "office")

	serve := inside("serve")
	stdout, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	serve.Stderr = &log
	// The end of unshare does not end the gateway, because it has another user: the group ends together.
	serve.SysProcAttr, serve.WaitDelay = &syscall.SysProcAttr{Setpgid: true}, 10*time.Second
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(-serve.Process.Pid, syscall.SIGKILL)
		serve.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	address, _, _ := strings.Cut(line, " ")
	if err != nil || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("the gateway says %q, %v\n%s", line, err, log.String())
	}
	if body := fetched(t, address+"/healthz"); !strings.Contains(body, "ok") && !strings.Contains(body, "{") {
		t.Errorf("/healthz: %q", body)
	}
	if body := fetched(t, address+"/source"); body != "the source" {
		t.Errorf("/source: %q", body)
	}
	pdf, err := os.ReadFile(filepath.Join("..", "testdata", "documents", "letter.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	request, _ := json.Marshal(map[string]string{"name": "Letter", "documentTypeCode": "LTR", "pdf": base64.StdEncoding.EncodeToString(pdf)})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/v1/tcode/stamps", bytes.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("x-api-key", key)
	r.Header.Set("Content-Type", "application/json")
	answer, err := (&http.Client{Timeout: 2 * time.Minute}).Do(r)
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	defer answer.Body.Close()
	if body, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusCreated {
		t.Errorf("stamp: %d %s\n%s", answer.StatusCode, body, log.String())
	}
}

// fetched returns the body of an answer with status 200.
func fetched(t *testing.T, url string) string {
	t.Helper()
	a, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != http.StatusOK {
		t.Errorf("%s: %d, %v", url, a.StatusCode, err)
	}
	return string(body)
}

// loaded matches a library in the output of ldd.
var loaded = regexp.MustCompile(`(/\S+) \(0x`)

// sharedLibraries returns the C libraries of a program that was built with cgo.
func sharedLibraries(t *testing.T, exe string) (all []pack.Entry) {
	t.Helper()
	out, err := exec.Command("ldd", exe).Output()
	if err != nil {
		t.Fatalf("ldd: %v", err)
	}
	for _, m := range loaded.FindAllStringSubmatch(string(out), -1) {
		all = append(all, pack.Entry{Name: strings.TrimPrefix(m[1], "/"), Mode: 0o755, Path: m[1]})
	}
	return all
}

// copyCache copies the machine code of PDFium, if other tests have made it, because compiling it takes seconds.
func copyCache(t *testing.T, to string) {
	t.Helper()
	if from := os.Getenv("TCODE_CACHE"); from != "" {
		if out, err := exec.Command("cp", "-r", from, to).CombinedOutput(); err != nil {
			t.Fatalf("cp: %v\n%s", err, out)
		}
	}
}

// giveAway gives a folder with its contents to the user of the image.
func giveAway(t *testing.T, dir string) {
	t.Helper()
	id, err := strconv.Atoi(container.User)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = syscall.Chown(path, id, id)
		}
		return err
	})
	if err != nil {
		t.Fatal(fmt.Errorf("chown: %w", err))
	}
}
