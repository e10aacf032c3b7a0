// Package apitest holds the tests of the contract: the answers of a gateway to
// good, bad and hostile requests, on SQLite and on PostgreSQL.
//
// [TestEveryDeclaredStatus] makes each operation of openapi.yaml give each answer
// that the contract declares for it; a new route needs its good request in
// catalog_test.go first. Package harness compares every answer with the contract.
package apitest

//race:off whole gateways

import (
	"testing"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

func TestMain(m *testing.M) { harness.Main(m) }

func must(t *testing.T, err error) {
	t.Helper()
	harness.Must(t, err)
}

// A world has the records that good requests name.
type world struct {
	*harness.World
	jobs map[string]string // ids of bulk jobs that are done, by the address of such jobs
}

func newWorld(t *testing.T, change ...func(*server.Config)) *world {
	t.Helper()
	return newWorldOn(t, storetest.DefaultEngine(), change...)
}

func newWorldOn(t *testing.T, e storetest.Engine, change ...func(*server.Config)) *world {
	t.Helper()
	return &world{World: harness.NewWorldOn(t, e, change...)}
}

// bare returns a world without templates and documents.
func bare(r *harness.Rig) *world { return &world{World: &harness.World{Rig: r}} }
