//go:build !unix && !js

package browsertest

import (
	"os"
	"os/exec"
)

// OwnGroup does nothing here.
func OwnGroup(*exec.Cmd) {}

// KillGroup kills the process with this number.
func KillGroup(first int) {
	if p, err := os.FindProcess(first); err == nil {
		_ = p.Kill()
	}
}
