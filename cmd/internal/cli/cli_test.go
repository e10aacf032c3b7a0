package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"tcode/cmd/internal/cli"
)

func TestCode(t *testing.T) {
	t.Parallel()
	base := errors.New("no")
	tests := []struct {
		name string
		err  error
		want int
	}{
		{"nil", nil, cli.CodeOK},
		{"any", base, cli.CodeFailed},
		{"exit", cli.Exit(cli.CodeUnreadable, base), cli.CodeUnreadable},
		{"wrapped exit", fmt.Errorf("open: %w", cli.Exit(cli.CodeUnreadable, base)), cli.CodeUnreadable},
		{"quiet exit", cli.Exit(cli.CodeFailed, nil), cli.CodeFailed},
		{"usage", cli.Usage("--x: %d", 1), cli.CodeUsage},
		{"interrupted", fmt.Errorf("read: %w", context.Canceled), cli.CodeInterrupted},
	}
	for _, tt := range tests {
		if got := cli.Code(tt.err); got != tt.want {
			t.Errorf("%s: Code = %d, want %d", tt.name, got, tt.want)
		}
	}
	if !errors.Is(cli.Exit(3, base), base) {
		t.Error("the reason of an exit is lost")
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	for _, err := range []error{nil, cli.Exit(1, nil), context.Canceled} {
		var b bytes.Buffer
		if cli.Report(&b, err); b.Len() > 0 {
			t.Errorf("Report(%v) prints %q", err, b.String())
		}
	}
	if err := cli.WithHint(nil, "hint"); err != nil {
		t.Errorf("WithHint(nil) = %v", err)
	}
	var b bytes.Buffer
	err := cli.WithHint(cli.Exit(cli.CodeUnreadable, errors.New("no")), "Do this.")
	if cli.Report(&b, err); !strings.HasSuffix(b.String(), ": no\nDo this.\n") || cli.Code(err) != cli.CodeUnreadable {
		t.Errorf("Report prints %q, code %d", b.String(), cli.Code(err))
	}
	b.Reset()
	if cli.Report(&b, errors.New("no such file")); !strings.HasSuffix(b.String(), ": no such file\n") {
		t.Errorf("Report prints %q", b.String())
	}
}

// The name of a file or a gateway cannot control the terminal.
func TestReportPrintable(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	cli.Report(&b, errors.New("open \x1b]0;hit\a\u202egnp.pdf\r: no such file\n\tÜnïcode: 学位"))
	if got, want := b.String(), ": open \ufffd]0;hit\ufffd\ufffdgnp.pdf\ufffd: no such file\n  Ünïcode: 学位\n"; !strings.HasSuffix(got, want) {
		t.Errorf("Report prints %q, want %q", got, want)
	}
	b.Reset()
	err := cli.List(cli.Output{W: &b}, []string{"a\tb\n\x1b[2J"}, "", []string{"name"}, func(s string) []string { return []string{s} })
	if got, want := b.String(), "NAME\na\ufffdb\ufffd\ufffd[2J\n"; err != nil || got != want {
		t.Errorf("List prints %q, want %q", got, want)
	}
}

type grammar struct {
	JSON  bool `name:"json" env:"CLI_TEST_JSON"`
	Greet struct {
		Name string `required:"" help:"Whom."`
		Fail bool
	} `cmd:"" help:"Say hello."`
}

func parse(args ...string) (g grammar, stdout string, err error) {
	var out, errs bytes.Buffer
	_, err = cli.Parse("prog", "A program.", &g, args, cli.Streams{Out: &out, Err: &errs})
	return g, out.String(), err
}

func TestParse(t *testing.T) {
	g, _, err := parse("greet", "--name", "Ada")
	if err != nil || g.Greet.Name != "Ada" || g.JSON {
		t.Errorf("Parse = %+v, %v", g, err)
	}
	_, help, err := parse("--help")
	if cli.Code(err) != cli.CodeOK || err == nil || !strings.Contains(help, "A program.") {
		t.Errorf("help: %v, %q", err, help)
	}
	for _, args := range [][]string{{}, {"greet"}, {"greet", "--nam", "x"}, {"greeet"}} {
		if _, _, err := parse(args...); cli.Code(err) != cli.CodeUsage {
			t.Errorf("Parse(%q): %v, code %d, want %d", args, err, cli.Code(err), cli.CodeUsage)
		}
	}
	_, _, err = parse("greet")
	var b bytes.Buffer
	if cli.Report(&b, err); !strings.Contains(b.String(), `Run "prog greet --help"`) {
		t.Errorf("wrong use is reported as %q", b.String())
	}
	_, _, err = parse("greeet")
	b.Reset()
	if cli.Report(&b, err); !strings.Contains(b.String(), `Run "prog --help" for the commands`) {
		t.Errorf("no such command is reported as %q", b.String())
	}
	t.Setenv("CLI_TEST_JSON", "true")
	if g, _, err := parse("greet", "--name", "Ada"); err != nil || !g.JSON {
		t.Errorf("environment twin: %+v, %v", g, err)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	type item struct {
		A string `json:"a"`
		N int    `json:"n"`
	}
	items := []item{{"<x>", 1}, {"longer", 22}}
	row := func(i item) []string { return []string{i.A, fmt.Sprint(i.N)} }
	show := func(json bool, items []item) string {
		var b bytes.Buffer
		if err := cli.List(cli.Output{W: &b, JSON: json}, items, "nothing", []string{"a", "count"}, row); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got, want := show(true, items), "{\"a\":\"<x>\",\"n\":1}\n{\"a\":\"longer\",\"n\":22}\n"; got != want {
		t.Errorf("JSON: %q, want %q", got, want)
	}
	if got, want := show(false, items), "A       COUNT\n<x>     1\nlonger  22\n"; got != want {
		t.Errorf("table: %q, want %q", got, want)
	}
	if got := show(true, nil) + show(false, nil); got != "nothing\n" {
		t.Errorf("none: %q", got)
	}
	if err := cli.List(cli.Output{W: broken{}, JSON: true}, items, "", nil, row); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("broken pipe: %v", err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestLogger(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	log := cli.LogFlags{LogLevel: slog.LevelWarn, LogFormat: "json"}.Logger(&b)
	log.Info("no")
	log.Warn("yes")
	if got := b.String(); strings.Contains(got, "no") || !strings.HasPrefix(got, `{"time"`) {
		t.Errorf("log = %q", got)
	}
	for format, json := range map[string]bool{"auto": true, "text": false, "json": true} { // this is no terminal
		b.Reset()
		cli.LogFlags{LogFormat: format}.Logger(&b).Info("x")
		if got := strings.HasPrefix(b.String(), "{"); got != json {
			t.Errorf("format %s: %q", format, b.String())
		}
	}
}
