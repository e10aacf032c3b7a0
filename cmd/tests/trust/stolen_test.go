package trust_test

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/server"
	"tcode/server/platform/keyring"
	"tcode/server/store"
)

// publishedBy returns the set that a gateway's database serves to devices.
func publishedBy(t *testing.T, data string, ahead time.Duration, publishNow bool) forged {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	g, err := server.Open(t.Context(), server.Config{Init: true, Data: data, Now: func() time.Time { return time.Now().Add(ahead) }})
	must(err)
	defer g.Close()
	if publishNow {
		_, err = g.Publisher.Publish(t.Context())
		must(err)
	}
	f := forged{shards: map[uint16][]byte{}, packs: map[int][]byte{}, wholes: map[int][]byte{}, names: map[string]string{}}
	for version := uint64(1); ; version++ {
		raw, err := g.Publisher.Root(t.Context(), version)
		if err != nil {
			break
		}
		f.roots = append(f.roots, raw)
	}
	fp := g.Publisher.Fingerprint()
	now, err := g.Publisher.Authority(t.Context())
	must(err)
	f.timestamp, err = g.Publisher.Timestamp(t.Context())
	must(err)
	ts, err := trust.ParseTimestamp(fp, now.Root.Online, f.timestamp)
	must(err)
	object := func(hash digest.SHA256, what string) []byte {
		t.Helper()
		name := hash.String()
		f.names[name] = what
		raw, _, err := g.Publisher.Object(t.Context(), name)
		must(err)
		return raw
	}
	f.bundle, f.status = object(ts.Bundle.SHA256, "bundle"), object(ts.Status.SHA256, "status")
	st, err := trust.ParseStatus(fp, now.Root.Online, f.status)
	must(err)
	f.delta = object(st.Delta.SHA256, "delta")
	for i, hash := range st.Packs {
		f.packs[i] = object(hash, "pack"+strconv.Itoa(i))
		f.wholes[i], err = g.Publisher.Pack(t.Context(), hash.String())
		must(err)
		pack, err := trust.ParsePack(f.packs[i])
		must(err)
		for j, hash := range pack {
			number := i*trust.PackShards + j
			f.shards[uint16(number)] = object(hash, strconv.Itoa(number))
		}
	}
	return f
}

// stealOnlineKey returns the key that a thief of the gateway's data and keyset has.
func stealOnlineKey(t *testing.T, data string) *trust.Signer {
	t.Helper()
	ring, err := keyring.Open(data, "")
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), store.Config{Path: filepath.Join(data, store.FileName)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sealed, err := db.Secret(t.Context(), "tcode/online")
	if err != nil {
		t.Fatal(err)
	}
	seed, err := ring.Open(sealed, "", "tcode/online")
	if err != nil {
		t.Fatal(err)
	}
	s, err := trust.NewSigner("tcode/online", ed25519.NewKeyFromSeed(seed))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stolen returns the gateway's set with a tenant of the thief's, signed by the
// stolen key.
func stolen(t *testing.T, genuine forged, key *trust.Signer, version uint64, issued time.Time) forged {
	t.Helper()
	fp, root, err := trust.ReadRoot(genuine.roots[0])
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := trust.ParseBundle(fp, root.Online, genuine.bundle)
	if err != nil {
		t.Fatal(err)
	}
	status, err := trust.ParseStatus(fp, root.Online, genuine.status)
	if err != nil {
		t.Fatal(err)
	}
	public, err := payload.KeyOf(forgedTenant.Public())
	if err != nil {
		t.Fatal(err)
	}
	d := &docs{fp: fp, roots: genuine.roots, bundle: *bundle, status: *status, sign: map[string]func([]byte) []byte{}}
	issued = issued.UTC().Truncate(time.Second)
	d.bundle.Version, d.bundle.Issued, d.bundle.Expires = version, issued, issued.AddDate(0, 0, 7)
	d.bundle.Tenants = append(d.bundle.Tenants, trust.Tenant{Reference: "THIEF1", Name: "Thief", State: trust.TenantActive})
	d.bundle.Keys = append(d.bundle.Keys, trust.Key{Tenant: "THIEF1", Public: public, State: trust.KeySigning, ValidFrom: issued})
	d.status.Version, d.status.Issued, d.status.Expires = version, issued, issued.AddDate(0, 0, 7)
	d.status.Packs, d.status.Delta = nil, trust.DeltaRef{Since: version}
	for range d.status.Shards {
		d.shards = append(d.shards, &statuslist.Shard{})
	}
	d.timestamp = trust.Timestamp{Version: version, StatusAsOf: issued, Expires: issued.AddDate(0, 0, 1)}
	for _, kind := range []string{"timestamp", "bundle", "status"} {
		d.sign[kind] = signedBy(key)
	}
	return d.assemble()
}

var forgedTenant = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))

