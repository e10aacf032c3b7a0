package trust_test

import (
	"bytes"

	"tcode/offline/trust"
)

// rootCases are the cases about roots.
func rootCases() []updaterCase {
	return []updaterCase{
		{
			name:    "FirstTimeRefresh",
			attack:  func(r *repository) trust.Update { r.publishRoot(r.rootKeys...); r.bump(); return r.update() },
			version: 11, root: 2,
		},
		{
			name: "TrustedRootExpired", // accepted: verdicts take it into account
			attack: func(r *repository) trust.Update {
				r.root.Expires = day0.Add(-day)
				r.publishRoot(r.rootKeys...)
				return r.update()
			},
			version: 10, root: 2,
		},
		{
			name: "MaxRootRotations",
			attack: func(r *repository) trust.Update {
				for range trust.MaxRootRun + 1 {
					r.publishRoot(r.rootKeys...)
				}
				return r.update()
			},
			want: trust.ErrTooManyRoots, version: 10, root: 1,
		},
		{
			name: "MaxRootRotationsNewOnly",
			attack: func(r *repository) trust.Update {
				for range trust.MaxRootRun + 1 {
					r.publishRoot(r.rootKeys...)
				}
				return trust.Update{Roots: r.roots[1:]}
			},
			want: trust.ErrTooManyRoots, version: 10, root: 1,
		},
		{
			name: "MaxRootRotationsReached",
			attack: func(r *repository) trust.Update {
				for range trust.MaxRootRun {
					r.publishRoot(r.rootKeys...)
				}
				return r.update()
			},
			version: 10, root: 33,
		},
		{
			name: "IntermediateRootIncorrectlySigned",
			attack: func(r *repository) trust.Update {
				r.publishRoot(signer(r.t, "thief"))
				r.publishRoot(r.rootKeys...)
				return r.update()
			},
			want: trust.ErrThreshold, version: 10, root: 1,
		},
		{
			name:   "NewRootBelowThreshold",
			attack: func(r *repository) trust.Update { r.publishRoot(r.rootKeys[0]); return r.update() },
			want:   trust.ErrThreshold, version: 10, root: 1,
		},
		{
			name: "NewRootNotSignedByItself",
			attack: func(r *repository) trust.Update {
				old := r.rootKeys
				r.setRootKeys(signer(r.t, "root-x"), signer(r.t, "root-y"))
				r.publishRoot(old...)
				return r.update()
			},
			want: trust.ErrThreshold, version: 10, root: 1,
		},
		{
			name: "NewRootNotSignedByTheOneBefore",
			attack: func(r *repository) trust.Update {
				r.setRootKeys(signer(r.t, "root-x"), signer(r.t, "root-y"))
				r.publishRoot(r.rootKeys...)
				return r.update()
			},
			want: trust.ErrThreshold, version: 10, root: 1,
		},
		{
			name: "RootKeysRotated",
			attack: func(r *repository) trust.Update {
				old := r.rootKeys
				r.setRootKeys(signer(r.t, "root-x"), signer(r.t, "root-y"))
				r.publishRoot(append(old, r.rootKeys...)...)
				r.publishRoot(r.rootKeys...) // the old keys do not count any more
				return r.update()
			},
			version: 10, root: 3,
		},
		{
			name: "RootSignedTwiceByOneKey",
			attack: func(r *repository) trust.Update {
				raw := r.publishRoot(r.rootKeys[0])
				line := raw[bytes.LastIndexByte(raw[:len(raw)-1], '\n')+1:]
				r.roots[1] = append(bytes.Clone(raw), line...)
				return r.update()
			},
			want: trust.ErrThreshold, version: 10, root: 1,
		},
		{
			name: "IntermediateRootExpired",
			attack: func(r *repository) trust.Update {
				expires := r.root.Expires
				r.root.Expires = day0.Add(-day)
				r.publishRoot(r.rootKeys...)
				r.root.Expires = expires
				r.publishRoot(r.rootKeys...)
				return r.update()
			},
			version: 10, root: 3,
		},
		{
			name:    "NewRootSameVersion", // exactly the same root: nothing new
			attack:  func(r *repository) trust.Update { return trust.Update{Roots: [][]byte{r.roots[0], r.roots[0]}} },
			version: 10, root: 1,
		},
		{
			name: "NewRootSameVersionOtherContent",
			attack: func(r *repository) trust.Update {
				r.publishRoot(r.rootKeys...)
				r.root.Version--
				r.root.Expires = r.root.Expires.Add(day)
				r.publishRoot(r.rootKeys...)
				return r.update()
			},
			want: trust.ErrRootChain, version: 10, root: 1,
		},
		{
			name:   "NewRootNonconsecutiveVersion",
			attack: func(r *repository) trust.Update { r.root.Version++; r.publishRoot(r.rootKeys...); return r.update() },
			want:   trust.ErrRootChain, version: 10, root: 1,
		},
	}
}
