package raster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// A wasmLibrary is a C library that a dependency embeds as a WebAssembly module, and the means that its instances get.
type wasmLibrary struct {
	name   string                      // as its makers write it
	module func() ([]byte, error)      // the bytes of the module
	memory int                         // bounds the memory of an instance, bytes
	first  string                      // function that an instance runs first; "": none
	host   map[string]api.GoModuleFunc // imported functions that do something

	once sync.Once // the program is made once in a process: in a child before it restricts itself
	code *program
	err  error
}

// program is a library as machine code, from which instances are made. An instance needs no executable memory and no
// file.
type program struct {
	library *wasmLibrary
	runtime wazero.Runtime
	code    wazero.CompiledModule
	spare   chan []byte // memory for the next instance: reserved before the address space is limited
}

// prepare compiles l or loads it from the folder cache, if that is not "". It is the Prepare of a sandbox role:
// afterwards the process may give up files and new executable memory.
func (l *wasmLibrary) prepare(cache string) error {
	l.once.Do(func() {
		l.code, l.err = l.newProgram(cache)
		debug.FreeOSMemory() // the compiler needs six times as much as its result
	})
	return l.err
}

func (l *wasmLibrary) newProgram(cache string) (*program, error) {
	wasm, err := l.module()
	if err != nil {
		return nil, err
	}
	if cache == "" || private(cache) != nil {
		return l.compile(wasm, nil)
	}
	if !filled(cache) { // only one of the children that start together compiles
		if unlock, err := lock(filepath.Join(cache, "lock")); err == nil {
			defer unlock()
		}
	}
	c, err := wazero.NewCompilationCacheWithDir(cache)
	if err != nil {
		return l.compile(wasm, nil)
	}
	p, err := l.compile(wasm, c)
	if err != nil { // the file was damaged, or the disk is full
		for _, name := range entries(cache) {
			_ = os.Remove(name)
		}
		return l.compile(wasm, nil)
	}
	return p, nil
}

// entries returns the files with machine code in the folder cache.
func entries(cache string) []string {
	names, _ := filepath.Glob(filepath.Join(cache, "wazero-*", "*")) // the pattern is well formed
	return names
}

// filled reports whether the folder cache holds machine code.
func filled(cache string) bool {
	for _, name := range entries(cache) {
		if !strings.HasSuffix(name, ".tmp") {
			return true
		}
	}
	return false
}

// compile makes the program. c may be nil.
func (l *wasmLibrary) compile(wasm []byte, c wazero.CompilationCache) (*program, error) {
	ctx := context.Background()
	config := wazero.NewRuntimeConfig(). // an interpreter where wazero has no compiler
						WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
						WithDebugInfoEnabled(false)
	if c != nil {
		config = config.WithCompilationCache(c)
	}
	p := &program{library: l, runtime: wazero.NewRuntimeWithConfig(ctx, config), spare: make(chan []byte, 1)}
	if b, err := reserve(l.memory); err == nil {
		p.spare <- b
	}
	var err error
	if p.code, err = p.runtime.CompileModule(ctx, wasm); err != nil {
		return nil, errors.Join(fmt.Errorf("compile %s: %w", l.name, err), p.runtime.Close(ctx))
	}
	if err := p.host(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("host functions of %s: %w", l.name, err), p.runtime.Close(ctx))
	}
	return p, nil
}

// Results of WASI's functions: there is no such file, and no such descriptor.
const (
	wasiNoDescriptor = 8
	wasiNoFile       = 44
)

