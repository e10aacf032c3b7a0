package trust_test

import (
	"time"

	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// documentCases are the cases about all documents below the root.
func documentCases() []updaterCase {
	return []updaterCase{
		{
			name: "NewTimestampUnsigned",
			attack: func(r *repository) trust.Update {
				r.bump()
				r.rawTimestamp = r.sign(r.timestamp, signer(r.t, "thief"))
				return r.update()
			},
			want: trust.ErrForeignKey, version: 10, root: 1,
		},
		{
			name:   "NewTimestampVersionRollback",
			attack: func(r *repository) trust.Update { r.timestamp.Version = 9; r.publish(); return r.update() },
			want:   trust.ErrRollback, version: 10, root: 1,
		},
		{
			name: "ExpiredTimestampVersionRollback", // floors hold however old they are
			attack: func(r *repository) trust.Update {
				r.timestamp.Version, r.timestamp.StatusAsOf, r.timestamp.Expires = 9, day0.Add(18*day), day0.Add(21*day)
				r.publish()
				return r.update()
			},
			want: trust.ErrRollback, version: 10, root: 1,
		},
		{
			name: "NewTimestampSnapshotRollback",
			attack: func(r *repository) trust.Update {
				r.timestamp.Version, r.timestamp.Status.Version = 11, 9
				r.publishTimestamp()
				return r.update()
			},
			want: trust.ErrRollback, version: 10, root: 1,
		},
		{
			name: "NewTimestampExpired", // accepted, because it is newer
			attack: func(r *repository) trust.Update {
				r.bump()
				r.timestamp.StatusAsOf, r.timestamp.Expires = day0.Add(-2*day), day0.Add(-day)
				r.publish()
				return r.update()
			},
			version: 11, root: 1,
		},
		{
			name: "NewTimestampFastForwardRecovery",
			attack: func(r *repository) trust.Update {
				r.rotateOnline("online-2")
				r.timestamp.Version, r.bundle.Version, r.status.Version = 1, 1, 1
				r.publish()
				return r.update()
			},
			version: 1, root: 2,
		},
		{
			name: "NewSnapshotFastForwardRecovery",
			attack: func(r *repository) trust.Update {
				r.rotateOnline("online-2")
				r.status.Version = 1
				r.shards[0] = new(statuslist.Shard)
				r.publish()
				return r.update()
			},
			version: 10, root: 2,
		},
		{
			name: "NewTargetsFastForwardRecovery",
			attack: func(r *repository) trust.Update {
				r.rotateOnline("online-2")
				r.bundle.Version = 1
				r.publish()
				return r.update()
			},
			version: 10, root: 2,
		},
		{
			name: "NoRecoveryWithoutANewKey",
			attack: func(r *repository) trust.Update {
				r.publishRoot(r.rootKeys...)
				r.timestamp.Version = 1
				r.publish()
				return r.update()
			},
			want: trust.ErrRollback, version: 10, root: 1,
		},
		{
			name: "OldKeyAfterRotation",
			attack: func(r *repository) trust.Update {
				r.bump()
				u := r.update()
				r.rotateOnline("online-2")
				u.Roots = r.roots
				return u
			},
			want: trust.ErrForeignKey, version: 10, root: 1,
		},
		{
			name: "NewSnapshotHashMismatch",
			attack: func(r *repository) trust.Update {
				r.bump()
				r.status.Expires = r.status.Expires.Add(day)
				r.rawStatus = r.sign(r.status, r.online)
				return r.update()
			},
			want: trust.ErrHash, version: 10, root: 1,
		},
		{
			name: "NewSnapshotUnsigned",
			attack: func(r *repository) trust.Update {
				r.bump()
				r.rawStatus = r.sign(r.status, signer(r.t, "thief"))
				r.timestamp.Status = trust.RefTo(r.status.Version, r.rawStatus)
				r.publishTimestamp()
				return r.update()
			},
			want: trust.ErrForeignKey, version: 10, root: 1,
		},
		{
			name: "NewSnapshotVersionMismatch",
			attack: func(r *repository) trust.Update {
				r.bump()
				r.timestamp.Status.Version++
				r.publishTimestamp()
				return r.update()
			},
			want: trust.ErrVersion, version: 10, root: 1,
		},
		{
			name: "NewSnapshotVersionRollback",
			attack: func(r *repository) trust.Update {
				r.status.Version = 9
				r.timestamp.Version = 11
				r.publish()
				return r.update()
			},
			want: trust.ErrRollback, version: 10, root: 1,
		},
		{
			name: "NewSnapshotExpired", // accepted
			attack: func(r *repository) trust.Update {
				r.status.Issued, r.status.Expires = day0.Add(-8*day), day0.Add(-day)
				r.bump()
				return r.update()
			},
			version: 11, root: 1,
		},
		{
			name: "NewTargetsHashMismatch",
			attack: func(r *repository) trust.Update {
				r.bump()
				r.bundle.Tenants[1].State = trust.TenantActive
				r.rawBundle = r.sign(r.bundle, r.online)
				return r.update()
			},
			want: trust.ErrHash, version: 10, root: 1,
		},
		{
			name: "NewTargetsUnsigned",
			attack: func(r *repository) trust.Update {
				r.bump()
				r.rawBundle = r.sign(r.bundle, signer(r.t, "thief"))
				r.timestamp.Bundle = trust.RefTo(r.bundle.Version, r.rawBundle)
				r.publishTimestamp()
				return r.update()
			},
			want: trust.ErrForeignKey, version: 10, root: 1,
		},
		{
			name: "NewTargetsVersionMismatch",
			attack: func(r *repository) trust.Update {
				r.bump()
				r.timestamp.Bundle.Version++
				r.publishTimestamp()
				return r.update()
			},
			want: trust.ErrVersion, version: 10, root: 1,
		},
		{
			name: "NewTargetsVersionRollback",
			attack: func(r *repository) trust.Update {
				r.bundle.Version = 9
				r.timestamp.Version = 11
				r.publish()
				return r.update()
			},
			want: trust.ErrRollback, version: 10, root: 1,
		},
		{
			name: "NewTargetsExpired", // accepted
			attack: func(r *repository) trust.Update {
				r.bundle.Issued, r.bundle.Expires = day0.Add(-8*day), day0.Add(-day)
				r.bump()
				return r.update()
			},
			version: 11, root: 1,
		},
		{
			name: "ShardGoesBackUnderTheOldPack", // an older shard with today's pack
			attack: func(r *repository) trust.Update {
				old := r.update()
				r.shards[0].Set(8, statuslist.Revoked)
				r.bump()
				u := r.update()
				u.Shards = old.Shards
				return u
			},
			want: trust.ErrHash, version: 10, root: 1,
		},
		{
			name: "MixAndMatchPacks", // an older pack with its shards
			attack: func(r *repository) trust.Update {
				old := r.update()
				r.shards[0].Set(8, statuslist.Revoked)
				r.bump()
				u := r.update()
				u.Packs, u.Shards = old.Packs, old.Shards
				return u
			},
			want: trust.ErrHash, version: 10, root: 1,
		},
		{
			name: "PackMissing",
			attack: func(r *repository) trust.Update {
				r.shards[0].Set(8, statuslist.Revoked)
				r.bump()
				u := r.update()
				u.Packs = nil
				return u
			},
			want: trust.ErrIncomplete, version: 10, root: 1,
		},
		{
			name: "PackUnderAnotherNumber",
			attack: func(r *repository) trust.Update {
				r.bump()
				u := r.update()
				u.Packs[1] = u.Packs[0]
				return u
			},
			want: trust.ErrIncomplete, version: 10, root: 1,
		},
		{
			name: "PackOfFewerShardsThanTheStatusSays",
			attack: func(r *repository) trust.Update {
				r.bump()
				r.status.Shards++
				r.rawStatus = r.sign(r.status, r.online)
				r.timestamp.Status = trust.RefTo(r.status.Version, r.rawStatus)
				r.publishTimestamp()
				return r.update()
			},
			want: trust.ErrIncomplete, version: 10, root: 1,
		},
		{
			name: "HeldPackOfFewerShardsThanTheStatusSays",
			attack: func(r *repository) trust.Update {
				r.bump()
				r.status.Shards++
				r.rawStatus = r.sign(r.status, r.online)
				r.timestamp.Status = trust.RefTo(r.status.Version, r.rawStatus)
				r.publishTimestamp()
				u := r.update()
				u.Packs, u.Shards = nil, nil
				return u
			},
			want: trust.ErrIncomplete, version: 10, root: 1,
		},
		{
			name: "ShardDisappears",
			attack: func(r *repository) trust.Update {
				r.shards = r.shards[:1]
				r.bump()
				return r.update()
			},
			want: trust.ErrRollback, version: 10, root: 1,
		},
		{
			name: "MixAndMatchBundle", // today's timestamp, yesterday's bundle
			attack: func(r *repository) trust.Update {
				old := r.rawBundle
				r.bump()
				u := r.update()
				u.Bundle = old
				return u
			},
			want: trust.ErrHash, version: 10, root: 1,
		},
		{
			name: "MixAndMatchShards",
			attack: func(r *repository) trust.Update {
				old := r.shards[0].Deflate()
				r.shards[0].Set(8, statuslist.Revoked)
				r.bump()
				u := r.update()
				u.Shards[0] = old
				return u
			},
			want: trust.ErrHash, version: 10, root: 1,
		},
		{
			name: "ExpiredMetadata", // a device that was off for weeks catches up
			attack: func(r *repository) trust.Update {
				r.timestamp.StatusAsOf = day0.Add(18 * day)
				r.bump()
				return r.update()
			},
			version: 11, root: 1,
		},
		{
			name: "MaxMetadataLengths",
			attack: func(r *repository) trust.Update {
				r.bump()
				u := r.update()
				u.Timestamp = pad(u.Timestamp, trust.MaxTimestampLen+1)
				return u
			},
			want: trust.ErrTooLarge, version: 10, root: 1,
		},
		{
			name: "TimestampEqVersionsCheck",
			attack: func(r *repository) trust.Update {
				r.timestamp.StatusAsOf = r.timestamp.StatusAsOf.Add(time.Hour)
				r.publish()
				return r.update()
			},
			want: trust.ErrConflict, version: 10, root: 1,
		},
		{
			name:    "Freeze", // the same set again changes nothing and is no error
			attack:  func(r *repository) trust.Update { return r.update() },
			version: 10, root: 1,
		},
	}
}
