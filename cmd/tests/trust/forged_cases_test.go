package trust_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"

	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/offline/trust"
)

// A falsehood is one forged set with one fault. Names that begin with a capital
// letter are those of the conformance suite of The Update Framework, as far as
// it has the case.
type falsehood struct {
	name string
	docs *docs
	want error // nil: any error of this project
}

// forgeries returns all falsehoods, newly made.
func forgeries() []falsehood {
	var all []falsehood
	add := func(name string, d *docs, want error) { all = append(all, falsehood{name, d, want}) }
	signatureForgeries(add)
	formForgeries(add)
	rootForgeries(add)
	rootTextForgeries(add)
	setForgeries(add)
	shardForgeries(add)
	packForgeries(add)
	deltaForgeries(add)
	return all
}

type adder func(name string, d *docs, want error)

func next() *docs { return newDocs(101, 1) }

// last is the last line of a note: its last signature.
func last(note []byte) []byte {
	return note[bytes.LastIndexByte(note[:len(note)-1], '\n')+1:]
}

func text(note []byte) []byte { return note[:bytes.Index(note, []byte("\n\n"))+1] }

// signatureForgeries: each document with a wrong signature.
func signatureForgeries(add adder) {
	for _, kind := range []string{"timestamp", "bundle", "status", "root"} {
		right := signedBy(online)
		want := trust.ErrForeignKey
		if kind == "root" {
			right, want = signedBy(rootA, rootB), trust.ErrThreshold
		}
		with := func(name string, want error, sign func([]byte) []byte) {
			d := next()
			if kind == "root" {
				d.nextRoot()
			}
			d.sign[kind] = sign
			add(kind+" "+name, d, want)
		}
		with("Unsigned", nil, func(t []byte) []byte { return append(t, '\n') })
		with("UnsignedWithoutBlankLine", nil, func(t []byte) []byte { return t })
		with("UnknownKey", want, signedBy(thief))
		with("TwoUnknownKeys", want, signedBy(thief, thief2))
		with("ThiefUnderTheRightName", want, signedBy(named("online", "thief"), named("root-a", "thief")))
		with("RetiredOnlineKey", want, signedBy(oldOnline))
		with("RetiredRootKeys", want, signedBy(oldA, oldB))
		with("RightKeyUnderAnotherName", want, signedBy(named("online-2", "online"), named("root-x", "root-a"), named("root-y", "root-b")))
		if kind == "root" {
			with("KeyOfAnotherRole", want, signedBy(online))
		} else {
			with("KeyOfAnotherRole", want, signedBy(rootA, rootB, rootC))
		}
		with("SignatureOfAnotherText", trust.ErrSignature, func(t []byte) []byte {
			other := right(bytes.Replace(t, []byte("\nexpires 202"), []byte("\nexpires 203"), 1))
			return append(append(bytes.Clone(t), '\n'), other[len(t)+1:]...)
		})
		with("SignatureFlipped", trust.ErrSignature, func(t []byte) []byte {
			raw := right(t)
			line := last(raw)
			word := line[bytes.LastIndexByte(line, ' ')+1 : len(line)-1]
			sig, err := base64.StdEncoding.DecodeString(string(word))
			if err != nil {
				panic(err)
			}
			sig[20] ^= 1
			return append(raw[:len(raw)-len(word)-1], base64.StdEncoding.EncodeToString(sig)+"\n"...)
		})
		with("SignatureCutShort", nil, func(t []byte) []byte { raw := right(t); return append(raw[:len(raw)-20], '\n') })
		with("SignatureNoBase64", nil, func(t []byte) []byte { return append(append(t, '\n'), "— test/online !!!!\n"...) })
		with("TextChangedAfterSigning", trust.ErrSignature, func(t []byte) []byte {
			return swapped("\nexpires 202", "\nexpires 203")(right(t))
		})
		with("KeyHashOfAnother", want, func(t []byte) []byte {
			raw := right(t)
			var out bytes.Buffer
			out.Write(text(raw))
			out.WriteByte('\n')
			for line := range bytes.Lines(raw[len(text(raw))+1:]) {
				words := strings.Split(strings.TrimSuffix(string(line), "\n"), " ")
				sig, err := base64.StdEncoding.DecodeString(words[2])
				if err != nil {
					panic(err)
				}
				binary.BigEndian.PutUint32(sig, binary.BigEndian.Uint32(sig)^1)
				fmt.Fprintf(&out, "%s %s %s\n", words[0], words[1], base64.StdEncoding.EncodeToString(sig))
			}
			return out.Bytes()
		})
		with("HundredAndOneSignatures", nil, func(t []byte) []byte {
			raw := signedBy(thief)(t)
			return append(raw, bytes.Repeat(last(raw), 101)...)
		})
	}
}

