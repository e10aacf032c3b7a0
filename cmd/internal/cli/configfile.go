package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"tcode/offline/host/openfile"
)

// A ConfigFile is a flag that names a file of settings. Each setting is the name of a flag
// that has an environment variable:
//
//	# of the gateway at the registry
//	addr = :443
//	trusted-proxy = 10.0.0.0/8,192.0.2.7
//	AWS_ACCESS_KEY_ID = AKIAIOSFODNN7EXAMPLE
//
// A name in capitals is that of an environment variable without a flag, which is then set. The tag
// variables of the flag lists patterns of those (see [path.Match]), separated by commas. Values are
// taken as they stand: nothing in them is expanded.
//
// A flag on the command line has priority over the environment, and that over the file.
// A mistake in the file is an error that names the line.
type ConfigFile struct {
	Path     string // empty: there is no file
	settings []Setting
	open     bool // every user may read the file
	loose    bool // other users may change the file
}

// A Setting is one line of a file of settings.
type Setting struct {
	Name, Value string
	Line        int // from 1
}

// Variable reports whether the line sets an environment variable: its name is in capitals.
func (s Setting) Variable() bool {
	return s.Name != "" && strings.Trim(s.Name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// Limits of a file of settings.
const (
	maxConfig = 256 << 10 // bytes
	maxLine   = 16 << 10
)

// Decode reads the file that the flag names; kong calls it.
func (f *ConfigFile) Decode(ctx *kong.DecodeContext) error {
	var name string
	if err := ctx.Scan.PopValueInto("file", &name); err != nil {
		return err
	}
	if name == "" {
		return nil
	}
	until, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	file, err := openfile.Open(until, name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxConfig+1))
	if err != nil {
		return err
	}
	settings, err := ParseSettings(raw)
	if err != nil {
		return fmt.Errorf("%s:%w", name, err)
	}
	mode := info.Mode().Perm()
	unix := runtime.GOOS != "windows"
	*f = ConfigFile{Path: name, settings: settings, open: unix && mode&0o004 != 0, loose: unix && mode&0o022 != 0}
	return nil
}

// ParseSettings reads lines of the form NAME = VALUE. The error begins with the number of the line.
func ParseSettings(raw []byte) ([]Setting, error) {
	if len(raw) > maxConfig {
		return nil, fmt.Errorf("1: the file is larger than %d KiB", maxConfig>>10)
	}
	var list []Setting
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(string(raw), "\ufeff")) {
		number++
		line = strings.TrimRight(line, "\r\n")
		switch {
		case len(line) > maxLine:
			return nil, fmt.Errorf("%d: the line is longer than %d bytes", number, maxLine)
		case !utf8.ValidString(line):
			return nil, fmt.Errorf("%d: the line is not in UTF-8", number)
		case strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }):
			return nil, fmt.Errorf("%d: the line holds a control character", number)
		}
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		s := Setting{strings.TrimSpace(name), strings.TrimSpace(value), number}
		switch {
		case !ok:
			return nil, fmt.Errorf("%d: want NAME = VALUE", number)
		case !s.Variable() && (s.Name == "" || strings.Trim(s.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != ""):
			return nil, fmt.Errorf("%d: %q is not the name of a flag, such as public-url", number, s.Name)
		case s.Value == "":
			return nil, fmt.Errorf("%d: %s has no value; remove the line for the default", number, s.Name)
		case strings.ContainsAny(s.Value[:1], `"'`):
			return nil, fmt.Errorf("%d: %s: write the value without quotes", number, s.Name)
		}
		if i := slices.IndexFunc(list, func(x Setting) bool { return x.Name == s.Name }); i >= 0 {
			return nil, fmt.Errorf("%d: %s is set in line %d already; separate several values by commas", number, s.Name, list[i].Line)
		}
		list = append(list, s)
	}
	return list, nil
}

// BeforeResolve gives the settings to kong, which calls it.
func (ConfigFile) BeforeResolve(ctx *kong.Context, trace *kong.Path) error {
	f, ok := ctx.FlagValue(trace.Flag).(ConfigFile)
	if !ok || f.Path == "" {
		return nil
	}
	flags := configurable(ctx.Model.Node)
	for _, s := range f.settings {
		if s.Variable() {
			if err := s.export(flags, trace.Flag.Tag.Get("variables")); err != nil {
				return fmt.Errorf("%s:%d: %w", f.Path, s.Line, err)
			}
			continue
		}
		flag, ok := flags[s.Name]
		if !ok {
			return fmt.Errorf("%s:%d: there is no setting %s", f.Path, s.Line, s.Name)
		}
		if err := try(flag, s.Value); err != nil {
			return fmt.Errorf("%s:%d: %w", f.Path, s.Line, err)
		}
	}
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if s, ok := f.setting(flag); ok && FromEnvironment(flag) == "" {
			return s.Value, nil
		}
		return nil, nil
	}))
	return nil
}

