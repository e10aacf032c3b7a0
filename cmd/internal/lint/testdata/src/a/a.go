// Package a has lines of a log, good and bad ones.
package a

import (
	"context"
	"log/slog"
	"time"
)

const key = "wait_s"

func logs(ctx context.Context, log *slog.Logger, d time.Duration, n int) {
	log.Info("good", slog.Float64("took_ms", d.Seconds()*1000), slog.Int("size_bytes", n), slog.Int64(key, int64(d/time.Second)), slog.Int("count", n), slog.Time("at", time.Now()))
	log.Info("good", slog.Int64(ctx.Err().Error()+"_ms", slog.DurationValue(d).Duration().Milliseconds()))
	log.Info("a duration", slog.Duration("took_ms", d))             // want "without a unit"
	log.Info("another", slog.Any("took", d))                        // want "without a unit"
	slog.Info("a size", slog.Int("size", n))                        // want "the key \"size\" has no unit"
	slog.InfoContext(ctx, "bytes", slog.Uint64("bytes", uint64(n))) // want "the key \"bytes\" has no unit"
	log.Warn("by its type", slog.Int64("rest", d.Milliseconds()))   // want "the key \"rest\" has no unit"
	log.Warn("by its type", slog.Int("rest", int(d.Hours()/24)))    // want "the key \"rest\" has no unit"
	log.Error("not a constant", slog.Int(time.Now().String(), n))   // want "is a constant"
	log.ErrorContext(ctx, "pairs", "took", d)                       // want "is a slog.Attr"
	log.With("size", n).Info("pairs")                               // want "is a slog.Attr"
	log.LogAttrs(ctx, slog.LevelInfo, "wait", slog.Int("wait", n))  // want "the key \"wait\" has no unit"
	log.Log(ctx, slog.LevelInfo, "pairs", "n", n)                   // want "is a slog.Attr"
}