// formForgeries: text that is not the canonical one, signed by the right key.
func formForgeries(add adder) {
	other := trust.Fingerprint{1}.String()
	for _, kind := range []string{"timestamp", "bundle", "status"} {
		with := func(name string, want error, edit func([]byte) []byte) {
			d := next()
			d.edit[kind] = edit
			add(kind+" "+name, d, want)
		}
		for _, as := range []string{"root", "timestamp", "bundle", "status", "time", "x", "Timestamp"} {
			if as != kind {
				with("TypeIs "+as, trust.ErrTypeLine, matched(`^tcode-trust/1 \w+`, "tcode-trust/1 "+as))
			}
		}
		with("OtherFormat", trust.ErrTypeLine, swapped("tcode-trust/1", "tcode-trust/2"))
		with("NoFormat", trust.ErrTypeLine, swapped("tcode-trust/1 ", ""))
		with("ForeignFingerprint", trust.ErrForeignRoot, matched(`[0-9a-f]{64}`, other))
		with("FingerprintUpperCase", trust.ErrTypeLine, func(t []byte) []byte {
			line := bytes.IndexByte(t, '\n')
			words := bytes.Split(t[:line], []byte(" "))
			return bytes.Replace(t, words[2], bytes.ToUpper(words[2]), 1)
		})
		with("FingerprintCutShort", trust.ErrTypeLine, matched(`([0-9a-f]{63})[0-9a-f]`, "$1"))
		with("ByteOrderMark", trust.ErrTypeLine, func(t []byte) []byte { return append([]byte("\ufeff"), t...) })
		with("CarriageReturns", nil, func(t []byte) []byte { return bytes.ReplaceAll(t, []byte("\n"), []byte("\r\n")) })
		with("TrailingLine", trust.ErrSyntax, func(t []byte) []byte { return append(t, "more\n"...) })
		with("TwoSpaces", trust.ErrSyntax, swapped("version 101", "version  101"))
		with("Tab", nil, swapped("version 101", "version\t101"))
		with("LeadingZero", trust.ErrSyntax, swapped("version 101", "version 0101"))
		with("PlusSign", trust.ErrSyntax, swapped("version 101", "version +101"))
		with("Negative", trust.ErrSyntax, swapped("version 101", "version -101"))
		with("VersionZero", trust.ErrSyntax, swapped("version 101", "version 0"))
		with("FastForwardBeyondTheLast", trust.ErrSyntax, swapped("version 101", "version 9007199254740992"))
		with("VersionOf64Bits", trust.ErrSyntax, swapped("version 101", "version 18446744073709551616"))
		with("VersionTwice", trust.ErrSyntax, swapped("version 101\n", "version 101\nversion 101\n"))
		with("NoVersion", trust.ErrSyntax, swapped("version 101\n", ""))
		with("NoExpiry", trust.ErrSyntax, matched(`^expires .*\n`, ""))
		with("ExpiryIsNoTime", trust.ErrSyntax, matched(`^expires .*`, "expires tomorrow"))
		with("ExpiresBeforeItIsIssued", trust.ErrSyntax, matched(`^expires .*`, "expires 2001-01-01T00:00:00Z"))
		with("TimeWithFraction", trust.ErrSyntax, matched(`^issued (.*)Z`, "issued ${1}.5Z"))
		with("TimeWithOffset", trust.ErrSyntax, matched(`^issued (.*)Z`, "issued ${1}+00:00"))
		with("LeapSecond", trust.ErrSyntax, matched(`^issued .*`, "issued 2016-12-31T23:59:60Z"))
		with("LinesSwapped", trust.ErrSyntax, matched(`^(issued .*\n)(expires .*\n)`, "$2$1"))
	}
	hash := strings.Repeat("A", 64)
	for name, edit := range map[string]func([]byte) []byte{
		"HashUpperCase": matched(`^bundle 101 .*`, "bundle 101 "+hash), "NoStatus": matched(`^status .*\n`, ""), "TwoBundles": matched(`^(bundle .*\n)`, "$1$1"),
	} {
		d := next()
		d.edit["timestamp"] = edit
		add("timestamp "+name, d, trust.ErrSyntax)
	}
	for name, edit := range map[string]func([]byte) []byte{
		"PackTwice": matched(`^(pack 1 .*\n)`, "$1$1"), "PacksOutOfOrder": matched(`^(pack 0 .*\n)(pack 1 .*\n)`, "$2$1"), "PackNumberTooHigh": matched(`^pack 1`, "pack 512"),
		"PackMissing": matched(`^pack 1 .*\n`, ""), "PackTooMany": matched(`^(pack )1( .*\n)`, "${1}1${2}${1}2$2"), "FirstPackMissing": matched(`^pack 0 .*\n`, ""),
		"NoPacks": matched(`(?s)^pack .*\ndelta`, "delta"), "PackWithVersion": matched(`^pack 1`, "pack 1 101"), "PackHashUpperCase": matched(`^pack 1 .*`, "pack 1 "+hash),
		"ShardCountTooHigh": matched(`^shards \d+`, "shards 65537"), "ShardCountWithLeadingZero": matched(`^shards `, "shards 0"), "NoShardCount": matched(`^shards .*\n`, ""),
		"ShardCountOfOnePack": matched(`^shards \d+`, "shards 128"), "ShardCountOfThreePacks": matched(`^shards \d+`, "shards 257"), "FlatShards": matched(`^(pack 0 .*\n)`, "shard 0 101 "+strings.ToLower(hash)+"\n$1"),
		"NoDelta": matched(`^delta .*\n`, ""), "DeltaTwice": matched(`^(delta .*\n)`, "$1$1"), "DeltaSinceLater": matched(`^delta \d+`, "delta 102"),
		"DeltaSinceZero": matched(`^delta \d+`, "delta 0"), "DeltaBeforePacks": matched(`(?s)^(pack .*\n)(delta .*\n)`, "$2$1"),
	} {
		d := next().wide()
		d.edit["status"] = edit
		add("status "+name, d, trust.ErrSyntax)
	}
	for name, edit := range map[string]func([]byte) []byte{
		"TenantTwice": matched(`^(tenant BETA01 .*\n)`, "$1$1"), "KeyOfNobody": matched(`^tenant ACME01 .*\n`, ""), "UnknownTenantState": matched(`^tenant ACME01 active`, "tenant ACME01 trusted"),
		"UnknownAlgorithm": swapped("Ed25519", "RSA"), "NameWithControlCharacter": swapped("Acme", "Ac\u202eme"),
	} {
		d := next()
		d.edit["bundle"] = edit
		add("bundle "+name, d, nil)
	}
}

