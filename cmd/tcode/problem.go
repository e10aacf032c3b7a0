package main

import (
	"errors"
	"maps"
	"net/url"
	"slices"

	"tcode/cmd/internal/cli"
	"tcode/server/client"
)

// A problem is an error as --json prints it, on a line of its own.
type problem struct {
	Code      string              `json:"code"` // the gateway's, or one of ours: USAGE, UNREADABLE, NO_ANSWER, FAILED
	Status    int                 `json:"status,omitempty"`
	Message   string              `json:"message"`
	Errors    map[string][]string `json:"errors,omitempty"` // of fields, by their paths
	Reason    string              `json:"reason,omitempty"`
	Reference string              `json:"reference,omitempty"`
	TraceID   string              `json:"traceId,omitempty"`
	Hint      string              `json:"hint,omitempty"`
}

// problemLine is the line of an error: it has no member of an answer.
type problemLine struct {
	File  string  `json:"file,omitempty"` // that the error is about, of many
	Error problem `json:"error"`
}

// problemOf returns an error for programs.
func problemOf(err error) problem {
	p := problem{Code: "FAILED", Message: err.Error()}
	var hint interface{ Hint() string }
	if errors.As(err, &hint) {
		p.Hint = hint.Hint()
	}
	refused, ok := errors.AsType[*client.Error](err)
	_, asked := errors.AsType[*url.Error](err)
	switch {
	case ok:
		p.Status, p.Reason, p.Reference, p.TraceID, p.Errors = refused.Status, refused.Reason, refused.Reference, refused.TraceID, refused.Fields
		if p.Code = "NO_GATEWAY"; refused.Code != "" {
			p.Code, p.Message = refused.Code, refused.Message
		}
	case asked:
		p.Code = "NO_ANSWER"
	case errors.Is(err, client.ErrNotGateway):
		p.Code = "NO_GATEWAY"
	case cli.Code(err) == cli.CodeUsage:
		p.Code = "USAGE"
	case cli.Code(err) == cli.CodeUnreadable:
		p.Code = "UNREADABLE"
	}
	return p
}

// told prints an error as a line of JSON, if --json is given and the command has not
// printed everything itself, and returns it.
func (a *app) told(err error) error {
	var exit *cli.ExitError
	if err == nil || !a.out.JSON || errors.As(err, &exit) && exit.Err == nil || cli.Code(err) == cli.CodeInterrupted {
		return err
	}
	if broken := a.out.Emit(problemLine{Error: problemOf(err)}, nil); broken != nil {
		return errors.Join(err, broken)
	}
	return err
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
