package verify_test

import (
	"testing"

	"github.com/google/uuid"

	"tcode/server/store/storetest"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// TestClaimBudgetOfOneAddress: one address cannot use up the budget of others.
func TestClaimBudgetOfOneAddress(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	claim := func(client string) wire.ItemOutcome {
		t.Helper()
		it := wire.Item{ScanID: uuid.NewString(), Reference: "TCR-0000000000000000", ScannedAt: wire.TruncateMillis(b.Clock.Now())}
		batch := wire.Batch{ID: uuid.NewString(), ScannerID: "pda", SentAt: wire.TruncateMillis(b.Clock.Now()), Items: []wire.Item{it}}
		for range 499 {
			it.ScanID = uuid.NewString()
			batch.Items = append(batch.Items, it)
		}
		first := send(t, b, batch, verify.Proof{Client: client}).Results[0].Result
		if again := send(t, b, batch, verify.Proof{Client: client}).Results[0].Result; first == wire.Accepted && again != wire.Duplicate && again != wire.Retry {
			t.Errorf("sent again: %s", again)
		}
		return first
	}
	for range 10 {
		claim("192.0.2.1")
	}
	if got := claim("192.0.2.1"); got != wire.Retry {
		t.Errorf("over the budget of an address: %s", got)
	}
	if got := claim("192.0.2.2"); got != wire.Accepted {
		t.Errorf("of another address: %s", got)
	}
}
