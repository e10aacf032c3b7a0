//go:build !unix

package browsers

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func killGroup(first int) {
	if p, err := os.FindProcess(first); err == nil {
		_ = p.Kill()
	}
}