// rootForgeries: the root after the held one, and chains.
func rootForgeries(add adder) {
	with := func(name string, want error, change func(d *docs), by ...*trust.Signer) {
		d := next().nextRoot(by...)
		change(d)
		add("root "+name, d, want)
	}
	same := func(*docs) {}
	keys := func(threshold int, list ...*trust.Signer) func(d *docs) {
		return func(d *docs) {
			d.root.Threshold, d.root.Keys = threshold, nil
			for _, k := range list {
				d.root.Keys = append(d.root.Keys, k.Key())
			}
		}
	}
	online := func(s *trust.Signer) func(d *docs) { return func(d *docs) { d.root.Online = s.Key() } }
	with("NewRootBelowThreshold", trust.ErrThreshold, same, rootA)
	with("NewRootNotSignedByItself", trust.ErrThreshold, keys(1, thief), rootA, rootB)
	with("NewRootNotSignedByTheOneBefore", trust.ErrThreshold, keys(1, thief), thief)
	with("OneOldKeyAndTheThief", trust.ErrThreshold, keys(2, rootA, thief), rootA, thief)
	with("OneOldKeyAndTheThiefTwice", trust.ErrThreshold, keys(2, rootA, thief, thief2), rootA, thief, thief2)
	with("ThresholdLoweredByOneKey", trust.ErrThreshold, keys(1, rootA), rootA)
	with("ThiefsOnlineKeyByOneKey", trust.ErrThreshold, online(thief), rootC)
	with("ThiefsOnlineKeyByRetiredKeys", trust.ErrThreshold, online(thief), oldA, oldB)
	with("ThiefsOnlineKeyByTheOnlineKey", trust.ErrThreshold, online(thief), forgedKey("online"))
	with("RetiredKeysAsTheNewOnes", trust.ErrThreshold, keys(2, oldA, oldB), oldA, oldB)
	with("NewRootNonconsecutiveVersion", trust.ErrRootChain, func(d *docs) { d.root.Version = 5 }, rootA, rootB)
	with("NewRootFastForward", trust.ErrRootChain, func(d *docs) { d.root.Version = trust.MaxVersion }, rootA, rootB)
	with("NewRootSameVersionOtherContent", trust.ErrRootChain, func(d *docs) { d.root.Version = 3 }, rootA, rootB)
	with("NewRootOlderVersionOtherContent", trust.ErrRootChain, func(d *docs) { d.root.Version = 2 }, rootA, rootB)
	with("NewRootOfVersionOne", trust.ErrFingerprint, func(d *docs) { d.root.Version = 1 }, rootA, rootB)
	with("RootSignedTwiceByOneKey", trust.ErrThreshold, func(d *docs) {
		d.after["root"] = func(raw []byte) []byte { return append(raw, last(raw)...) }
	}, rootA)
	with("RootSignedByOneKeyUnderTwoNames", trust.ErrThreshold, same, rootA, named("root-b", "root-a"))
	with("ForeignFingerprint", trust.ErrForeignRoot, func(d *docs) { d.edit["root"] = matched(`[0-9a-f]{64}`, trust.Fingerprint{1}.String()) }, rootA, rootB)

	d := next().nextRoot(thief, thief2)
	keys(2, thief, thief2)(d)
	online(forgedKey("thief-online"))(d)
	for _, kind := range []string{"timestamp", "bundle", "status"} {
		d.sign[kind] = signedBy(forgedKey("thief-online"))
	}
	add("root AllOfItByTheThief", d, trust.ErrThreshold)

	d = next().nextRoot(rootA, rootB)
	d.root.Version = 5
	bad := next().nextRoot(thief)
	d.roots = append(d.roots, bad.note("root", *bad.root))
	add("root IntermediateRootIncorrectlySigned", d, trust.ErrThreshold)
}

