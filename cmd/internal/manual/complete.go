package manual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Completion returns the script that completes the program's commands and
// flags in a shell: bash, zsh, fish or powershell. It returns "" for another
// shell.
func Completion(app *kong.Application, shell string) string {
	writers := map[string]func(string, []command) string{"bash": bash, "zsh": zsh, "fish": fish, "powershell": powershell}
	if write := writers[shell]; write != nil {
		return write(app.Name, flatten(app))
	}
	return ""
}

// identifier is the name of a program as part of a shell function's name.
func identifier(program string) string { return strings.ReplaceAll(program, "-", "_") }

// single quotes a word for POSIX shells.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// valued returns the flags with a value, and the flags with a few possible values.
func valued(flags []flag) (with []string, of []flag) {
	for _, f := range flags {
		if f.value == "" {
			continue
		}
		with = append(with, f.name)
		if f.short != "" {
			with = append(with, f.short)
		}
		if len(f.values) > 0 {
			of = append(of, f)
		}
	}
	return with, of
}

// names returns the names of flags.
func names(flags []flag) (all []string) {
	for _, f := range flags {
		all = append(all, f.name)
	}
	return all
}

// shellTable writes the function that names what may follow the command at
// path, in the language that bash and zsh share.
func shellTable(b *strings.Builder, name string, all []command) {
	fmt.Fprintf(b, "_%s_at() {\n\twords= flags= valued= files=\n\tcase \"$1\" in\n", name)
	for _, c := range all {
		var words []string
		for _, w := range c.words {
			words = append(words, w.name)
		}
		flags := allFlags(all, c.path)
		with, _ := valued(flags)
		fmt.Fprintf(b, "\t%s) words=%s flags=%s valued=%s", single(c.path), single(strings.Join(words, " ")), single(strings.Join(names(flags), " ")), single(" "+strings.Join(with, " ")+" "))
		if c.file {
			b.WriteString(" files=1")
		}
		b.WriteString(" ;;\n")
	}
	b.WriteString("\t*) return 1 ;;\n\tesac\n}\n\n")
	fmt.Fprintf(b, "_%s_values() {\n\tchoices=\n\tcase \"$1 $2\" in\n", name)
	for _, c := range all {
		_, of := valued(c.flags)
		for _, f := range of {
			// A flag of a command is also one of the commands below it.
			pattern := single(c.path+" "+f.name) + "|" + single(c.path+" ") + "*" + single(" "+f.name)
			if c.path == "" {
				pattern = "*" + single(" "+f.name)
			}
			fmt.Fprintf(b, "\t%s) choices=%s ;;\n", pattern, single(strings.Join(f.values, " ")))
		}
	}
	b.WriteString("\tesac\n}\n\n")
}

// step ends the loop of bash and of zsh over the words before the cursor: a word that is
// a command of the command so far becomes part of it, and behind any other word there are
// no commands.
const step = `		if [[ " $words " == *" $word "* ]] && _%[1]s_at "${at:+$at }$word"; then
			at=${at:+$at }$word
		else
			_%[1]s_at "$at"
			words=
		fi
	done
`

// bash makes the script for bash 3.2 and later.
func bash(program string, all []command) string {
	var b strings.Builder
	name := identifier(program)
	fmt.Fprintf(&b, "# Completion of %s for bash. Use it by: source <(%s completion bash)\n\n", program, program)
	shellTable(&b, name, all)
	fmt.Fprintf(&b, `_%[1]s() {
	local cur=${COMP_WORDS[COMP_CWORD]} before='' at='' words flags valued files choices word i
	_%[1]s_at ''
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case $word in
		=) continue ;;
		-*=*) continue ;;
		-*)
			if [[ $valued == *" $word "* ]]; then
				[[ ${COMP_WORDS[i+1]} == = ]] && ((i++))
				((i++))
			fi
			continue
			;;
		esac
%[3]s	COMPREPLY=()
	before=${COMP_WORDS[COMP_CWORD-1]}
	[[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD-2]}
	[[ $cur == = ]] && before=${COMP_WORDS[COMP_CWORD-1]} cur=
	if [[ $before == -* && $valued == *" $before "* ]]; then
		_%[1]s_values "$at" "$before"
		if [[ -n $choices ]]; then
			COMPREPLY=($(compgen -W "$choices" -- "$cur"))
		else
			compopt -o filenames 2>/dev/null
			COMPREPLY=($(compgen -f -- "$cur"))
		fi
	elif [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$flags" -- "$cur"))
	elif [[ -n $words ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
	fi
	if [[ ${#COMPREPLY[@]} == 0 && -n $files && $cur != -* ]]; then
		compopt -o filenames 2>/dev/null
		COMPREPLY=($(compgen -f -- "$cur"))
	fi
}

complete -F _%[1]s %[2]s
`, name, program, fmt.Sprintf(step, name))
	return b.String()
}

