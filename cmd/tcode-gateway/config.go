package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tcode/cmd/internal/cli"
	"tcode/server/platform/keyring"
)

// configCmd shows the settings that serve would have. It takes the same flags.
type configCmd struct {
	serveCmd `embed:""`
}

// A settingLine is the value of one flag, and where it is from.
type settingLine struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"` // default, flag, environment or file
	At     string `json:"at,omitempty"`
}

// hidden stands for a secret.
const hidden = "(hidden)"

// secretVariables are environment variables that have no flag.
var secretVariables = []string{keyring.EnvName, keyring.PINEnvName, secretVariable}

// Run prints the settings, and fails as serve would if they are wrong.
func (s *configCmd) Run(ctx context.Context, c *command, std cli.Streams, kctx *kong.Context) error {
	lines := c.settingLines(kctx)
	for _, name := range secretVariables {
		if _, inFile := c.Config.Line(name); os.Getenv(name) != "" && !inFile {
			lines = append(lines, settingLine{"", hidden, "environment", name})
		}
	}
	for _, v := range c.Config.Settings() {
		if v.Variable() {
			l := settingLine{v.Name, hidden, "file", fmt.Sprintf("%s:%d", c.Config.Path, v.Line)}
			if os.Getenv(v.Name) != v.Value {
				l.Source, l.At = "environment", v.Name
			}
			lines = append(lines, l)
		}
	}
	err := cli.List(c.output(std), lines, "", []string{"name", "value", "from"}, func(l settingLine) []string {
		return []string{l.Name, l.Value, strings.TrimSpace(l.Source + " " + l.At)}
	})
	if err != nil {
		return err
	}
	for _, warning := range c.Config.Warnings(c.holdsSecret()) {
		fmt.Fprintf(std.Err, "%s: %s\n", c.Config.Path, warning)
	}
	_, err = s.settings(ctx, c, std)
	return err
}

// settingLines returns the flags of the command and of all commands, in the order of the help text.
func (c *command) settingLines(kctx *kong.Context) (lines []settingLine) {
	given := map[*kong.Flag]bool{}
	for _, p := range kctx.Path {
		if p.Flag != nil && !p.Resolved {
			given[p.Flag] = true
		}
	}
	for _, flag := range slices.Concat(kctx.Model.Flags, kctx.Selected().Flags) {
		if len(flag.Envs) == 0 {
			continue
		}
		l := settingLine{Name: flag.Name, Value: shown(flag), Source: "default"}
		switch line, set := c.Config.Line(flag.Name); {
		case given[flag]:
			l.Source = "flag"
		case cli.FromEnvironment(flag) != "":
			l.Source, l.At = "environment", cli.FromEnvironment(flag)
		case set:
			l.Source, l.At = "file", fmt.Sprintf("%s:%d", c.Config.Path, line)
		}
		lines = append(lines, l)
	}
	return lines
}

// shown returns the value of a flag without secrets.
func shown(flag *kong.Flag) string {
	v := flag.Target.Interface()
	switch v := v.(type) {
	case cli.ConfigFile:
		return v.Path
	case []string:
		return strings.Join(v, ",")
	}
	if flag.Target.Kind() == reflect.String && flag.Tag.Has("secret") {
		return withoutSecret(flag.Target.String())
	}
	return fmt.Sprint(v)
}

// withoutSecret returns an address without its password, or nothing of what is no address.
func withoutSecret(address string) string {
	if address == "" {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Opaque != "" {
		return hidden
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), hidden)
	}
	if u.RawQuery != "" {
		u.RawQuery = hidden
	}
	text, err := url.PathUnescape(u.String())
	if err != nil {
		return hidden
	}
	return text
}

// holdsSecret reports whether the file of settings holds a password. Variables are for secrets.
func (c *command) holdsSecret() bool {
	for _, s := range c.Config.Settings() {
		if s.Variable() || slices.Contains(secretSettings, s.Name) && strings.Contains(withoutSecret(s.Value), hidden) {
			return true
		}
	}
	return false
}

// secretSettings are the settings whose values may hold a password; their flags have the tag secret.
var secretSettings = []string{"database-url", "smtp-url"}

// unknownVariables returns the names in the environment that are like settings, and are none.
func unknownVariables(model *kong.Node) (list []string) {
	known := slices.Concat(secretVariables, []string{passphraseEnv, workVariable})
	_ = kong.Visit(model, func(node kong.Visitable, next kong.Next) error { // no visit fails
		if flag, ok := node.(*kong.Flag); ok {
			known = append(known, flag.Envs...)
		}
		return next(nil)
	})
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "TCODE_") && !slices.Contains(known, name) {
			list = append(list, name)
		}
	}
	return list
}

// tellConfig logs what is dangerous about the settings.
func (c *command) tellConfig(ctx context.Context, log *slog.Logger, model *kong.Node) {
	if unknown := unknownVariables(model); len(unknown) > 0 {
		log.WarnContext(ctx, "the environment has variables that are no settings of this program: see \"tcode-gateway serve --help\"",
			slog.Any("variables", unknown))
	}
	for _, warning := range c.Config.Warnings(c.holdsSecret()) {
		log.WarnContext(ctx, "the file of settings is not safe", slog.String("file", c.Config.Path), slog.String("why", warning))
	}
}
