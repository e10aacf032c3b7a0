package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/labstack/echo/v4"
)

// A Source is the offer of a gateway's source code to everyone who uses it over
// a network, as section 13 of its licence demands.
type Source struct {
	// Location is an http or https address that has the source, or a file with it,
	// which the gateway serves. Empty: only the operator knows it.
	Location string
	// Program names the program and its version, such as "tcode-gateway v1.2.0, commit 0ba18ea1".
	Program string
}

// Remote reports whether the source is at an address.
func (s Source) Remote() bool {
	return strings.HasPrefix(s.Location, "https://") || strings.HasPrefix(s.Location, "http://")
}

// source leads to the source code, or sends it. Without a place it says which
// version the gateway is, and whom to ask.
func (a *app) source(c echo.Context) error {
	s := a.c.Source
	c.Response().Header().Set("Cache-Control", "no-store")
	switch {
	case s.Remote():
		return c.Redirect(http.StatusFound, s.Location)
	case s.Location != "":
		return sendFile(c, s.Location)
	}
	return c.String(http.StatusOK, fmt.Sprintf("%s is free software under the GNU Affero General Public License, version 3 or later:\nhttps://www.gnu.org/licenses/agpl-3.0.html\n\n"+
		"You may have its source code. The operator of this gateway has not said where it is: ask the operator.\n", s.Program))
}

// sendFile sends a file to be saved.
func sendFile(c echo.Context, path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("source code of the gateway: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Content-Type", "application/gzip")
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", filepath.Base(path)))
	http.ServeContent(c.Response(), c.Request(), "", info.ModTime(), f)
	return nil
}
