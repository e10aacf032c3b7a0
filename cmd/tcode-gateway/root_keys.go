package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"tcode/cmd/internal/cli"
	"tcode/offline/host/openfile"
	"tcode/offline/trust"
	"tcode/server/ceremony"
	"tcode/server/platform/durable"
)

// passphraseEnv holds the passphrase of a key file.
const passphraseEnv = "TCODE_ROOT_PASSPHRASE"

// passphraseFlags name the sources of passphrases.
type passphraseFlags struct {
	Files []string `name:"passphrase-file" help:"File whose first line is the passphrase; /dev/fd/N reads an open file descriptor. Repeat it to give each key its own. Default: $$TCODE_ROOT_PASSPHRASE, otherwise the program asks for it on the terminal." placeholder:"FILE"`
}

// get returns the passphrase of the key number i. It asks twice for a new one.
func (p passphraseFlags) get(ctx context.Context, std cli.Streams, i int, key string, isNew bool) (string, error) {
	switch {
	case len(p.Files) == 1:
		return firstLine(ctx, p.Files[0])
	case len(p.Files) > 1:
		return firstLine(ctx, p.Files[i])
	case os.Getenv(passphraseEnv) != "":
		return os.Getenv(passphraseEnv), nil
	}
	f, ok := std.In.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return "", cli.Usage("there is no terminal to ask for a passphrase on: give --passphrase-file, or %s", passphraseEnv)
	}
	ask := func(what string) (string, error) {
		fmt.Fprintf(std.Err, "%s %s: ", what, key)
		raw, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(std.Err)
		return string(raw), err
	}
	first, err := ask("Passphrase of")
	if err != nil || !isNew {
		return first, err
	}
	again, err := ask("Again, of")
	if err == nil && again != first {
		err = errors.New("the passphrases differ")
	}
	return first, err
}

func firstLine(ctx context.Context, path string) (string, error) {
	f, err := openfile.Open(ctx, path)
	if err != nil {
		return "", cli.Exit(cli.CodeUnreadable, err)
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", cli.Exit(cli.CodeUnreadable, err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

type rootInitCmd struct {
	Threshold int    `help:"Number of keys that must sign a root." required:"" placeholder:"N"`
	Keys      int    `help:"Number of keys to make." required:"" placeholder:"N"`
	Out       string `help:"Folder for the files: one sealed root-N.key for each key, and root.pub, the public halves for root rotate." required:"" type:"path" placeholder:"DIR"`
	First     int    `help:"Number of the first key, so that no name is used twice in the life of a root. Default: ${default}." default:"1" placeholder:"N"`
	Name      string `help:"Keys are called NAME-1, NAME-2 and so on. Default: ${default}." default:"tcode/root" placeholder:"NAME"`
	Work      int    `name:"scrypt-work" help:"Cost of one trial of a passphrase: 2^N steps of scrypt, N from 10 to 22. Default: ${default}, about a second and 256 MiB." default:"18" env:"TCODE_SCRYPT_WORK" placeholder:"N"`

	Passphrase passphraseFlags `embed:""`
}

// initLine describes the root that root init made.
type initLine struct {
	Threshold int      `json:"threshold"`
	Keys      []string `json:"keys"`  // note verifier keys
	Files     []string `json:"files"` // sealed key files
	List      string   `json:"list"`  // file with the public halves
}

// Run makes keys.
func (r *rootInitCmd) Run(ctx context.Context, c *command, std cli.Streams) (err error) {
	switch {
	case r.Keys < 1 || r.Keys > trust.MaxRootKeys:
		return cli.Usage("--keys %d: want 1 to %d", r.Keys, trust.MaxRootKeys)
	case r.Threshold < 1 || r.Threshold > r.Keys:
		return cli.Usage("--threshold %d: want 1 to %d, the number of keys", r.Threshold, r.Keys)
	case r.First < 1:
		return cli.Usage("--first %d: want 1 or more", r.First)
	case len(r.Passphrase.Files) > 1 && len(r.Passphrase.Files) != r.Keys:
		return cli.Usage("%d times --passphrase-file for %d keys: give one, or one for each", len(r.Passphrase.Files), r.Keys)
	}
	if err := os.MkdirAll(r.Out, 0o700); err != nil {
		return err
	}
	line := initLine{Threshold: r.Threshold, List: filepath.Join(r.Out, "root.pub")}
	for i := range r.Keys {
		line.Files = append(line.Files, filepath.Join(r.Out, fmt.Sprintf("root-%d.key", r.First+i)))
	}
	if err := r.mayMake(line); err != nil {
		return err
	}
	var made []string
	defer func() {
		if err != nil { // a part of the keys, or keys without the list, are useless
			for _, path := range made {
				err = errors.Join(err, os.Remove(path))
			}
		}
	}()
	list := ceremony.KeyList{Threshold: r.Threshold}
	for i, path := range line.Files {
		name := fmt.Sprintf("%s-%d", r.Name, r.First+i)
		pass, err := r.Passphrase.get(ctx, std, i, name, true)
		if err != nil {
			return err
		}
		file, key, err := ceremony.Generate(name, pass, r.Work)
		if err != nil {
			return cli.Usage("%s: %w", name, err)
		}
		if err := writeSecret(path, file); err != nil {
			return err
		}
		made = append(made, path)
		list.Keys, line.Keys = append(list.Keys, key), append(line.Keys, key.String())
	}
	if err := writeOnce(line.List, []byte(list.String())); err != nil {
		return err
	}
	made = nil // the files are complete now, even if printing the answer fails
	return c.output(std).Emit(line, func(w io.Writer) {
		for i, key := range line.Keys {
			fmt.Fprintf(w, "%s  %s\n", line.Files[i], key)
		}
		fmt.Fprintf(w, "%s  public halves, for root rotate --keys\n", line.List)
		fmt.Fprintf(std.Err, "Keep each key file in another place, with another person: %d of %d together change what scanners trust.\n", r.Threshold, r.Keys)
	})
}

// mayMake refuses to overwrite existing files. It tells a set of keys from the
// rest of a killed root init, which makes the list last.
func (r *rootInitCmd) mayMake(line initLine) error {
	exists := func(path string) bool {
		_, err := os.Lstat(path)
		return !errors.Is(err, fs.ErrNotExist)
	}
	if exists(line.List) {
		return cli.Usage("%s exists already: a key that is overwritten is lost, so choose another folder", line.List)
	}
	var have []string
	for _, path := range line.Files {
		if exists(path) {
			have = append(have, path)
		}
	}
	if len(have) == 0 {
		return nil
	}
	return cli.Usage("%s exists already, and %s is not: a key that is overwritten is lost, so choose another folder. "+
		"If a root init was cut short there, no root names its keys: remove %s",
		have[0], line.List, strings.Join(have, " "))
}

// writeSecret makes a file that only its owner may read, and never replaces
// one. The file is empty until it is complete; after an error there is none.
func writeSecret(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // this reserves the name
	if err != nil {
		return err
	}
	if err = errors.Join(f.Close(), durable.WriteFile(path, data)); err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Join(err, os.Remove(path)))
	}
	return nil
}

