package main

import (
	"errors"
	"io/fs"
	netmail "net/mail"
	"strings"

	"tcode/cmd/internal/cli"
	"tcode/server/platform/certs"
)

// tlsFlags are the flags of serve about HTTPS.
type tlsFlags struct {
	Cert      string   `name:"tls-cert" help:"PEM file with the certificate of --addr and its chain, leaf first, for HTTPS without a proxy. It is read again within 10 s of a change, and after SIGHUP." type:"path" env:"TCODE_TLS_CERT" placeholder:"FILE"`
	Key       string   `name:"tls-key" help:"PEM file with the private key of --tls-cert." type:"path" env:"TCODE_TLS_KEY" placeholder:"FILE"`
	ACME      []string `name:"acme" help:"Name of this gateway for which certificates are ordered, and renewed, at Let's Encrypt or --acme-directory. It must reach port 443 of --addr, or port 80 of --http-redirect. You accept the terms of the authority. May be repeated." env:"TCODE_ACME" placeholder:"HOST"`
	Directory string   `name:"acme-directory" help:"Address of another ACME authority. Default: Let's Encrypt." env:"TCODE_ACME_DIRECTORY" placeholder:"URL"`
	CA        string   `name:"acme-ca" help:"PEM file of the authorities that sign the certificate of --acme-directory itself. Default: those of the system." type:"path" env:"TCODE_ACME_CA" placeholder:"FILE"`
	Email     string   `name:"acme-email" help:"Address to which the authority may write." env:"TCODE_ACME_EMAIL" placeholder:"ADDRESS"`
	Cache     string   `name:"acme-cache" help:"Folder for the account and the certificates, with private keys; all gateways of one name share it. Default: acme in the folder of --data." type:"path" env:"TCODE_ACME_CACHE" placeholder:"DIR"`
	Redirect  string   `name:"http-redirect" help:"HOST:PORT to lead browsers from plain HTTP to HTTPS, such as :80. Default: not served." env:"TCODE_HTTP_REDIRECT" placeholder:"HOST:PORT"`
}

// config checks the flags.
func (f *tlsFlags) config() (certs.Config, error) {
	c := certs.Config{Cert: f.Cert, Key: f.Key, Hosts: f.ACME, Directory: f.Directory, CA: f.CA, Email: f.Email, Cache: f.Cache}
	switch {
	case (f.Cert == "") != (f.Key == ""):
		return c, cli.Usage("--tls-cert and --tls-key need each other")
	case f.Cert != "" && len(f.ACME) > 0:
		return c, cli.Usage("--tls-cert or --acme: %v", certs.ErrBoth)
	case len(f.ACME) == 0 && f.Directory+f.CA+f.Email+f.Cache != "":
		return c, cli.Usage("--acme-directory, --acme-ca, --acme-email and --acme-cache need --acme HOST")
	case f.Redirect != "" && !c.Enabled():
		return c, cli.Usage("--http-redirect needs --tls-cert or --acme: there is no HTTPS to lead to")
	case f.Directory != "" && !strings.HasPrefix(f.Directory, "https://"):
		return c, cli.Usage("--acme-directory %s: want an address that begins with https://", f.Directory)
	}
	for _, host := range f.ACME {
		if err := certs.CheckHost(host); err != nil {
			return c, cli.Usage("--acme %v", err)
		}
	}
	if f.Email != "" {
		if a, err := netmail.ParseAddress(f.Email); err != nil || a.Address != f.Email {
			return c, cli.Usage("--acme-email %s: want an address such as office@example.org", f.Email)
		}
	}
	if err := certs.CheckCA(f.CA); f.CA != "" && err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return c, cli.Exit(cli.CodeUnreadable, err)
		}
		return c, cli.Usage("--acme-ca %v", err)
	}
	return c, nil
}