// TestStolenOnlineKey: 20 devices, some honest, some fast-forwarded to the last
// version, some 400 days ahead by the thief or by the gateway's own clock, some
// with a root alone, all recover by a refresh or a file after online-key rotate,
// and none accepts the thief's documents after it. The test uses the real programs.
func TestStolenOnlineKey(t *testing.T) {
	t.Parallel()
	const ahead = 400 * 24 * time.Hour
	var early forged
	o := newOperator(t, func(data string) { early = publishedBy(t, data, ahead, true) })
	genuine := publishedBy(t, o.data, 0, false)
	key := stealOnlineKey(t, o.data)
	m := newForger(t)
	now := time.Now()
	last := stolen(t, genuine, key, trust.MaxVersion, now)
	kinds := []struct {
		name string
		set  forged
	}{
		{"honest", genuine},
		{"fast-forwarded", last},
		{"fast-forwarded and ahead", stolen(t, genuine, key, trust.MaxVersion, now.Add(ahead))},
		{"the gateway's clock ran ahead", early},
		{"robbed", stolen(t, genuine, key, uint64(now.Add(2*ahead).Unix()), now)},
	}
	file := func(name string, f forged) string {
		world.WriteFile(t, filepath.Join(o.dir, name), f.file())
		return name
	}
	var homes []string
	for i, k := range kinds {
		template := fmt.Sprint("kind-", i)
		o.run("tcode-scan --home " + template + " trust import " + file("kind.export", k.set))
		for j := range 4 {
			home := fmt.Sprintf("device-%d-%d", i, j)
			o.run("mkdir " + home + " && cp " + template + "/trust.db* " + home)
			homes = append(homes, home)
		}
	}
	o.run("tcode-gateway online-key rotate")
	o.run("tcode-scan --home fresh enrol --gateway " + o.url)
	o.run("tcode-scan --home fresh trust export after.export")
	after := publishedBy(t, o.data, 0, false)
	n := len(after.roots) // 3: the gateway whose clock ran ahead renewed its root
	if n != len(genuine.roots)+1 {
		t.Fatalf("%d roots", n)
	}
	// A mirror may mix the old documents with the new root: the device accepts
	// the root and discards the thief's documents.
	mixed := last
	mixed.roots = after.roots
	// The thief also makes a root.
	_, r, err := trust.ReadRoot(after.roots[n-1])
	if err != nil {
		t.Fatal(err)
	}
	fp, _, _ := trust.ReadRoot(after.roots[0])
	r.Version, r.Online = uint64(n)+1, key.Key()
	text, err := r.Text(fp)
	if err != nil {
		t.Fatal(err)
	}
	own := last
	own.roots = append(after.roots[:n:n], signedBy(key, thief)(text))
	accepted := 0
	for i, home := range homes {
		scan := "tcode-scan --home " + home + " "
		if i%4 == 3 {
			m.now = mixed
			o.refused(scan+"trust refresh --gateway "+m.url, trust.ErrForeignKey.Error())
		}
		if i%4 == 1 {
			o.run(scan + "trust import after.export")
		} else {
			o.run(scan + "trust refresh --gateway " + o.url)
		}
		held := o.trust(home)
		if held.RootVersion != uint64(n) || held.Issuers != 1 || held.LastError != "" || held.TrustVersion > uint64(now.Add(time.Hour).Unix()) ||
			held.StatusAsOf.After(now.Add(time.Hour)) {
			t.Errorf("%s (%s) does not recover: %+v", home, kinds[i/4].name, held)
		}
		// Each kind of device meets each attack, from a mirror and in a file.
		attacks := []forged{last, mixed, own}
		m.now = attacks[i%3]
		if _, _, code := o.try(scan + "trust refresh --gateway " + m.url); code == 0 {
			t.Errorf("%s (%s): refreshed from the thief by attack %d", home, kinds[i/4].name, i%3)
			accepted++
		}
		if _, _, code := o.try(scan + "trust import " + file("thief.export", attacks[(i+1)%3])); code == 0 {
			t.Errorf("%s (%s): imported from the thief by attack %d", home, kinds[i/4].name, (i+1)%3)
			accepted++
		}
		now := o.trust(home)
		if now.LastError == "" {
			t.Errorf("%s: trust show tells no reason", home)
		}
		if now.LastError = ""; now != held {
			t.Errorf("%s: %+v, before the attacks %+v", home, now, held)
			accepted++
		}
	}
	t.Logf("%d of %d old devices accept the thief afterwards", accepted, len(homes))
}