// export sets the environment variable, unless the environment has it already. patterns are those of
// the names that a file may set.
func (s Setting) export(flags map[string]*kong.Flag, patterns string) error {
	for name, flag := range flags {
		if slices.Contains(flag.Envs, s.Name) {
			return fmt.Errorf("write %s = %s: in a file a setting has the name of its flag", name, s.Value)
		}
	}
	fits := func(pattern string) bool {
		ok, err := path.Match(pattern, s.Name)
		return ok && err == nil
	}
	if !slices.ContainsFunc(strings.Split(patterns, ","), fits) {
		return fmt.Errorf("%s is not a variable that a file may set; those are %s", s.Name, strings.ReplaceAll(patterns, ",", ", "))
	}
	if _, ok := os.LookupEnv(s.Name); ok {
		return nil
	}
	return os.Setenv(s.Name, s.Value)
}

// configurable returns the flags below node that a file may set, by name. A flag of the same name without an
// environment variable has another meaning, and no file sets it.
func configurable(node *kong.Node) map[string]*kong.Flag {
	flags := map[string]*kong.Flag{}
	for _, n := range node.Flags {
		if len(n.Envs) > 0 && n.Target.Type() != reflect.TypeFor[ConfigFile]() {
			flags[n.Name] = n
		}
	}
	for _, child := range node.Children {
		for name, flag := range configurable(child) {
			flags[name] = flag
		}
	}
	return flags
}

// try returns why value is not one of the flag's, nil if it is.
func try(flag *kong.Flag, value string) error {
	was := flag.Set
	defer func() { flag.Set = was }()
	err := flag.Parse(kong.Scan().PushTyped(value, kong.FlagValueToken), reflect.New(flag.Target.Type()).Elem())
	if err == nil && flag.Enum != "" && !slices.Contains(flag.EnumSlice(), value) {
		err = fmt.Errorf("--%s must be one of %s, not %q", flag.Name, flag.Enum, value)
	}
	return err
}

// setting returns the line that sets a flag.
func (f ConfigFile) setting(flag *kong.Flag) (Setting, bool) {
	i := slices.IndexFunc(f.settings, func(s Setting) bool { return s.Name == flag.Name && len(flag.Envs) > 0 })
	if i < 0 {
		return Setting{}, false
	}
	return f.settings[i], true
}

// FromEnvironment returns the environment variable that sets a flag, if no flag on the command line does; empty: none.
func FromEnvironment(flag *kong.Flag) string {
	for _, name := range flag.Envs {
		if _, ok := os.LookupEnv(name); ok {
			return name
		}
	}
	return ""
}

// Settings returns the lines of the file.
func (f ConfigFile) Settings() []Setting { return f.settings }

// Line returns the line that sets a flag.
func (f ConfigFile) Line(name string) (line int, ok bool) {
	i := slices.IndexFunc(f.settings, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return 0, false
	}
	return f.settings[i].Line, true
}

// Has reports whether the file sets a flag to value.
func (f ConfigFile) Has(name, value string) bool {
	return slices.ContainsFunc(f.settings, func(s Setting) bool { return s.Name == name && s.Value == value })
}

// Locate adds to an error about flags of wrong use, which begins with "--NAME", where in the
// file they are set.
func (f ConfigFile) Locate(err error) error {
	var exit *ExitError
	if err == nil || f.Path == "" || !errors.As(err, &exit) || exit.Code != CodeUsage {
		return err
	}
	var at []string
	for _, s := range f.settings {
		if strings.Contains(err.Error()+" ", "--"+s.Name+" ") || strings.Contains(err.Error(), "--"+s.Name+":") {
			at = append(at, fmt.Sprintf("%s:%d sets %s.", f.Path, s.Line, s.Name))
		}
	}
	if len(at) == 0 {
		return err
	}
	return Exit(CodeUsage, WithHint(err, strings.Join(at, "\n")))
}

// Warnings says what is dangerous about the file: who may change it, and, if it holds a
// secret, who may read it.
func (f ConfigFile) Warnings(secret bool) (list []string) {
	if f.loose {
		list = append(list, "other users of this machine may change the file of settings: chmod go-w it")
	}
	if f.open && secret {
		list = append(list, "the file of settings holds a password, and every user of this machine may read it: chmod 600 it")
	}
	return list
}
