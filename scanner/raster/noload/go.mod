// This module takes the place of github.com/ebitengine/purego (../../../go.mod). See noload.go.
module github.com/ebitengine/purego

go 1.26.0
