package engine

import (
	"bytes"
	"context"

	"tcode/offline/trust"
	"tcode/offline/trustbook"
)

// maxExport is the largest export file in bytes.
const maxExport = 64 << 20

// importTrust accepts an export file. A device without a root pins the file's root only with the
// fingerprint that a person has compared; without it the failure names the root's fingerprint.
func (e *Engine) importTrust(ctx context.Context, fingerprint string, file []byte) (any, error) {
	if len(file) > maxExport {
		return nil, &Failure{Code: "too_large", Message: "the file is larger than 64 MiB"}
	}
	var want *trust.Fingerprint
	if fingerprint != "" {
		fp, err := trust.ParseFingerprint(fingerprint)
		if err != nil {
			return nil, &Failure{Code: "request", Message: err.Error()}
		}
		want = &fp
	} else if snapshot, err := e.cfg.Trust.Snapshot(ctx); err != nil {
		return nil, err
	} else if snapshot.State() == nil {
		return nil, fingerprintNeeded(file)
	}
	changes, err := e.cfg.Trust.Import(ctx, bytes.NewReader(file), want)
	if err != nil {
		return nil, err
	}
	return map[string]any{"refresh": map[string]any{"newRoots": changes.Roots, "bundleChanged": changes.Bundle, "statusChanged": changes.Status}}, nil
}

// fingerprintNeeded names the fingerprint of the first root of an export file. Nothing is pinned.
func fingerprintNeeded(file []byte) error {
	update, _, err := trustbook.ReadExport(bytes.NewReader(file))
	if err != nil {
		return err
	}
	state, err := trust.Pin(update.Roots, nil)
	if err != nil {
		return err
	}
	return &Failure{Code: "fingerprint_needed", Message: "compare the fingerprint of the trust root", Fingerprint: state.Fingerprint.String()}
}
