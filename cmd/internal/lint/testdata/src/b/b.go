// Package b starts goroutines, in good and bad ways.
package b

import (
	"context"
	"sync"
	clock "time"

	"tcode/offline/contain"
)

const name = "row"

func f(ctx context.Context, do func() error) {
	go do()                               // want "a panic in this goroutine ends the process"
	go func() { _ = do() }()              // want "a panic in this goroutine ends the process"
	var wait sync.WaitGroup               //
	wait.Go(func() { _ = do() })          // want "use a contain.Group"
	clock.AfterFunc(clock.Second, f2)     // want "use contain.AfterFunc or contain.After"
	context.AfterFunc(ctx, f2)            // want "use contain.AfterFunc or contain.After"
	_ = contain.Do("Row", do)             // want "lower-case words with hyphens"
	_ = contain.Do(name, do)              // want "lower-case words with hyphens"
	contain.AfterFunc(ctx, "a row", f2)   // want "lower-case words with hyphens"
	_ = contain.Abandon(name, nil, nil)   // want "lower-case words with hyphens"
	_ = contain.Do("row-2", do)           //
	contain.AfterFunc(ctx, "row-end", f2) //
	var group contain.Group
	group.Go("row", do)
	group.Go("", do) // want "lower-case words with hyphens"
	//contain:none it cannot panic
	go f2()
	//contain:none
	go f2() // want "a panic in this goroutine ends the process"
}

func f2() {}
