package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestUserLink: the link that "user create" prints opens in the console of a serving
// gateway, and chooses a password once.
func TestUserLink(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	cmd := exec.Command("tcode-gateway", "serve", "--init", "--json", "--addr", "127.0.0.1:0", "--data", data)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	var ready struct{ URL string }
	if err != nil || json.Unmarshal(line, &ready) != nil {
		t.Fatalf("first line %q: %v", line, err)
	}
	link := gateway(t, data, "user", "create", "--email", "ada@example.org", "--name", "Ada Byron", "--public-url", ready.URL)
	if !strings.HasPrefix(link, ready.URL+"/console/welcome/") {
		t.Fatalf("link %q", link)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for i, want := range []int{200, 303, 404} {
		send := func() (*http.Response, error) { return client.Get(link) }
		if i > 0 {
			send = func() (*http.Response, error) {
				return client.PostForm(link, url.Values{"password": {"correct horse battery"}, "again": {"correct horse battery"}})
			}
		}
		res, err := send()
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != want || i == 0 && !strings.Contains(string(body), "Ada Byron") || i == 1 && res.Header.Get("Location") != "/console/enrol" {
			t.Errorf("request %d: %d to %q\n%.300s", i, res.StatusCode, res.Header.Get("Location"), body)
		}
	}
	if list := gateway(t, data, "user", "list"); !strings.Contains(list, "active") || !strings.Contains(list, "ada@example.org") {
		t.Errorf("users: %s", list)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	token := link[strings.LastIndexByte(link, '/')+1:]
	if strings.Contains(log.String(), token) || strings.Contains(log.String(), "battery") || !strings.Contains(log.String(), `"route":"POST /console/welcome/{token}"`) {
		t.Error("the log holds the link or the password, or no line for it")
	}
}
