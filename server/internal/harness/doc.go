// Package harness runs gateways for the tests of packages apitest and opstest.
//
// A test package's TestMain calls [Main], and each test calls [Start], or
// [NewWorld] for a gateway with a tenant, templates and documents on it:
//
//	r := harness.Start(t)
//	key := r.Tenant("ACME01")
//	st := r.Stamp(key, "Diploma")                            // client.TCodeStamp
//	a := r.Want(r.Get(key, "/v1/tcode/stamps?Page=1"), 200)  // status, headers, bytes
//	page := harness.As[client.TCodeStampPage](r, a)          // or by r.Client(key)
//
// Requests of every kind, those of [Rig.Client] and of [net/http] included, pass
// a recorder. It compares each answer of a gateway with openapi.yaml, and the
// test program fails if one is not in the contract.
//
// Tests run on the engine that [storetest.EngineVariable] names, and without it on
// both, one after the other. The comment before a test says that its result does not
// depend on the engine, and why:
//
//	//engine:sqlite the request is refused before a row is read
//	func TestBodies(t *testing.T) {
//
// [Main] leaves such a test out of a run on PostgreSQL.
package harness