// zsh makes the script for zsh, with the help texts.
func zsh(program string, all []command) string {
	var b strings.Builder
	name := identifier(program)
	fmt.Fprintf(&b, "#compdef %s\n# Completion of %s for zsh. Put it into a folder of $fpath, as _%s.\n\n", program, program, program)
	shellTable(&b, name, all)
	fmt.Fprintf(&b, "_%s_help() {\n\tlist=()\n\tcase \"$1\" in\n", name)
	for _, c := range all {
		fmt.Fprintf(&b, "\t%s) list=(", single(c.path))
		for _, w := range c.words {
			b.WriteString(single(described(w.name, w.help)) + " ")
		}
		b.WriteString(") options=(")
		for _, f := range allFlags(all, c.path) {
			b.WriteString(single(described(f.name, firstSentence(f.help))) + " ")
		}
		b.WriteString(") ;;\n")
	}
	fmt.Fprintf(&b, `	esac
}

_%[1]s() {
	local cur=${words[CURRENT]} before=${words[CURRENT-1]} at='' valued flags files choices word i
	local -a line list options
	line=("${words[@]}")
	local words
	_%[1]s_at ''
	for ((i = 2; i < CURRENT; i++)); do
		word=${line[i]}
		case $word in
		-*=*) continue ;;
		-*) [[ $valued == *" $word "* ]] && ((i++)); continue ;;
		esac
%[3]s	if [[ $before == -* && $valued == *" $before "* ]]; then
		_%[1]s_values "$at" "$before"
		if [[ -n $choices ]]; then compadd -- ${=choices}; else _files; fi
		return
	fi
	_%[1]s_help "$at"
	if [[ $cur == -* ]]; then
		_describe -o flag options
	elif [[ -n $words ]]; then
		_describe command list
	elif [[ -n $files ]]; then
		_files
	fi
}

if [[ ${funcstack[1]} == _%[2]s ]]; then _%[1]s "$@"; else compdef _%[1]s %[2]s; fi
`, name, program, fmt.Sprintf(step, name))
	return b.String()
}

// described is a word with its help text, in the form of zsh's _describe.
func described(name, help string) string {
	return strings.ReplaceAll(name, ":", `\:`) + ":" + help
}

// fish makes the script for fish.
func fish(program string, all []command) string {
	var b strings.Builder
	name := identifier(program)
	with, _ := valued(everyFlag(all))
	fmt.Fprintf(&b, `# Completion of %[2]s for fish. Use it by: %[2]s completion fish | source

function __%[1]s_at
	set -l at
	set -l skip 0
	for word in (commandline -opc)[2..-1]
		if test $skip = 1
			set skip 0
			continue
		end
		switch $word
			case '-*=*'
			case '-*'
				contains -- $word %[3]s; and set skip 1
			case '*'
				set -a at $word
		end
	end
	test "$at" = "$argv[1]"; and return 0
	string match -q -- "$argv[1] *" "$at"; and test "$argv[2]" = below
end

complete -c %[2]s -f
`, name, program, strings.Join(with, " "))
	for _, c := range all {
		condition := func(below string) string {
			if c.path == "" && below != "" {
				return ""
			}
			return " -n " + fishQuoted("__"+name+"_at "+fishQuoted(c.path)+below)
		}
		for _, w := range c.words {
			fmt.Fprintf(&b, "complete -c %s%s -a %s -d %s\n", program, condition(""), fishQuoted(w.name), fishQuoted(w.help))
		}
		for _, f := range c.flags {
			if c.path != "" && f.name == "--help" {
				continue
			}
			fmt.Fprintf(&b, "complete -c %s%s -l %s", program, condition(" below"), strings.TrimPrefix(f.name, "--"))
			if f.short != "" {
				b.WriteString(" -s " + strings.TrimPrefix(f.short, "-"))
			}
			switch {
			case len(f.values) > 0:
				b.WriteString(" -x -a " + fishQuoted(strings.Join(f.values, " ")))
			case f.value != "":
				b.WriteString(" -r -F")
			}
			b.WriteString(" -d " + fishQuoted(firstSentence(f.help)) + "\n")
		}
		if c.file {
			fmt.Fprintf(&b, "complete -c %s%s -F\n", program, condition(" below"))
		}
	}
	return b.String()
}

// everyFlag returns the flags of all commands.
func everyFlag(all []command) (flags []flag) {
	seen := map[string]bool{}
	for _, c := range all {
		for _, f := range c.flags {
			if !seen[f.name] {
				seen[f.name], flags = true, append(flags, f)
			}
		}
	}
	slices.SortFunc(flags, func(a, b flag) int { return strings.Compare(a.name, b.name) })
	return flags
}

// fishQuoted quotes a word for fish.
func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

// powershell makes the script for PowerShell 5 and later.
func powershell(program string, all []command) string {
	var b strings.Builder
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	fmt.Fprintf(&b, "# Completion of %[1]s for PowerShell. Use it by: %[1]s completion powershell | Out-String | Invoke-Expression\n", program)
	fmt.Fprintf(&b, "Register-ArgumentCompleter -Native -CommandName %s -ScriptBlock {\n\tparam($word, $line, $cursor)\n\t$table = @{\n", quote(program))
	for _, c := range all {
		fmt.Fprintf(&b, "\t\t%s = @(", quote(c.path))
		var entries []string
		for _, w := range c.words {
			entries = append(entries, fmt.Sprintf("@(%s, %s)", quote(w.name), quote(w.help)))
		}
		for _, f := range allFlags(all, c.path) {
			entries = append(entries, fmt.Sprintf("@(%s, %s)", quote(f.name), quote(firstSentence(f.help))))
		}
		b.WriteString(strings.Join(entries, ", ") + ")\n")
	}
	b.WriteString(`	}
	$at = ''
	foreach ($e in $line.CommandElements | Select-Object -Skip 1) {
		$next = ("$at " + $e.ToString()).Trim()
		if ($e.Extent.EndOffset -lt $cursor -and $table.ContainsKey($next)) { $at = $next }
	}
	$table[$at] | Where-Object { $_[0] -like "$word*" } | ForEach-Object {
		$help = if ($_[1]) { $_[1] } else { $_[0] }
		[System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $help)
	}
}
`)
	return b.String()
}
