package release_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/cmd/internal/world"
)

// service runs the gateway as its unit does, in a copy of this system that is thrown away, in a network of its own: the
// command line, the variables and the capabilities are those of the unit, the user is that of the package. It begins the
// gateway by tcode-operator, listens on port 443 with the settings of the package's file, and reads renewed certificates
// after ExecReload.
const service = `set -eu
umask 022 # as package managers have it
mount -t tmpfs none "$WORK"
mkdir "$WORK/upper" "$WORK/work" "$WORK/root"
mount -t overlay none -o "lowerdir=/,upperdir=$WORK/upper,workdir=$WORK/work" "$WORK/root"
root=$WORK/root
mount -t proc none "$root/proc"
mount -t tmpfs none "$root/tmp"
cp "$PROGRAM" "$root/usr/bin/tcode-gateway" && chmod 755 "$root/usr/bin/tcode-gateway"
cp "$DEBIAN/tcode-operator" "$root/usr/sbin/" && chmod 755 "$root/usr/sbin/tcode-operator"
mkdir -p "$root/etc/tcode" && cp "$DEBIAN/gateway.conf" "$root/etc/tcode/"
mkdir "$root/etc/tcode/tls" && cp "$CERTS"/* "$root/etc/tcode/tls/"
cp "$DEBIAN/postinst" "$root/tmp/postinst" && chmod 755 "$root/tmp/postinst"
mkdir -p "$root/usr/lib/sysusers.d" && cp "$DEBIAN/tcode-gateway.sysusers" "$root/usr/lib/sysusers.d/tcode-gateway.conf"
if [ -n "${TCODE_CACHE:-}" ]; then cp -r "$TCODE_CACHE" "$root/tmp/cache"; fi # compiling PDFium takes seconds
ip link set lo up
exec chroot "$root" env -i PATH="$PATH" COMMAND="$COMMAND" BACKUP="$BACKUP" RELOAD="$RELOAD" VARIABLES="$VARIABLES" CAPABILITIES="$CAPABILITIES" GOMEMLIMIT=1GiB sh -euc '
/tmp/postinst configure >/dev/null
chgrp tcode /etc/tcode/tls/* && chmod 640 /etc/tcode/tls/*
sed -i "s/^#addr = :443/addr = :443/; s/^#http-redirect/http-redirect/; s/^#tls-/tls-/" /etc/tcode/gateway.conf
cd /
echo "PGPASSWORD = a&b \$\$ \"c #d" >>/etc/tcode/gateway.conf
tcode-operator init >/dev/null
tcode-operator config | grep -q "^addr.*:443.*gateway.conf"
tcode-operator config | grep -q "^PGPASSWORD.*hidden.*gateway.conf"
if [ -d /tmp/cache ]; then mv /tmp/cache /var/lib/tcode-gateway/cache; chown -R tcode:tcode /var/lib/tcode-gateway/cache; fi
env $VARIABLES setpriv --reuid=tcode --regid=tcode --init-groups --no-new-privs --inh-caps="-all$CAPABILITIES" --ambient-caps="-all$CAPABILITIES" --bounding-set="-all$CAPABILITIES" $COMMAND >/tmp/out 2>/tmp/log &
MAINPID=$!
trap "cat /tmp/out /tmp/log >&2; kill -9 $MAINPID 2>/dev/null || true" EXIT
serial() { curl -sk -o /dev/null -w "%{certs}" https://127.0.0.1/healthz | grep -i "serial number" | tr -dc "0-9a-fA-F:" ; }
wait_for() { i=0; until eval "$1"; do i=$((i+1)); test $i -lt 600; kill -0 $MAINPID; sleep 0.1; done; }
wait_for "curl -skf https://127.0.0.1/healthz >/dev/null"
! grep PGPASSWORD /tmp/log
test "$(stat -c %U /proc/$MAINPID)" = tcode
test "$(sed -n "s/^CapEff:.//p;s/^CapBnd:.//p" /proc/$MAINPID/status | sort -u)" = 0000000000000400 # CAP_NET_BIND_SERVICE
test "$(curl -s -o /dev/null -w "%{http_code}" http://127.0.0.1/)" != 000 # port 80
for name in 20260101 20260102 20260103; do install -o tcode /dev/null /var/backups/tcode-gateway/tcode-${name}T000000Z.tar; done
env $VARIABLES setpriv --reuid=tcode --regid=tcode --init-groups --no-new-privs $(echo "$BACKUP" | sed "s/--keep 14/--keep 2/") >/dev/null 2>&1
test "$(ls /var/backups/tcode-gateway | wc -l)" = 2
test -e /var/backups/tcode-gateway/tcode-20260103T000000Z.tar
(cd /var/backups/tcode-gateway && tcode-operator backup of-hand.tar >/dev/null 2>&1 && test -s of-hand.tar)
test -z "$(find /var/backups/tcode-gateway ! -user tcode)"
before=$(serial)
mv /etc/tcode/tls/next-cert.pem /etc/tcode/tls/cert.pem && mv /etc/tcode/tls/next-key.pem /etc/tcode/tls/key.pem
eval "$RELOAD"
wait_for "test \"\$(serial)\" != \"$before\""
kill -TERM $MAINPID
wait $MAINPID
trap - EXIT
test -z "$(find /var/lib/tcode-gateway ! -user tcode)"
'
`

