package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tcode/offline/contain"
)

// The longest times of the steps of an end. What takes longer is left behind: the process ends
// soon, which ends its child processes, too.
const (
	lastPublication = 10 * time.Second
	servicesEnd     = 15 * time.Second // a row of a bulk job is finished first
	childrenEnd     = 15 * time.Second
	filesEnd        = 5 * time.Second
)

// EndTime is longer than a gateway of c takes to end after its context, whatever hangs.
func (c Config) EndTime() time.Duration {
	c = c.withDefaults()
	const graces = 3 * contain.Grace // of the last publication, the children and the files
	return c.Linger + c.Drain + lastPublication + servicesEnd + childrenEnd + filesEnd + graces + 5*time.Second
}

// awaitServices waits for wait, which returns when all services have ended, and for no more than
// servicesEnd after the end of work.
func awaitServices(work context.Context, wait func() error) error {
	done := contain.Start("gateway-services", wait)
	select {
	case err := <-done:
		return err
	case <-work.Done():
	}
	late := time.NewTimer(servicesEnd)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return fmt.Errorf("services of the gateway: %w", contain.ErrHung)
	}
}

// Close ends the child processes and closes files and database. What hangs is left behind, and
// makes the error wrap [contain.ErrHung].
func (g *Gateway) Close() error {
	var children, files contain.Group
	for _, end := range g.childClosers() {
		children.Go("closing", func() error {
			return contain.Within(context.Background(), "close-children", childrenEnd,
				func(context.Context) error { end(); return nil })
		})
	}
	err := children.Wait()
	for _, end := range g.fileClosers() {
		files.Go("closing", func() error {
			return contain.Within(context.Background(), "close-files", filesEnd,
				func(context.Context) error { return end() })
		})
	}
	return errors.Join(err, files.Wait())
}

// childClosers returns what ends child processes and connections of webhooks.
func (g *Gateway) childClosers() (list []func()) {
	if g.pool != nil {
		list = append(list, g.pool.Close)
	}
	if g.pictures != nil {
		list = append(list, g.pictures.Close)
	}
	if g.reader != nil {
		list = append(list, g.reader.Close)
	}
	if g.poster != nil {
		list = append(list, g.poster.Close)
	}
	return list
}

// fileClosers returns what closes files, database and token.
func (g *Gateway) fileClosers() (list []func() error) {
	if g.files != nil {
		list = append(list, g.files.Close)
	}
	if g.db != nil {
		list = append(list, g.db.Close)
	}
	if g.token != nil {
		list = append(list, g.token.Close)
	}
	return list
}