type rootSignCmd struct {
	File string `arg:"" help:"The root, as root rotate made it. The signature is added to it." placeholder:"FILE"`
	Key  string `help:"Key file of root init." required:"" placeholder:"KEYFILE"`
	Out  string `short:"o" help:"Write the signed root to this new file, and do not change FILE." placeholder:"FILE"`

	Passphrase passphraseFlags `embed:""`
}

// Run signs.
func (r *rootSignCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	raw, err := readSmall(ctx, r.File)
	if err != nil {
		return err
	}
	line, err := draftLine(raw)
	if err != nil {
		return cli.Exit(cli.CodeUnreadable, fmt.Errorf("%s: %w", r.File, err))
	}
	sealed, err := readSmall(ctx, r.Key)
	if err != nil {
		return err
	}
	if _, ours := std.In.(*os.File); ours && !c.JSON {
		line.print(std.Err) // the text to sign, before asking for the passphrase
	}
	pass, err := r.Passphrase.get(ctx, std, 0, r.Key, false)
	if err != nil {
		return err
	}
	signer, err := ceremony.Open(sealed, pass)
	if err != nil {
		return fmt.Errorf("%s: %w", r.Key, err)
	}
	signed, err := trust.SignNote(raw, signer)
	if err != nil {
		return err
	}
	if r.Out != "" {
		err = writeOnce(r.Out, signed)
	} else {
		err = cli.WriteFile(r.File, true, func(w io.Writer) error {
			_, err := w.Write(signed)
			return err
		})
	}
	if err != nil {
		return err
	}
	if line, err = draftLine(signed); err != nil {
		return err
	}
	return c.output(std).Emit(line, func(w io.Writer) {
		fmt.Fprintf(w, "root %d is signed by %s; %d of its own keys must still sign\n", line.Version, signer.Key().Name, *line.Missing)
	})
}
