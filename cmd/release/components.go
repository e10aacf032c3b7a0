package main

import "embed"

// Texts of components that modules contain without their licences.
//
//go:embed components
var componentTexts embed.FS

// A component is code of others that a module contains in another form than
// Go: as WebAssembly, as a C library, as a script or a font.
type component struct {
	module  string
	name    string
	licence string // SPDX expression
	text    string // file in the folder components, or with a slash: "MODULE//FILE", a file of a module
}

// apache is a copy of the Apache licence.
const apache = "github.com/tetratelabs/wazero//LICENSE"

const (
	pdfium = "github.com/klippa-app/go-pdfium"
	fitz   = "github.com/gen2brain/go-fitz"
	heic   = "github.com/gen2brain/heic"
	avif   = "github.com/gen2brain/avif"
	swgui  = "github.com/swaggest/swgui"
)

// contained lists them. The texts of MuPDF's parts and of the libraries in PDFium
// are those that Debian collected of the same libraries.
var contained = []component{
	{pdfium, "PDFium", "BSD-3-Clause", "pdfium"},
	{pdfium, "PDFium", "Apache-2.0", apache},
	{pdfium, "Abseil, fast_float in PDFium", "Apache-2.0", apache},
	{pdfium, "Anti-Grain Geometry in PDFium", "LicenseRef-AGG", "agg"},
	{pdfium, "FreeType in PDFium", "FTL", "freetype"},
	{pdfium, "ICU in PDFium", "Unicode-3.0", "icu"},
	{pdfium, "Little CMS in PDFium", "MIT", "lcms2"},
	{pdfium, "libjpeg-turbo in PDFium", "IJG AND BSD-3-Clause", "libjpeg"},
	{pdfium, "OpenJPEG in PDFium", "BSD-2-Clause", "openjpeg"},
	{pdfium, "zlib in PDFium", "Zlib", "zlib"},
	{fitz, "MuPDF, its tables and fonts", "AGPL-3.0-or-later", "mupdf"},
	{fitz, "FreeType in MuPDF", "FTL", "freetype"},
	{fitz, "Gumbo in MuPDF", "Apache-2.0", "gumbo"},
	{fitz, "HarfBuzz in MuPDF", "MIT-Modern-Variant", "harfbuzz"},
	{fitz, "jbig2dec in MuPDF", "AGPL-3.0-or-later", "jbig2dec"},
	{fitz, "Little CMS in MuPDF", "MIT", "lcms2"},
	{fitz, "libjpeg in MuPDF", "IJG", "libjpeg"},
	{fitz, "MuJS in MuPDF", "ISC", "mujs"},
	{fitz, "OpenJPEG in MuPDF", "BSD-2-Clause", "openjpeg"},
	{fitz, "zlib in MuPDF", "Zlib", "zlib"},
	{heic, "libheif 1.18.2", "LGPL-3.0-or-later", heic + "//lib/LICENSE.libheif"},
	{heic, "libde265 1.0.15", "LGPL-3.0-or-later", heic + "//lib/LICENSE.libde265"},
	{avif, "libavif, libyuv", "BSD-2-Clause AND BSD-3-Clause", avif + "//lib/LICENSE.libavif"},
	{avif, "aom", "BSD-2-Clause", avif + "//lib/LICENSE.aom"},
	{swgui, "Swagger UI", "Apache-2.0", apache},
	{swgui, "Swagger UI, notice", "", "swagger-notice"},
	{swgui, "scripts in Swagger UI", "MIT AND BSD-3-Clause", "swagger-bundle"},
	{"github.com/pdfcpu/pdfcpu", "Roboto", "Apache-2.0", apache},
}
