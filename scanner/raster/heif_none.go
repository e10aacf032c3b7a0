//go:build windows && !nodynamic

package raster

import "errors"

// hasHEIF says that this build has the decoders of HEIC and AVIF.
const hasHEIF = false

// errDynamic: on Windows the modules that embed the decoders look for a DLL of the system when the program starts, and
// only the build tag prevents that.
var errDynamic = errors.New("this program was built without -tags nodynamic")

func heicModule() ([]byte, error) { return nil, errDynamic }

func avifModule() ([]byte, error) { return nil, errDynamic }
