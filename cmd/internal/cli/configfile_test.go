package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tcode/cmd/internal/cli"
)

func TestParseSettings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, want string // want: the settings, or the beginning of the error
	}{
		{"empty", "", ""},
		{"comments", "# x\n\n  # y = z\n", ""},
		{"values", "a = 1\r\nb-2=x=y # z\n", "a=1@1 b-2=x=y # z@2 "},
		{"byte order mark", "\ufeffa=1", "a=1@1 "},
		{"no sign", "a=1\nb\n", "2: want NAME = VALUE"},
		{"no name", "=1", `1: "" is not the name`},
		{"a name in capitals", "Addr = x", `1: "Addr" is not the name`},
		{"with dashes before it", "--addr = x", "--addr=x@1 "},
		{"a variable", "AWS_KEY2 = a & $b `c` 'd' \"e\" #f \\", "AWS_KEY2=a & $b `c` 'd' \"e\" #f \\@1 "},
		{"no value", "\na =  ", "2: a has no value"},
		{"quotes", `a = "x"`, "1: a: write the value without quotes"},
		{"twice", "a=1\n\na=2", "3: a is set in line 1 already"},
		{"not UTF-8", "a=\xff", "1: the line is not in UTF-8"},
		{"a control character", "a=\x1b[2J", "1: the line holds a control character"},
		{"a long line", "a=" + strings.Repeat("x", 20<<10), "1: the line is longer"},
		{"a large file", strings.Repeat("#\n", 200<<10), "1: the file is larger"},
	}
	for _, tt := range tests {
		list, err := cli.ParseSettings([]byte(tt.file))
		var got strings.Builder
		for _, s := range list {
			fmt.Fprintf(&got, "%s=%s@%d ", s.Name, s.Value, s.Line)
		}
		if err != nil {
			got.WriteString(err.Error())
		}
		if !strings.HasPrefix(got.String(), tt.want) || tt.want == "" && got.String() != "" {
			t.Errorf("%s: %q, want %q", tt.name, got.String(), tt.want)
		}
	}
}

// FuzzParseSettings: what parses is found again in lines that are written from it, and an error names a line.
func FuzzParseSettings(f *testing.F) {
	f.Add([]byte("# x\naddr = :443\r\ntrusted-proxy=10.0.0.0/8,::1\n"))
	f.Add([]byte("\ufeffa=b\n\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, err := cli.ParseSettings(raw)
		if err != nil {
			line, _, _ := strings.Cut(err.Error(), ":")
			if n, aerr := strconv.Atoi(line); aerr != nil || n < 1 || n > 1+bytes.Count(raw, []byte("\n")) {
				t.Fatalf("%v names no line of %q", err, raw)
			}
			return
		}
		var again bytes.Buffer
		for _, s := range list {
			fmt.Fprintf(&again, "%s = %s\n", s.Name, s.Value)
		}
		back, err := cli.ParseSettings(again.Bytes())
		if err != nil || len(back) != len(list) {
			t.Fatalf("%q: %v, %v", again.String(), back, err)
		}
		for i, s := range back {
			if s.Name != list[i].Name || s.Value != list[i].Value {
				t.Errorf("%+v is read again as %+v", list[i], s)
			}
		}
	})
}

// TestConfigFile: a flag has priority over the environment, and that over the file, which
// sets nothing that has no environment variable.
func TestConfigFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.conf")
	type program struct {
		Config cli.ConfigFile `env:"CLI_TEST_CONFIG" variables:"CLI_LIB_*,CLI_SECRET"`
		Level  string         `enum:"low,high" default:"low" env:"CLI_TEST_LEVEL"`
		List   []string       `env:"CLI_TEST_LIST"`
		Go     struct {
			Count int `env:"CLI_TEST_COUNT"`
		} `cmd:""`
		Stop struct {
			Fast  bool `env:"CLI_TEST_FAST"`
			Count int  // another flag of that name
		} `cmd:""`
	}
	run := func(file string, args ...string) (p program, err error) {
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = cli.Parse("prog", "A program.", &p, append(args, "--config", path), cli.Streams{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}})
		return p, err
	}
	p, err := run("level = high\nlist = a,b\ncount = 7\nfast = true", "go")
	if err != nil || p.Level != "high" || fmt.Sprint(p.List) != "[a b]" || p.Go.Count != 7 {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := run("count = 7\nfast = true", "stop"); err != nil || p.Stop.Count != 0 || !p.Stop.Fast {
		t.Errorf("another command: %+v, %v", p, err)
	}
	t.Setenv("CLI_TEST_COUNT", "8")
	if p, err := run("count = 7", "go"); err != nil || p.Go.Count != 8 {
		t.Errorf("with the environment: %+v, %v", p, err)
	}
	if p, err := run("count = 7", "go", "--count", "9"); err != nil || p.Go.Count != 9 {
		t.Errorf("with a flag: %+v, %v", p, err)
	}
	const literal = `postgres://u:p@h/d?a=b&c=$d "x" 'y' #z \`
	for _, name := range []string{"CLI_LIB_A", "CLI_LIB_B", "CLI_SECRET"} {
		t.Setenv(name, "") // restores them
		os.Unsetenv(name)
	}
	t.Setenv("CLI_LIB_B", "of the environment")
	if _, err := run("CLI_LIB_A = "+literal+"\nCLI_LIB_B = x\nCLI_SECRET={\"k\":1}", "go"); err != nil ||
		os.Getenv("CLI_LIB_A") != literal || os.Getenv("CLI_LIB_B") != "of the environment" || os.Getenv("CLI_SECRET") != `{"k":1}` {
		t.Errorf("variables: %q %q %q, %v", os.Getenv("CLI_LIB_A"), os.Getenv("CLI_LIB_B"), os.Getenv("CLI_SECRET"), err)
	}
	for file, want := range map[string]string{
		"\nCLI_TEST_LEVEL = high": ":2: write level = high", "PATH = /": ":1: PATH is not a variable that a file may set; those are CLI_LIB_*, CLI_SECRET",
		"level = middle": ":1: --level must be one of", "\ncount = x": ":2: --count: expected", "fast = perhaps": ":1: --fast", "config = x": ":1: there is no setting config",
		"help = true": ":1: there is no setting help", "x": ":1: want NAME = VALUE",
	} {
		if _, err := run(file, "go"); err == nil || !strings.Contains(err.Error(), path+want) || cli.Code(err) != cli.CodeUsage {
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
}
