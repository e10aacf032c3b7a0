package server

import "net/http"

// PlacedForTest is how a template becomes geometry.
var PlacedForTest = placed

// WatchHandlerForTest is what whoever watches a gateway asks.
func WatchHandlerForTest(g *Gateway) http.Handler { return g.watchHandler(http.NotFoundHandler()) }