// TestManyRotations: 40 changes of the online key while a gateway serves. A
// refresh follows 32 of them, the next one the rest.
func TestManyRotations(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.run("tcode-scan --home a enrol --gateway " + o.url)
	o.run("tcode-scan --home b enrol --gateway " + o.url)
	for i := range trust.MaxRootRun {
		o.run("tcode-gateway online-key rotate")
		if i == 20 {
			o.run("tcode-scan --home b trust refresh")
		}
	}
	o.run("tcode-scan --home a trust refresh")
	if v := o.trust("a"); v.RootVersion != trust.MaxRootRun+1 || v.Issuers != 1 || v.LastError != "" {
		t.Errorf("after one refresh: %+v", v)
	}
	o.run("tcode-scan --home b trust refresh")
	if v := o.trust("b"); v.RootVersion != trust.MaxRootRun+1 || v.Issuers != 1 {
		t.Errorf("of the device in between: %+v", v)
	}
	for range 8 {
		o.run("tcode-gateway online-key rotate")
	}
	// A device that holds root 1 needs two runs now.
	file := publishedBy(t, o.data, 0, false)
	first := forged{roots: file.roots[:1]}
	m := newForger(t)
	m.now = first
	o.try("tcode-scan --home c enrol --gateway " + m.url) // pins root 1; there are no documents
	o.refused("tcode-scan --home c trust refresh --gateway "+o.url, "there are more: refresh again")
	if v := o.trust("c"); v.RootVersion != trust.MaxRootRun+1 || v.Issuers != 0 {
		t.Errorf("after the first of two: %+v", v)
	}
	o.run("tcode-scan --home c trust refresh --gateway " + o.url)
	if v := o.trust("c"); v.RootVersion != trust.MaxRootRun+9 || v.Issuers != 1 {
		t.Errorf("after the second of two: %+v", v)
	}
	// The file has all roots, and takes one import.
	world.WriteFile(t, filepath.Join(o.dir, "all.export"), file.file())
	o.run("tcode-scan --home d trust import all.export")
	if v := o.trust("d"); v.RootVersion != trust.MaxRootRun+9 || v.Issuers != 1 {
		t.Errorf("by a file: %+v", v)
	}
}

// TestKilledRotation: operators' commands are killed at any moment of a
// rotation, while a gateway serves and is killed as well. Root and documents
// never disagree: each refresh succeeds, and at the end a rotation does.
func TestKilledRotation(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.run("tcode-scan enrol --gateway " + o.url)
	for i := range world.Count(t, "TCODE_KILLED_ROTATIONS", 4) {
		kill := func() {}
		if i%4 == 3 {
			kill = func() { o.serve("127.0.0.1:0") } // it kills the one that serves
		}
		cmd := exec.Command(world.Program(t, "tcode-gateway"), "online-key", "rotate")
		cmd.Env = o.env
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i*35%120) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		kill()
		o.run("tcode-scan trust refresh --gateway " + o.url)
	}
	before := o.trust("scanner").RootVersion
	o.run("tcode-gateway online-key rotate")
	o.run("tcode-scan trust refresh --gateway " + o.url)
	if v := o.trust("scanner"); v.RootVersion != before+1 || v.Issuers != 1 || v.LastError != "" {
		t.Errorf("root %d before, now %+v", before, v)
	}
}
