package metrics

import (
	"context"
	"time"
)

// A Health is what an operator must renew or look at. Zero times: never, or not known.
type Health struct {
	RootExpires   time.Time // of the trust root
	OnlineKeyHeld bool      // the gateway has the key that signs the trust documents
	Backup, Fsck  time.Time // when they last ended
	Free, Size    int64     // of the disk of the data folder, in bytes; zero size: not known
}

// The causes of outages: requests that failed because of something around the gateway.
const (
	CauseDatabase = "database"
	CauseFiles    = "files"
	CauseKeys     = "keys"
	CauseMachine  = "machine" // processes, memory, open files
)

var (
	outages    = newFamily("outages_total", "Answers that failed because of something around the gateway: database, files, keys, machine (processes, memory, open files).", "cause")
	background = newFamily("background_errors_total", "Background work that failed and is tried again, by kind.", "kind")
	contained  = newFamily("contained_faults_total", "Items of a kind (documents, rows, requests ...) that were lost to a panic or a hang, while others went on.", "item", "kind")

	ready        = newFamily("ready", "1: /readyz answers 200. 0: the gateway cannot serve, or cannot store documents; /readyz says why.")
	rootExpires  = newFamily("root_expiry_timestamp_seconds", "When the trust root ends: devices then refuse everything newer.")
	onlineHeld   = newFamily("online_key_held", "1: the gateway has the key that signs the trust documents.")
	lastBackup   = newFamily("last_backup_timestamp_seconds", "When tcode-gateway backup last ended well; absent: never.")
	lastFsck     = newFamily("last_fsck_timestamp_seconds", "When tcode-gateway fsck last ran; absent: never.")
	diskFree     = newFamily("disk_free_bytes", "Free space on the disk of the data folder.")
	diskSize     = newFamily("disk_size_bytes", "Size of the disk of the data folder.")
	behind       = newFamily("hung_items", "Items (documents, rows, requests ...) that did not end in their time and still go on.")
	childrenLost = newFamily("child_processes_replaced_total", "Child processes that ended or were ended before their time: crashes, limits, tasks that failed or were cancelled.", "role")
)

// health describes and gives the samples of this file.
func (s *sources) health(ctx context.Context, gauge sampler) {
	if s.Ready != nil {
		gauge(ready, truth(s.Ready(ctx) == nil))
	}
	h, ok := ask(ctx, s, "health", s.Health)
	if !ok {
		return
	}
	for d, at := range map[*family]time.Time{rootExpires: h.RootExpires, lastBackup: h.Backup, lastFsck: h.Fsck} {
		if !at.IsZero() {
			gauge(d, float64(at.Unix()))
		}
	}
	gauge(onlineHeld, truth(h.OnlineKeyHeld))
	if h.Size > 0 {
		gauge(diskFree, float64(h.Free))
		gauge(diskSize, float64(h.Size))
	}
}

// truth is 1 for true.
func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// The kinds of contained faults.
const (
	FaultPanic = "panic"
	FaultHang  = "hang"
)

// Contained counts one lost item. kind is one of the Fault constants.
func (m *Metrics) Contained(item, kind string) { m.counter(contained, item, kind).Inc() }

// Outage counts an answer that failed because of cause.
func (m *Metrics) Outage(cause string) { m.counter(outages, cause).Inc() }

// Background counts failed background work of a kind. Zero makes the kind known.
func (m *Metrics) Background(kind string, failed int) {
	m.counter(background, kind).Add(failed)
}
