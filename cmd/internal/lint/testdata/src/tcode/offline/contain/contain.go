// Package contain has the functions that the analyzer knows.
package contain

import "context"

type Group struct{}

func (*Group) Go(string, func() error)                   {}
func Do(string, func() error) error                      { return nil }
func Abandon(string, error, <-chan error) error          { return nil }
func AfterFunc(context.Context, string, func()) struct{} { return struct{}{} }
