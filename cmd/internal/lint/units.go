package main

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// units requires that attributes of the log name the unit of times and sizes, because a number in
// a JSON log has none: took_ms, size_bytes. It also requires attributes as values of
// slog.Attr, whose keys it sees.
var units = &analysis.Analyzer{
	Name: "logunits",
	Doc:  "check that log attributes about durations and sizes name their unit",
	Run:  checkUnits,
}

var (
	// unitSuffix ends the key of a number with a unit.
	unitSuffix = regexp.MustCompile(`_(ns|us|ms|s|min|h|days|bytes|kib|mib|gib)$`)
	// measured are keys that say that a number is a time or a size.
	measured = regexp.MustCompile(`(?i)(took|wait|waited|duration|elapsed|latency|delay|timeout|age|ttl|interval|every|drain|linger|left|size|length|bytes|memory|room|free|reserved)$`)
	// numbers are the functions of log/slog that make an attribute of a number.
	numbers = map[string]bool{"Int": true, "Int64": true, "Uint64": true, "Float64": true}
	// lines are the methods and functions of log/slog that write a line.
	lines = regexp.MustCompile(`^(Debug|Info|Warn|Error|Log|With)(Context)?$`)
)

func checkUnits(pass *analysis.Pass) (any, error) {
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := slogFunction(pass, call)
			switch {
			case name == "":
			case name == "Duration":
				pass.Reportf(call.Pos(), "a duration in a JSON log is a number without a unit: use slog.Float64 or slog.Int64 with a key such as took_ms")
			case numbers[name] && len(call.Args) == 2:
				checkKey(pass, call)
			case name == "Any" && len(call.Args) == 2 && isDuration(pass.TypesInfo.TypeOf(call.Args[1])):
				pass.Reportf(call.Pos(), "a duration in a JSON log is a number without a unit: use slog.Float64 or slog.Int64 with a key such as took_ms")
			case lines.MatchString(name):
				checkArguments(pass, call)
			}
			return true
		})
	}
	return nil, nil
}

// slogFunction returns the name of a function or method of log/slog; empty: another one.
func slogFunction(pass *analysis.Pass, call *ast.CallExpr) string {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	f, ok := pass.TypesInfo.Uses[selector.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "log/slog" {
		return ""
	}
	if method := f.Signature().Recv() != nil; method && !lines.MatchString(f.Name()) {
		return "" // of a value
	}
	return f.Name()
}

// checkKey requires a unit in the key of a number that is a time or a size.
func checkKey(pass *analysis.Pass, call *ast.CallExpr) {
	expression := call.Args[0]
	if sum, ok := expression.(*ast.BinaryExpr); ok {
		expression = sum.Y // the end of the key
	}
	value := pass.TypesInfo.Types[expression].Value
	if value == nil || value.Kind() != constant.String {
		pass.Reportf(call.Pos(), "the key of a log attribute, or its end, is a constant")
		return
	}
	key := constant.StringVal(value)
	if unitSuffix.MatchString(key) {
		return
	}
	fromDuration := false
	ast.Inspect(call.Args[1], func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && isDuration(pass.TypesInfo.TypeOf(e)) {
			fromDuration = true
		}
		return !fromDuration
	})
	if fromDuration || measured.MatchString(key) {
		pass.Reportf(call.Pos(), "the key %q has no unit, such as _ms or _bytes", key)
	}
}

// isDuration reports whether t is time.Duration.
func isDuration(t types.Type) bool {
	named, ok := t.(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "time" && named.Obj().Name() == "Duration"
}

// checkArguments requires slog.Attr for the attributes of a line.
func checkArguments(pass *analysis.Pass, call *ast.CallExpr) {
	f := call.Fun.(*ast.SelectorExpr)
	signature, ok := pass.TypesInfo.TypeOf(f).(*types.Signature)
	if !ok || !signature.Variadic() || call.Ellipsis.IsValid() {
		return
	}
	for _, arg := range call.Args[min(signature.Params().Len()-1, len(call.Args)):] {
		if t := pass.TypesInfo.TypeOf(arg); t != nil && !strings.HasSuffix(t.String(), "log/slog.Attr") {
			pass.Reportf(arg.Pos(), "an attribute of the log is a slog.Attr, such as slog.String(\"key\", value)")
			return
		}
	}
}
