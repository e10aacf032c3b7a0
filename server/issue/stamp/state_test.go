package stamp_test

import (
	"testing"

	"tcode/offline/statuslist"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
)

func TestNext(t *testing.T) {
	t.Parallel()
	const refused = stamp.Status("")
	want := map[stamp.Status]map[stamp.Action]stamp.Status{
		stamp.Active: {
			stamp.ActionSuspend: stamp.Suspended, stamp.ActionRevoke: stamp.Revoked, stamp.ActionReactivate: stamp.Active,
			stamp.ActionCreate: refused, stamp.ActionReplace: stamp.Revoked, "": refused,
		},
		stamp.Suspended: {
			stamp.ActionSuspend: stamp.Suspended, stamp.ActionRevoke: stamp.Revoked, stamp.ActionReactivate: stamp.Active,
			stamp.ActionCreate: refused, stamp.ActionReplace: stamp.Revoked, "": refused,
		},
		stamp.Revoked: {
			stamp.ActionSuspend: refused, stamp.ActionRevoke: stamp.Revoked, stamp.ActionReactivate: refused,
			stamp.ActionCreate: refused, stamp.ActionReplace: refused, "": refused,
		},
	}
	if len(want) != len(stamp.AllStatuses) {
		t.Fatalf("the table has %d states, the package %d", len(want), len(stamp.AllStatuses))
	}
	for _, from := range stamp.AllStatuses {
		for action, to := range want[from] {
			t.Run(string(from)+"/"+string(action), func(t *testing.T) {
				got, err := from.Next(action)
				if got != to {
					t.Errorf("Next = %q, want %q", got, to)
				}
				if (to == refused) != (err != nil) {
					t.Errorf("err = %v", err)
				}
				if err != nil && (fault.As(err).Kind != fault.Conflict || fault.As(err).Code != fault.CodeInvalidTransition) {
					t.Errorf("err = %v, want INVALID_TRANSITION", err)
				}
			})
		}
	}
}

func TestEntry(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status   stamp.Status
		replaced bool
		want     statuslist.Value
	}{
		{stamp.Active, false, statuslist.None},
		{stamp.Suspended, false, statuslist.Suspended},
		{stamp.Revoked, false, statuslist.Revoked},
		{stamp.Revoked, true, statuslist.Replaced},
	}
	for _, tt := range tests {
		if got := tt.status.Entry(tt.replaced); got != tt.want {
			t.Errorf("%s replaced %v: entry %v, want %v", tt.status, tt.replaced, got, tt.want)
		}
	}
}

func TestParseStatus(t *testing.T) {
	t.Parallel()
	for _, s := range stamp.AllStatuses {
		for _, text := range []string{string(s), string(s[0]|0x20) + string(s[1:])} {
			if got, ok := stamp.ParseStatus(text); !ok || got != s {
				t.Errorf("ParseStatus(%q) = %q, %v", text, got, ok)
			}
		}
	}
	if _, ok := stamp.ParseStatus("Expired"); ok {
		t.Error("a stamp cannot be Expired")
	}
}