// rootTextForgeries: roots that all keys have signed, but whose text is wrong.
func rootTextForgeries(add adder) {
	with := func(name string, want error, edit func([]byte) []byte) {
		d := next().nextRoot(rootA, rootB, rootC)
		d.edit["root"] = edit
		add("root "+name, d, want)
	}
	key := func(s *trust.Signer) string { return "key " + s.Key().String() + "\n" }
	more := ""
	for i := range 33 {
		more += key(forgedKey(fmt.Sprint("more-", i)))
	}
	lowOrder := "key test/low+00000000+" + base64.StdEncoding.EncodeToString(append([]byte{1}, make([]byte, 32)...)) + "\n"
	with("ThresholdZero", trust.ErrSyntax, swapped("threshold 2", "threshold 0"))
	with("ThresholdAboveTheKeys", trust.ErrSyntax, swapped("threshold 2", "threshold 4"))
	with("ThresholdNegative", trust.ErrSyntax, swapped("threshold 2", "threshold -1"))
	with("NoThreshold", trust.ErrSyntax, swapped("threshold 2\n", ""))
	with("NoKeys", trust.ErrSyntax, matched(`(?s)key .*\nonline`, "online"))
	with("TooManyKeys", trust.ErrSyntax, swapped("online ", more+"online "))
	with("KeyTwice", trust.ErrSyntax, swapped(key(rootA), key(rootA)+key(rootA)))
	with("KeyTwiceUnderTwoNames", trust.ErrSyntax, swapped(key(rootC), key(rootC)+key(named("root-d", "root-a"))))
	with("KeysOutOfOrder", trust.ErrSyntax, swapped(key(rootA)+key(rootB), key(rootB)+key(rootA)))
	with("KeyHashWrong", trust.ErrSyntax, matched(`root-a\+[0-9a-f]{8}`, "root-a+00000000"))
	with("KeyOfSmallOrder", trust.ErrSyntax, swapped(key(rootA), lowOrder))
	with("KeyNameWithBlank", trust.ErrSyntax, swapped("key test/root-a", "key test root-a"))
	with("OnlineKeyIsARootKey", trust.ErrSyntax, matched(`online .*`, "online "+rootA.Key().String()))
	with("OnlineKeyIsARootKeyUnderAnotherName", trust.ErrSyntax, matched(`online .*`, "online "+named("online", "root-a").Key().String()))
	with("NoOnlineKey", trust.ErrSyntax, matched(`online .*\n`, ""))
	with("TwoOnlineKeys", trust.ErrSyntax, matched(`(online .*\n)`, "$1$1"))
	with("VersionZero", trust.ErrSyntax, swapped("version 4", "version 0"))
	with("VersionLeadingZero", trust.ErrSyntax, swapped("version 4", "version 04"))
	with("ExpiryIsNoTime", trust.ErrSyntax, matched(`^expires .*`, "expires never"))
	with("ExpiryWithFraction", trust.ErrSyntax, matched(`^expires (.*)Z`, "expires ${1}.1Z"))
	with("TrailingLine", trust.ErrSyntax, func(t []byte) []byte { return append(t, "witness x\n"...) })
	with("OtherFormat", trust.ErrTypeLine, swapped("tcode-trust/1", "tcode-trust/0"))
	for _, as := range []string{"timestamp", "bundle", "status"} {
		with("TypeIs "+as, trust.ErrTypeLine, swapped("tcode-trust/1 root", "tcode-trust/1 "+as))
	}
	with("CarriageReturns", nil, func(t []byte) []byte { return bytes.ReplaceAll(t, []byte("\n"), []byte("\r\n")) })
	d := next().nextRoot(rootA, rootB)
	d.late["root"] = func(raw []byte) []byte { return append(raw, bytes.Repeat([]byte("x"), trust.MaxRootLen)...) }
	add("root Oversize", d, nil)
	d = next().nextRoot(rootA, rootB)
	d.late["root"] = func([]byte) []byte { return []byte("<html>sign in</html>\n") }
	add("root Portal", d, trust.ErrTypeLine)
}

