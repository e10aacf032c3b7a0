package fault_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/server/fault"
)

func TestAs(t *testing.T) {
	t.Parallel()
	dup := fault.New(fault.Conflict, fault.CodeDuplicate, "externalId %q is taken", "a")
	tests := []struct {
		name string
		err  error
		kind fault.Kind
		code string
	}{
		{"plain error", io.EOF, fault.Internal, fault.CodeInternal},
		{"fault", dup, fault.Conflict, fault.CodeDuplicate},
		{"wrapped fault", fmt.Errorf("create stamp: %w", dup), fault.Conflict, fault.CodeDuplicate},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := fault.As(tt.err)
			if f.Kind != tt.kind || f.Code != tt.code {
				t.Errorf("As = %v %s, want %v %s", f.Kind, f.Code, tt.kind, tt.code)
			}
			if !fault.Is(tt.err, tt.kind) {
				t.Errorf("Is(%v) = false", tt.kind)
			}
		})
	}
	if fault.As(nil) != nil {
		t.Error("As(nil) is not nil")
	}
	if msg := fault.As(io.EOF).Message; msg == io.EOF.Error() {
		t.Error("an internal message shows the cause")
	}
}

func TestWithLeavesTheOriginal(t *testing.T) {
	t.Parallel()
	base := fault.New(fault.Invalid, fault.CodeValidationFailed, "bad").WithField("name", "missing")
	more := base.WithField("name", "too long").WithReason("r").WithReference("TCR-1").WithErr(io.EOF)
	if diff := cmp.Diff(map[string][]string{"name": {"missing"}}, base.Texts()); diff != "" {
		t.Errorf("the original changed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string][]string{"name": {"missing", "too long"}}, more.Texts()); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if base.Reason != "" || base.Reference != "" || base.Err != nil {
		t.Errorf("the original changed: %+v", base)
	}
	if !errors.Is(more, io.EOF) {
		t.Error("the cause is lost")
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	var p fault.Fields
	if err := p.Err(); err != nil {
		t.Fatalf("empty: %v", err)
	}
	p.Add("name", "required")
	p.Add("pdf", "at most %d bytes", 3)
	want := map[string][]string{"name": {"required"}, "pdf": {"at most 3 bytes"}}
	if diff := cmp.Diff(want, fault.As(p.Err()).Texts()); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestKindString(t *testing.T) {
	t.Parallel()
	if got := fault.Unavailable.String(); got != "unavailable" {
		t.Errorf("String = %q", got)
	}
	var zero fault.Kind
	if zero != fault.Internal {
		t.Error("the zero kind is not Internal")
	}
}
