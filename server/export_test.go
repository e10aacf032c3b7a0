package server

import "context"

// PlacedForTest is how a template becomes geometry.
var PlacedForTest = placed

// Steady runs a service.
var Steady = steady

// ReadyForTest returns why a gateway is not ready.
func (g *Gateway) ReadyForTest(ctx context.Context) error { return g.ready(ctx) }

// ClosePicturesForTest ends the processes that make PDFs of pictures.
func (g *Gateway) ClosePicturesForTest() { g.pictures.Close() }
