package main

import (
	"slices"
	"testing"

	"github.com/alecthomas/kong"
)

// TestConfigFlags: flags of one name that have environment variables have the same one, because a file of settings
// names the flag, and the flags with secrets are those that are hidden.
func TestConfigFlags(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&command{})
	if err != nil {
		t.Fatal(err)
	}
	envs, secret := map[string]string{}, map[string]bool{}
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		for _, f := range n.Flags {
			if f.Tag.Has("secret") {
				secret[f.Name] = true
			}
			if len(f.Envs) == 0 {
				continue
			}
			if was := envs[f.Name]; was != "" && was != f.Envs[0] {
				t.Errorf("--%s of %s has $%s, elsewhere $%s", f.Name, n.FullPath(), f.Envs[0], was)
			}
			envs[f.Name] = f.Envs[0]
		}
		for _, child := range n.Children {
			walk(child)
		}
	}
	walk(parser.Model.Node)
	if len(envs) < 30 {
		t.Errorf("%d flags have an environment variable: the walk is wrong", len(envs))
	}
	for name := range secret {
		if !slices.Contains(secretSettings, name) {
			t.Errorf("--%s has the tag secret and is not in secretSettings", name)
		}
	}
	if len(secret) != len(secretSettings) {
		t.Errorf("%d flags have the tag secret, want %v", len(secret), secretSettings)
	}
}
