package server

import "net/http"

// PlacedForTest is how a template becomes geometry.
var PlacedForTest = placed

// WatchHandlerForTest serves the requests of those who watch a gateway.
func WatchHandlerForTest(g *Gateway) http.Handler { return g.watchHandler(http.NotFoundHandler()) }