// setForgeries: correct signatures on documents that do not fit together or are
// older.
func setForgeries(add adder) {
	held := func() forged { return newDocs(100, 0).assemble() }
	older := func() forged { return newDocs(99, -1).assemble() }
	with := func(name string, want error, change func(d *docs)) {
		d := next()
		change(d)
		add(name, d, want)
	}
	serve := func(kind string, raw []byte) func(d *docs) {
		return func(d *docs) { d.late[kind] = func([]byte) []byte { return raw } }
	}
	add("TimestampRollback", newDocs(99, -1), trust.ErrRollback)
	add("TimestampRollbackToTheFirst", newDocs(1, 1), trust.ErrRollback)
	add("TimestampSameVersionOtherContent", newDocs(100, 1), trust.ErrConflict)
	with("TimestampRollbackNewDate", trust.ErrRollback, func(d *docs) { d.timestamp.Version = 99 })
	with("BundleRollback", trust.ErrRollback, func(d *docs) { d.bundle.Version = 99 })
	with("StatusRollback", trust.ErrRollback, func(d *docs) { d.status.Version = 99 })
	with("BundleSameVersionOtherContent", trust.ErrConflict, func(d *docs) { d.bundle.Version = 100 })
	with("StatusSameVersionOtherContent", trust.ErrConflict, func(d *docs) { d.status.Version = 100 })
	with("BundleVersionMismatch", trust.ErrVersion, func(d *docs) { d.timestamp.Bundle.Version = 102 })
	with("StatusVersionMismatch", trust.ErrVersion, func(d *docs) { d.timestamp.Status.Version = 102 })
	with("BundleFastForwardInTheTimestampOnly", trust.ErrVersion, func(d *docs) { d.timestamp.Bundle.Version = trust.MaxVersion })
	with("MixAndMatchHeldBundle", trust.ErrHash, func(d *docs) { serve("bundle", held().bundle)(d) })
	with("MixAndMatchHeldStatus", trust.ErrHash, func(d *docs) { serve("status", held().status)(d) })
	with("MixAndMatchOlderBundle", trust.ErrHash, func(d *docs) { serve("bundle", older().bundle)(d) })
	with("MixAndMatchOlderStatus", trust.ErrHash, func(d *docs) { serve("status", older().status)(d) })
	with("MixAndMatchBundleForStatus", nil, func(d *docs) { serve("status", newDocs(101, 1).assemble().bundle)(d) })
	with("MixAndMatchStatusForBundle", trust.ErrHash, func(d *docs) { serve("bundle", newDocs(101, 1).assemble().status)(d) })
	with("MixAndMatchTimestampForBundle", trust.ErrHash, func(d *docs) { serve("bundle", newDocs(101, 1).assemble().timestamp)(d) })
	with("HashesSwapped", nil, func(d *docs) {
		f := newDocs(101, 1).assemble()
		d.timestamp.Bundle = trust.RefTo(101, f.status)
		d.timestamp.Status = trust.RefTo(101, f.bundle)
	})
	with("BundleForTimestamp", trust.ErrTypeLine, func(d *docs) { serve("timestamp", newDocs(101, 1).assemble().bundle)(d) })
	with("StatusForTimestamp", trust.ErrTypeLine, func(d *docs) { serve("timestamp", newDocs(101, 1).assemble().status)(d) })
	with("RootForTimestamp", trust.ErrTypeLine, func(d *docs) { serve("timestamp", d.roots[2])(d) })
	for _, kind := range []string{"timestamp", "bundle", "status"} {
		with(kind+" Missing", nil, func(d *docs) { d.drop[kind] = true })
		with(kind+" Empty", nil, func(d *docs) { serve(kind, []byte{})(d) })
		with(kind+" Portal", nil, func(d *docs) { serve(kind, []byte("<html>sign in</html>\n"))(d) })
		with(kind+" CutShort", nil, func(d *docs) { d.late[kind] = func(raw []byte) []byte { return raw[:len(raw)/2] } })
		with(kind+" OneByteMore", nil, func(d *docs) { d.late[kind] = func(raw []byte) []byte { return append(raw, '\n') } })
		with(kind+" Oversize", nil, func(d *docs) {
			most := map[string]int{"timestamp": trust.MaxTimestampLen, "bundle": trust.MaxBundleLen, "status": trust.MaxStatusLen}[kind]
			serve(kind, bytes.Repeat([]byte("x"), most+1))(d)
		})
	}
	with("WrongHashOfBundle", trust.ErrHash, func(d *docs) { d.timestamp.Bundle.SHA256 = digest.SHA256{1} })
	with("WrongHashOfStatus", nil, func(d *docs) { d.timestamp.Status.SHA256 = digest.SHA256{1} })
	with("BundleSignedAnew", trust.ErrHash, func(d *docs) { // the same text with one more signature is another file
		d.late["bundle"] = signedBy(thief)
	})
	with("ThiefsIssuer", trust.ErrForeignKey, func(d *docs) {
		key, err := payload.KeyOf(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, 32)).Public())
		if err != nil {
			panic(err)
		}
		d.bundle.Keys[0].Public = key
		d.sign["bundle"], d.sign["timestamp"] = signedBy(thief), signedBy(thief)
	})
	with("FastForward", trust.ErrForeignKey, func(d *docs) {
		d.timestamp.Version, d.timestamp.StatusAsOf, d.timestamp.Expires = trust.MaxVersion, forgedDay.AddDate(400, 0, 0), forgedDay.AddDate(401, 0, 0)
		d.sign["timestamp"] = signedBy(thief)
	})
	with("FastForwardByTheRetiredKey", trust.ErrForeignKey, func(d *docs) {
		d.timestamp.Version = trust.MaxVersion
		for _, kind := range []string{"timestamp", "bundle", "status"} {
			d.sign[kind] = signedBy(oldOnline)
		}
	})
}
