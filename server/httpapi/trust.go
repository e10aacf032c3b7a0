package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"tcode/server/httpapi/gate"
	"tcode/server/publish"
)

const (
	forever = "public, max-age=31536000, immutable" // content behind a hash or a version
	recheck = "no-cache"                            // a cache may keep it, but must revalidate it
)

// trustRoot serves one version of the trust root.
func (a *app) trustRoot(c echo.Context) error {
	version, err := strconv.ParseUint(gate.PathParam(c, "version"), 10, 64)
	if err != nil {
		return gate.NotFound("root version")
	}
	data, err := a.c.Trust.Root(c.Request().Context(), version)
	return a.published(c, data, publish.TypeNote, forever, err)
}

// trustTimestamp serves the newest timestamp document.
func (a *app) trustTimestamp(c echo.Context) error {
	data, err := a.c.Trust.Timestamp(c.Request().Context())
	return a.published(c, data, publish.TypeNote, recheck, err)
}

// trustTime answers a nonce with a note that no gateway can have made before. The
// pipeline has checked the form of the nonce; a proxy must not store the answer.
func (a *app) trustTime(c echo.Context) error {
	raw, err := hex.DecodeString(c.QueryParam("nonce"))
	if err != nil || len(raw) != 32 {
		return gate.Invalid(gate.Fields{"nonce": {"must be 32 bytes in lower-case hexadecimal"}})
	}
	data, err := a.c.Trust.Time(c.Request().Context(), [32]byte(raw))
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.Blob(http.StatusOK, publish.TypeNote, data)
}

// trustPack serves a pack with its shards by the hash of the pack.
func (a *app) trustPack(c echo.Context) error {
	data, err := a.c.Trust.Pack(c.Request().Context(), gate.PathParam(c, "sha256"))
	return a.published(c, data, publish.TypeShard, forever, err)
}

// trustObject serves a document, pack, delta or shard by its hash.
func (a *app) trustObject(c echo.Context) error {
	data, contentType, err := a.c.Trust.Object(c.Request().Context(), gate.PathParam(c, "sha256"))
	return a.published(c, data, contentType, forever, err)
}

// published answers with a trust document; http.ServeContent compares the
// strong ETag with If-None-Match.
func (a *app) published(c echo.Context, data []byte, contentType, cache string, err error) error {
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	h := c.Response().Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", cache)
	h.Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
	c.Request().Header.Del("Range") // a part of a signed document is of no use
	return serveContent(c, bytes.NewReader(data))
}
