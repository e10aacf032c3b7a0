package release_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
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
	"tcode/cmd/internal/world"
)

// sealed starts the program as "docker run --read-only --cap-drop all --security-opt no-new-privileges" would: the root
// file system is read-only but for the volume, the user has no capabilities and gets none, and the program is process 1.
const sealed = `set -eu
root=$1; shift
mount --bind "$root" "$root"
mount --bind "$root/data" "$root/data"
mount -t proc none "$root/proc"
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs --inh-caps=-all --ambient-caps=-all chroot --userspec="$USERSPEC" "$root" /tcode-gateway "$@"
`

// TestContainer runs the gateway in the root file system of its container image, as the user of the image, with nothing
// else in sight, no capabilities and a root that is read-only: it begins, serves, and stamps a PDF, which takes child
// processes. SIGTERM ends it, and the next one has the stamp. TCODE_CONTAINER_PROGRAM names a program to use, such as one
// that was built without C libraries; the one of the other tests needs C libraries in the root.
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
		exe = world.Program(t, "tcode-gateway")
		libraries = sharedLibraries(t, exe)
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	certificates := filepath.Join(t.TempDir(), "certificates")
	world.WriteFile(t, certificates, []byte("none\n"))
	if err := pack.Unpack(root, append(container.Entries(exe, certificates, world.Path("LICENSE"),
		[]byte("the source")), libraries...)); err != nil {
		t.Fatal(err)
	}
	copyCache(t, filepath.Join(root, "data", "cache"))
	giveAway(t, filepath.Join(root, "data"))
	c := &contained{t: t, root: root}
	c.output("init")
	c.output("tenant", "create", "--name", "Acme", "--reference", "ACME01")
	key := c.output("key", "create", "--tenant", "ACME01", "--name", "office")

	c.serve()
	if body := fetched(t, c.address+"/healthz"); !strings.Contains(body, "ok") && !strings.Contains(body, "{") {
		t.Errorf("/healthz: %q", body)
	}
	if body := fetched(t, c.address+"/source"); body != "the source" {
		t.Errorf("/source: %q", body)
	}
	status := string(world.ReadFile(t, fmt.Sprintf("/proc/%d/status", c.process)))
	for _, want := range []string{"NoNewPrivs:\t1", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "CapAmb:\t0000000000000000", "Uid:\t" + container.User} {
		if !strings.Contains(status, want) {
			t.Errorf("the gateway runs with\n%s\nwant %q", status, want)
		}
	}
	pdf := world.ReadFile(t, world.Path("testdata/documents/letter.pdf"))
	var stamp struct {
		Data struct{ ID, Reference string }
	}
	c.call(http.MethodPost, "/v1/tcode/stamps", key, map[string]string{"name": "Letter", "documentTypeCode": "LTR", "pdf": base64.StdEncoding.EncodeToString(pdf)}, http.StatusCreated, &stamp)
	c.end()

	c.serve()
	var link struct{ Data struct{ URL string } }
	c.call(http.MethodGet, "/v1/tcode/stamps/"+stamp.Data.ID+"/download", key, nil, http.StatusOK, &link)
	at, err := url.Parse(link.Data.URL)
	if err != nil {
		t.Fatal(err)
	}
	var found struct{ Data struct{ Reference string } }
	stamped := fetched(t, c.address+at.RequestURI())
	c.call(http.MethodGet, fmt.Sprintf("/v1/tcode/verify/hash/%x", sha256.Sum256([]byte(stamped))), "", nil, http.StatusOK, &found)
	if found.Data.Reference != stamp.Data.Reference || stamp.Data.Reference == "" {
		t.Errorf("the stamped file is %q at the next gateway, want %q", found.Data.Reference, stamp.Data.Reference)
	}
	c.end()
}

// contained is a gateway in its root file system.
type contained struct {
	t       *testing.T
	root    string
	cmd     *exec.Cmd // of the gateway that serves
	process int       // its id
	address string
	log     bytes.Buffer
}

// inside returns the program with arguments.
func (c *contained) inside(args ...string) *exec.Cmd {
	cmd := exec.Command("unshare", append([]string{
		"--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "sh", "-c", sealed, "sh", c.root,
	}, args...)...)
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/data", "TCODE_DATA=/data", "TCODE_ADDR=127.0.0.1:0", "GOMEMLIMIT=1GiB", "USERSPEC=" + container.User + ":" + container.User} // as Containerfile sets them
	return cmd
}

// output runs a command and returns what it prints.
func (c *contained) output(args ...string) string {
	c.t.Helper()
	cmd := c.inside(args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("%q: %v\n%s", args, err, said.String())
	}
	return strings.TrimSpace(string(out))
}

// serve starts the gateway.
func (c *contained) serve() {
	c.t.Helper()
	cmd := c.inside("serve")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	c.log.Reset()
	cmd.Stderr = &c.log
	// The end of unshare does not end the gateway, because it has another user: the group ends together.
	cmd.SysProcAttr, cmd.WaitDelay = &syscall.SysProcAttr{Setpgid: true}, 10*time.Second
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.cmd = cmd
	c.t.Cleanup(func() {
		if cmd.ProcessState == nil {
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			cmd.Wait()
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	c.address, _, _ = strings.Cut(line, " ")
	if err != nil || !strings.HasPrefix(c.address, "http://127.0.0.1:") {
		c.t.Fatalf("the gateway says %q, %v\n%s", line, err, c.log.String())
	}
	pid := cmd.Process.Pid
	if _, err := fmt.Sscan(string(world.ReadFile(c.t,
		fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))), &c.process); err != nil {
		c.t.Fatal(err)
	}
}

// end ends the gateway with SIGTERM, as "docker stop" does.
func (c *contained) end() {
	c.t.Helper()
	if err := syscall.Kill(c.process, syscall.SIGTERM); err != nil {
		c.t.Fatal(err)
	}
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("the end of the gateway: %v\n%s", err, c.log.String())
	}
}

// call makes a request and decodes the answer.
func (c *contained) call(method, path, key string, body any, status int, into any) {
	c.t.Helper()
	var send io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			c.t.Fatal(err)
		}
		send = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.address+path, send)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("x-api-key", key)
	}
	answer, err := (&http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", path, err, c.log.String())
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != status {
		c.t.Fatalf("%s: %d %s, %v\n%s", path, answer.StatusCode, got, err, c.log.String())
	}
	if err := json.Unmarshal(got, into); err != nil {
		c.t.Fatalf("%s: %v in %s", path, err, got)
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
