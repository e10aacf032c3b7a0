package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// has reports whether a tool is here. In CI it must be.
func has(t *testing.T, tool string) bool {
	t.Helper()
	_, err := exec.LookPath(tool)
	if err != nil && os.Getenv("CI") == "true" {
		t.Errorf("%s is missing: see .ci/test", tool)
	}
	return err == nil
}

// maxExposure is what "systemd-analyze security" may say of the service, times ten: 100 is a service without any
// limits. The network, users and ports below 1024, which a gateway needs, are most of it.
const maxExposure = "17"

// checkUnit reads the service with systemd, in a root that has the unpacked package.
func checkUnit(t *testing.T, root string) {
	t.Helper()
	if !has(t, "systemd-analyze") {
		return
	}
	for _, unit := range []string{"sysinit.target", "basic.target", "shutdown.target", "network-online.target", "multi-user.target", "timers.target"} {
		write(t, filepath.Join(root, "usr/lib/systemd/system", unit), "[Unit]\nDescription=Of the system\n", 0o644)
	}
	write(t, filepath.Join(root, "bin/kill"), "#!/bin/sh\n", 0o755)
	unit := filepath.Join(root, "usr/lib/systemd/system/tcode-gateway.service")
	timer := filepath.Join(root, "usr/lib/systemd/system/tcode-gateway-backup.timer") // with its service
	if out, err := exec.Command("systemd-analyze", "verify", "--man=no", "--root="+root, unit, timer).CombinedOutput(); err != nil || len(out) != 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	if out, err := exec.Command("systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold="+maxExposure, "--root="+root, unit).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	} else {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		t.Log(lines[len(lines)-1])
	}
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// life installs a package, upgrades it, removes it and purges it, in a copy of this system that is thrown away. Data,
// keys and the operator's settings must be there after each step, for their owner alone.
const life = `set -eu
mount -t tmpfs none "$WORK"
mkdir "$WORK/upper" "$WORK/work" "$WORK/root"
mount -t overlay none -o "lowerdir=/,upperdir=$WORK/upper,workdir=$WORK/work" "$WORK/root"
mkdir -p "$WORK/root/debs" && cp "$OLD" "$WORK/root/debs/old.deb" && cp "$NEW" "$WORK/root/debs/new.deb"
mount -t proc none "$WORK/root/proc"
exec chroot "$WORK/root" sh -euc '
dpkg() { command dpkg --force-depends --force-unsafe-io --no-triggers "$@"; }
same() { test "$(stat -c "%U:%G %a" "$1")" = "$2" || { echo "$1 is $(stat -c "%U:%G %a" "$1"), want $2" >&2; exit 1; }; }
kept() { grep -qx "the keys" /var/lib/tcode-gateway/keys && same /var/lib/tcode-gateway "tcode:tcode 700"; }
dpkg -i /debs/old.deb
test "$(dpkg-query -W -f "\${Version} \${Status}" tcode-gateway)" = "1.2.0~rc.1 install ok installed"
same /etc/tcode/gateway.conf "root:tcode 640"
same /var/lib/tcode-gateway "tcode:tcode 700"
echo "the keys" >/var/lib/tcode-gateway/keys
echo "addr = :443" >>/etc/tcode/gateway.conf
dpkg --force-confdef -i /debs/new.deb
test "$(dpkg-query -W -f "\${Version}" tcode-gateway)" = 1.2.0
kept
grep -qx "addr = :443" /etc/tcode/gateway.conf
same /etc/tcode/gateway.conf "root:tcode 640"
dpkg -r tcode-gateway
kept
grep -qx "addr = :443" /etc/tcode/gateway.conf
test ! -e /usr/bin/tcode-gateway
dpkg -i /debs/new.deb
kept
grep -qx "addr = :443" /etc/tcode/gateway.conf
dpkg -P tcode-gateway
kept
test ! -e /etc/tcode/gateway.conf
'
`

// checkLife runs life with the package of the release and one of the version behind it.
func checkLife(t *testing.T, r *release) {
	t.Helper()
	if os.Geteuid() != 0 || !has(t, "dpkg") || !has(t, "unshare") {
		return
	}
	next := *r
	next.source.version = "v1.2.0"
	next.out = t.TempDir()
	write(t, filepath.Join(next.out, next.source.name()+".tar.gz"), "source", 0o644)
	d, err := next.deb(mupdfTargets[0], debPackages[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := next.write("new.deb", func(w io.Writer) error { return d.Write(w, next.source.at) }); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("unshare", "--mount", "sh", "-c", life)
	cmd.Env = append(os.Environ(), "WORK="+t.TempDir(), "OLD="+filepath.Join(r.out, "tcode-gateway_1.2.0~rc.1_amd64.deb"), "NEW="+filepath.Join(next.out, "new.deb"), "DEBIAN_FRONTEND=noninteractive")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("life of the package: %v\n%s", err, out)
	}
}
