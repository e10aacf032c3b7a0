package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/term"

	"tcode/cmd/internal/cli"
	"tcode/server/client"
)

// A profile is a gateway and the key of a tenant there.
type profile struct {
	Gateway string `json:"gateway"`
	Key     string `json:"key"`
}

// profiles is the content of their file, which only its owner may read.
type profiles struct {
	Current  string             `json:"current"`
	Profiles map[string]profile `json:"profiles"`
}

func (a *app) profilesFile() (string, error) {
	if a.grammar.Config != "" {
		return a.grammar.Config, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("file of the profiles: %w; name one in TCODE_CONFIG", err)
	}
	return filepath.Join(dir, "tcode", "profiles.json"), nil
}

func (a *app) profiles() (profiles, error) {
	ps := profiles{Profiles: map[string]profile{}}
	path, err := a.profilesFile()
	if err != nil {
		return ps, err
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ps, nil
	}
	if err != nil {
		return ps, err
	}
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		fmt.Fprintf(a.std.Err, "tcode: others may read the API keys in %s: run chmod 600 on it\n", path)
	}
	if err := json.Unmarshal(raw, &ps); err != nil {
		return ps, fmt.Errorf("profiles in %s: %w", path, err)
	}
	if ps.Profiles == nil {
		ps.Profiles = map[string]profile{}
	}
	return ps, nil
}

// save writes a new file and replaces the old one.
func (a *app) save(ps profiles) error {
	path, err := a.profilesFile()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(ps, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".profiles-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // after the rename there is nothing to remove
	if _, err := f.Write(append(raw, '\n')); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// profile returns the chosen profile, or an empty one if there is none.
func (a *app) profile() (profile, error) {
	name := a.grammar.Profile
	if name == "" {
		ps, err := a.profiles()
		return ps.Profiles[ps.Current], err
	}
	ps, err := a.profilesWith(name)
	return ps.Profiles[name], err
}

// profilesWith returns the profiles, of which name must be one.
func (a *app) profilesWith(name string) (profiles, error) {
	ps, err := a.profiles()
	if _, ok := ps.Profiles[name]; err == nil && !ok {
		err = cli.Usage("there is no profile %q; \"tcode profile list\" shows the profiles", name)
	}
	return ps, err
}

type profileSetCmd struct {
	Name string `arg:"" help:"Name of the profile, such as acme."`
}

// Run keeps a profile.
func (c *profileSetCmd) Run(a *app) error {
	if a.grammar.Gateway == "" {
		return cli.Usage("--gateway URL is missing")
	}
	if _, err := client.New(a.grammar.Gateway); err != nil {
		return cli.Usage("%v", err)
	}
	key, err := a.askKey()
	if err != nil {
		return err
	}
	ps, err := a.profiles()
	if err != nil {
		return err
	}
	ps.Profiles[c.Name], ps.Current = profile{a.grammar.Gateway, key}, c.Name
	if err := a.save(ps); err != nil {
		return err
	}
	return a.changed(ps, c.Name, "is kept, and used from now on.")
}

// askKey asks for a key on a terminal, without showing it, or reads a line from
// other input.
func (a *app) askKey() (string, error) {
	var line string
	if f, ok := a.std.In.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprint(a.std.Err, "API key: ")
		b, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(a.std.Err)
		if err != nil {
			return "", err
		}
		line = string(b)
	} else {
		var err error
		if line, err = bufio.NewReader(io.LimitReader(a.std.In, 4096)).ReadString('\n'); err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
	}
	key := strings.TrimSpace(line)
	if !strings.HasPrefix(key, "tck_") {
		return "", cli.Usage("an API key begins with tck_live_ or tck_test_; \"tcode-gateway key create\" makes one")
	}
	return key, nil
}

type profileListCmd struct{}

// Run shows the profiles.
func (profileListCmd) Run(a *app) error {
	ps, err := a.profiles()
	if err != nil {
		return err
	}
	var items []profileItem
	for _, name := range slices.Sorted(maps.Keys(ps.Profiles)) {
		items = append(items, ps.item(name))
	}
	return cli.List(a.out, items, "No profiles. Make one: tcode profile set NAME --gateway URL", []string{"name", "gateway", "key", ""}, func(i profileItem) []string {
		mark := ""
		if i.Current {
			mark = "in use"
		}
		return []string{i.Name, i.Gateway, i.Key, mark}
	})
}

// A profileItem is a profile as it is shown: without its secret.
type profileItem struct {
	Name    string `json:"name"`
	Gateway string `json:"gateway"`
	Key     string `json:"keyPrefix"`
	Current bool   `json:"current"`
}

func (ps profiles) item(name string) profileItem {
	p := ps.Profiles[name]
	return profileItem{name, p.Gateway, visible(p.Key), name == ps.Current}
}

// changed reports a change of a profile, for people on the error stream,
// because it is not an answer.
func (a *app) changed(ps profiles, name, what string) error {
	return a.out.Emit(ps.item(name), func(io.Writer) { fmt.Fprintf(a.std.Err, "Profile %s %s\n", name, what) })
}

// visible returns the part of a key that may be shown: all but its secret.
func visible(key string) string {
	if i := strings.LastIndexByte(key, '_'); i > 0 {
		return key[:i]
	}
	return ""
}

type profileUseCmd struct {
	Name string `arg:"" help:"Name of the profile."`
}

// Run chooses a profile.
func (c *profileUseCmd) Run(a *app) error {
	ps, err := a.profilesWith(c.Name)
	if err != nil {
		return err
	}
	ps.Current = c.Name
	if err := a.save(ps); err != nil {
		return err
	}
	return a.changed(ps, c.Name, "is used from now on.")
}

type profileRemoveCmd struct {
	Name string `arg:"" help:"Name of the profile."`
}

// Run forgets a profile.
func (c *profileRemoveCmd) Run(a *app) error {
	ps, err := a.profilesWith(c.Name)
	if err != nil {
		return err
	}
	was := profiles{Profiles: map[string]profile{c.Name: ps.Profiles[c.Name]}}
	delete(ps.Profiles, c.Name)
	if ps.Current == c.Name {
		ps.Current = ""
	}
	if err := a.save(ps); err != nil {
		return err
	}
	return a.changed(was, c.Name, `is forgotten. Its key works still: "tcode-gateway key revoke" ends it.`)
}