// host defines the functions that the library imports. Only those of library.host do something: the others, for files,
// the clock, output and callbacks, fail or do nothing.
func (p *program) host(ctx context.Context) error {
	modules := map[string]wazero.HostModuleBuilder{}
	for _, f := range p.code.ImportedFunctions() {
		module, name, _ := f.Import()
		if modules[module] == nil {
			modules[module] = p.runtime.NewHostModuleBuilder(module)
		}
		answer := uint64(0)
		switch {
		case strings.HasPrefix(name, "path_"):
			answer = wasiNoFile
		case module == "wasi_snapshot_preview1":
			answer = wasiNoDescriptor
		}
		results := len(f.ResultTypes())
		do := api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
			if results > 0 {
				stack[0] = answer
			}
		})
		if own := p.library.host[name]; own != nil {
			do = own
		} else if name == "proc_exit" {
			do = func(context.Context, api.Module, []uint64) { panic(errAborted) }
		}
		modules[module].NewFunctionBuilder().WithGoModuleFunction(do, f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for _, m := range modules {
		if _, err := m.Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}

// outside is the data outside of its memory that an instance can access.
type outside struct {
	document []byte
	written  *bytes.Buffer // nil: nothing may be written
}

// outsideKey is the key of an *outside in the context of a call.
type outsideKey struct{}

// Errors of calls that end an instance.
var (
	errAborted   = errors.New("the library gave up")
	errExhausted = errors.New("the library needs more memory than it may have")
)

// stopped converts an error that ended an instance of l to one for people.
func (l *wasmLibrary) stopped(err error) *Error {
	if errors.Is(err, errExhausted) {
		return &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("%s needs more than %d MiB of memory", l.name, l.memory>>20)}
	}
	return &Error{Err: ErrDamaged, Detail: l.name + " gave up"}
}

// memory is the linear memory of an instance, of at most limit bytes. Growing moves no data, and the end of the instance
// returns all of it to the system immediately.
type memory struct {
	limit   int
	spare   chan []byte
	all     []byte
	refused bool // a growth beyond the limit was refused
}

// Allocate is called once for each instance.
func (m *memory) Allocate(_, _ uint64) experimental.LinearMemory {
	select {
	case m.all = <-m.spare:
	default:
		m.all, _ = reserve(m.limit) // without it, Reallocate fails
	}
	return m
}

// Reallocate returns the first size bytes.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		m.refused = true
		return nil
	}
	return m.all[:size:size]
}

// Free gives the memory back.
func (m *memory) Free() {
	b := m.all
	m.all = nil
	if b == nil {
		return
	}
	if !wipe(b) {
		release(b)
		return
	}
	select {
	case m.spare <- b:
	default:
		release(b)
	}
}

// instance is a library with a memory of its own. It belongs to one document and is of no use after an error of call.
type instance struct {
	ctx     context.Context
	module  api.Module
	memory  *memory
	outside *outside
}

// start makes an instance that reads document.
func (p *program) start(document []byte) (*instance, error) {
	i := &instance{memory: &memory{limit: p.library.memory, spare: p.spare}, outside: &outside{document: document}}
	i.ctx = context.WithValue(context.Background(), outsideKey{}, i.outside)
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").WithFSConfig(wazero.NewFSConfig())
	var err error
	if i.module, err = p.runtime.InstantiateModule(experimental.WithMemoryAllocator(i.ctx, i.memory), p.code, config); err != nil {
		i.memory.Free()
		return nil, fmt.Errorf("start %s: %w", p.library.name, err)
	}
	if p.library.first != "" {
		if _, err := i.call(p.library.first); err != nil {
			i.close()
			return nil, err
		}
	}
	return i, nil
}

func (i *instance) close() { _ = i.module.Close(i.ctx) }

// call calls a function of the library and returns its result, 0 if it has none.
func (i *instance) call(name string, args ...uint64) (uint64, error) {
	f := i.module.ExportedFunction(name)
	if f == nil {
		return 0, fmt.Errorf("the library has no function %s", name)
	}
	results, err := f.Call(i.ctx, args...)
	switch {
	case err != nil && i.memory.refused:
		return 0, fmt.Errorf("%s: %w", name, errExhausted)
	case err != nil:
		return 0, fmt.Errorf("%s: %w: %w", name, errAborted, err)
	case len(results) == 0:
		return 0, nil
	}
	return results[0], nil
}

// allocate returns the address of n bytes that begin with contents.
func (i *instance) allocate(n int, contents []byte) (uint64, error) {
	at, err := i.call("malloc", uint64(n))
	if err != nil {
		return 0, err
	}
	if at == 0 || !i.module.Memory().Write(uint32(at), contents) {
		return 0, errExhausted
	}
	return at, nil
}

// bytes returns n bytes of the memory, valid until the next call.
func (i *instance) bytes(at uint64, n int) ([]byte, error) {
	b, ok := i.module.Memory().Read(uint32(at), uint32(n))
	if !ok {
		return nil, fmt.Errorf("%w: %d bytes at %#x lie outside of its memory", errAborted, n, at)
	}
	return b, nil
}
