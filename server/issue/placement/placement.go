// Package placement holds placement templates: the place of the symbol on a page, the
// pages, its size, and its caption and ground.
//
//	Spec ─▶ Check ─▶ Template (version 1) ── Update ──▶ version 2, 3, ...  ── Delete ──▶ hidden
//	                     │                                                                    │
//	                     └──────────────── stamps made with it name it permanently ◀──────────┘
//
// A template is data: package pdfstamp knows the geometry, and the gateway passes the
// template on. For a member that is left out the default applies, as without a
// template.
package placement

import (
	"tcode/offline/geometry"
	"tcode/server/issue"
)

// Limits on a template, in characters.
const (
	MaxName        = 200
	MaxDescription = 500
	MaxCustomPages = 200
	MaxCaption     = 200
)

// A Spec holds the settings of a template. Members that are nil or empty were left
// out. The store keeps it in its JSON form.
//
// Fractions are of the visible page (its CropBox, turned as it is shown),
// origin at the top left. With a page size, WNorm and HNorm are fractions of
// that page instead: the symbol then has the size in mm that it was designed
// with, on a page of any size.
type Spec struct {
	Name        string `json:"-"`
	Description string `json:"-"`

	XNorm       *float64          `json:"xNorm,omitempty"` // where the box's anchor point lies; both or none
	YNorm       *float64          `json:"yNorm,omitempty"`
	WNorm       *float64          `json:"wNorm,omitempty"` // bounds of the box with quiet zone
	HNorm       *float64          `json:"hNorm,omitempty"`
	Anchor      geometry.Anchor   `json:"anchor,omitempty"`
	PageScope   geometry.Scope    `json:"pageScope,omitempty"`
	CustomPages string            `json:"customPages,omitempty"`
	Rotation    *int              `json:"rotation,omitempty"` // degrees clockwise: 0, 90, 180, 270
	PageSizeMM  *geometry.Size    `json:"pageSizeMm,omitempty"`
	SafeMargins *geometry.Margins `json:"safeMargins,omitempty"`
	WhiteBox    *WhiteBox         `json:"whiteBox,omitempty"`
	Caption     *Caption          `json:"caption,omitempty"`
	ScanSafety  *ScanSafety       `json:"scanSafety,omitempty"`
	Link        Link              `json:"link,omitempty"` // empty: as LinkNone
}

// A Link leads from the paper to the page that checks the document.
type Link string

// The links.
const (
	LinkNone Link = "none"
	LinkQR   Link = "qr" // the address of the page as a QR code beside the symbol, which any phone opens
)

// A WhiteBox is the ground under the symbol.
type WhiteBox struct {
	Enabled   bool    `json:"enabled"`
	PaddingMM float64 `json:"paddingMm"` // beyond the quiet zone
	Opacity   float64 `json:"opacity"`   // 0 to 1
}

// A Caption is text beside the symbol.
type Caption struct {
	Enabled       bool          `json:"enabled"`
	Text          string        `json:"text,omitempty"`
	Position      geometry.Side `json:"position"`
	FontSizePt    float64       `json:"fontSizePt"`
	ShowReference bool          `json:"showReference"`
}

// ScanSafety holds the conditions for a readable symbol.
type ScanSafety struct {
	MinModuleMM      *float64  `json:"minModuleMm,omitempty"`
	QuietZoneModules float64   `json:"quietZoneModules"`
	Collision        Collision `json:"collision"`
	TargetDPI        int       `json:"targetDpi"`
	Rendering        Rendering `json:"rendering,omitempty"` // empty: as in DefaultScanSafety
}

// A Collision policy applies where the page is not empty.
type Collision string

// The policies.
const (
	CollisionAllow    Collision = "allow"
	CollisionWarn     Collision = "warn"
	CollisionReject   Collision = "reject"
	CollisionRelocate Collision = "relocate"
)

// A Rendering policy applies to a document that two engines draw differently. A page
// that looks different once it is stamped is always refused.
type Rendering string

// The policies.
const (
	RenderingReject Rendering = "reject" // refuse it, also where not all pages could be compared
	RenderingWarn   Rendering = "warn"   // stamp it and say so
	RenderingOff    Rendering = "off"    // do not compare: no stamp says that its document is plain
)

// The parts as they are where a member of them is left out.
var (
	DefaultMargins    = geometry.Margins{Top: 10, Right: 10, Bottom: 10, Left: 10}
	DefaultWhiteBox   = WhiteBox{Enabled: true, Opacity: 1}
	DefaultCaption    = Caption{Enabled: true, Position: geometry.Below, FontSizePt: 7, ShowReference: true}
	DefaultScanSafety = ScanSafety{QuietZoneModules: 2, Collision: CollisionWarn, TargetDPI: 300, Rendering: RenderingWarn}
)

// A Template is a stored [Spec].
type Template struct {
	Spec
	issue.Template
}
