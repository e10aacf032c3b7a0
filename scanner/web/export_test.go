package web

import (
	"io/fs"
	"net/http"
)

// NewWith returns an app of other files, for tests.
func NewWith(app, engine fs.FS) http.Handler { return newApp(app, engine) }

// Files are the app's own files.
func Files() fs.FS { return sub(appFiles, "app") }

// BuiltFiles are those of the engine, none if it was not built.
func BuiltFiles() fs.FS { return sub(builtFiles, "built") }