// TestService: the files of the Debian package make a gateway that serves HTTPS on port 443 as its own user.
func TestService(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("changing the root takes root")
		}
		t.Skip("changing the root takes root")
	}
	for _, tool := range []string{"unshare", "setpriv", "curl", "ip"} {
		world.Need(t, tool)
	}
	debian := world.Path("cmd/release/debian")
	unit := unitLines(string(world.ReadFile(t, filepath.Join(debian, "tcode-gateway.service"))))
	if ambient, bounding := unit["AmbientCapabilities"], unit["CapabilityBoundingSet"]; len(ambient) != 1 || len(bounding) != 1 || ambient[0] != bounding[0] {
		t.Fatalf("ambient capabilities %q, bounding set %q", ambient, bounding)
	}
	if len(unit["ExecStart"]) != 1 || len(unit["ExecReload"]) != 1 {
		t.Fatalf("ExecStart %q, ExecReload %q", unit["ExecStart"], unit["ExecReload"])
	}
	backup := unitLines(string(world.ReadFile(t, filepath.Join(debian, "tcode-gateway-backup.service"))))
	if len(backup["ExecStart"]) != 1 || strings.Join(backup["Environment"], " ") != strings.Join(unit["Environment"], " ") {
		t.Fatalf("the backup's ExecStart %q, Environment %q", backup["ExecStart"], backup["Environment"])
	}
	// A folder without a gateway is no reason to start again every two seconds.
	if codes := unit["RestartPreventExitStatus"]; len(codes) != 1 || !slices.Contains(strings.Fields(codes[0]), strconv.Itoa(cli.CodeConfig)) {
		t.Errorf("RestartPreventExitStatus=%q", codes)
	}
	// Without HTTPS a reload ends the gateway, with code 0.
	if restart := unit["Restart"]; len(restart) != 1 || restart[0] != "always" {
		t.Errorf("Restart=%q", restart)
	}
	certs := t.TempDir()
	writeCertificate(t, certs, "", 1001)
	writeCertificate(t, certs, "next-", 1002)
	cmd := exec.Command("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", service)
	cmd.Env = append(os.Environ(), "WORK="+t.TempDir(),
		"PROGRAM="+world.Program(t, "tcode-gateway"), "DEBIAN="+debian, "CERTS="+certs,
		"COMMAND="+unit["ExecStart"][0], "BACKUP="+backup["ExecStart"][0], "RELOAD="+unit["ExecReload"][0], "VARIABLES="+strings.Join(unit["Environment"], " "),
		"CAPABILITIES="+capabilities(unit["AmbientCapabilities"][0]))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// unitLines returns the settings of a unit of systemd by their names.
func unitLines(text string) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			all[name] = append(all[name], value)
		}
	}
	return all
}

// capabilities are those of a unit as setpriv adds them, such as ",+net_bind_service".
func capabilities(names string) (added string) {
	for name := range strings.FieldsSeq(names) {
		added += ",+" + strings.ToLower(strings.TrimPrefix(name, "CAP_"))
	}
	return added
}

// writeCertificate makes a certificate for this machine, and its key.
func writeCertificate(t *testing.T, dir, prefix string, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(0, 2, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	world.WriteFile(t, filepath.Join(dir, prefix+"cert.pem"),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	world.WriteFile(t, filepath.Join(dir, prefix+"key.pem"),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))
}
