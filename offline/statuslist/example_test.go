package statuslist_test

import (
	"fmt"

	"tcode/offline/statuslist"
)

// A gateway marks a stamp as revoked. The shard is sent deflated, and the
// signed documents name its hash.
func ExampleShard() {
	shard := new(statuslist.Shard)
	shard.Set(14159, statuslist.Revoked)
	sent := shard.Deflate()

	got, err := statuslist.Inflate(sent)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(got.Hash() == shard.Hash(), got.Get(14159), got.Get(14160), len(sent) < 100)
	// Output:
	// true revoked none true
}

// A key is compromised: only the stamps of the list survive it.
func ExampleNewSurvivors() {
	known, unknown := statuslist.MarkOf([]byte("the core of a stamp")), statuslist.MarkOf([]byte("another core"))
	list := statuslist.NewSurvivors([]statuslist.Mark{known})
	fmt.Println(list.Contains(known), list.Contains(unknown))
	// Output:
	// true false
}
