"""``wheatstone completion``: print completion scripts for bash, zsh or fish."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.declarations import DeclaredOption, DeclaredVerb, declared_verbs
from wheatstone.viewer.cli.requests import VerbRequest
from wheatstone.viewer.options import choice_option

EPILOG = """\
Load it in every shell: source <(wheatstone completion bash), or write it where the shell looks:
bash: ~/.local/share/bash-completion/completions/wheatstone; zsh: _wheatstone in a folder of $fpath;
fish: ~/.config/fish/completions/wheatstone.fish."""


SHELLS = ("bash", "zsh", "fish")


@dataclass(frozen=True, kw_only=True)
class CompletionRequest(VerbRequest):
    """The options of ``completion``, which prints a completion script for a shell."""

    verb: ClassVar[str] = "completion"
    epilog: ClassVar[str] = EPILOG
    shell: str = choice_option(
        SHELLS, "shell to complete in", "|".join(SHELLS), positional=True, required=True
    )


def completion(request: CompletionRequest) -> int:
    """Print the completion script for a shell."""
    print(WRITERS[request.shell](list(declared_verbs())))
    return 0


def bash(verbs: Sequence[DeclaredVerb]) -> str:
    """Return the completion script for bash."""
    options, values = [], []
    for one in verbs:
        names = " ".join(name for option in one.options for name in option.names)
        options.append(f'    {one.verb}/{one.pipeline}) options="{names}" ;;')
        for option in one.options:
            if option.values:
                at = " | ".join(f"{one.verb}/{one.pipeline}/{name}" for name in option.names)
                listed = " ".join(option.values)
                values += [f'    {at}) words="{listed}" ;;'] if at else []
                first = f'    {one.verb}/{one.pipeline}) options="$options {listed}" ;;'
                options += [] if at else [first]
    return BASH.format(
        verbs=_verbs(verbs),
        pipelines=" ".join(PIPELINES),
        with_pipeline=_with_pipeline(verbs),
        options="\n".join(_merged(options)),
        values="\n".join(_merged(values)),
    )


def _merged(lines: Iterable[str]) -> list[str]:
    """Merge lines of bash's ``case`` with equal patterns, then patterns with equal commands."""
    cases: dict[str, list[str]] = {}
    for line in lines:
        at, _, does = line.strip().removesuffix(" ;;").partition(") ")
        cases.setdefault(at, []).append(does)
    by_deed: dict[str, list[str]] = {}
    for at, deeds in cases.items():
        by_deed.setdefault("; ".join(deeds), []).append(at)
    return [f"    {' | '.join(ats)}) {deed} ;;" for deed, ats in by_deed.items()]


def zsh(verbs: Sequence[DeclaredVerb]) -> str:
    """Return the completion script for zsh."""
    cases = []
    for one in verbs:
        specs = " ".join(spec for option in one.options for spec in _zsh_specs(option))
        cases.append(f"    {one.verb}/{one.pipeline}) specs=({specs}) ;;")
    return ZSH.format(
        verbs=_verbs(verbs),
        pipelines=" ".join(PIPELINES),
        with_pipeline=_with_pipeline(verbs),
        cases="\n".join(cases),
    )


def _zsh_specs(option: DeclaredOption) -> list[str]:
    """Describe an option, or an argument with fixed values, in the syntax of ``_arguments``."""
    value = ""
    if option.metavar:
        action = f"({' '.join(option.values)})" if option.values else "_files"
        value = f":{_plain(option.metavar)}:{action}"
    if not option.names:
        return [f"'1{value}'"] if option.values else []
    return [f"'*{name}[{_plain(option.brief)}]{value}'" for name in option.names]


def fish(verbs: Sequence[DeclaredVerb]) -> str:
    """Return the completion script for fish."""
    lines = []
    for one in verbs:
        at = f"-n 'test (__wheatstone_at) = {one.verb}/{one.pipeline}'"
        for option in one.options:
            takes = f" -x -a '{' '.join(option.values)}'" if option.values else ""
            takes = takes or " -r" * bool(option.metavar)
            for name in option.names:
                kind = "-l" if name.startswith("--") else "-s"
                word = name.lstrip("-")
                description = _plain(option.brief)
                lines.append(f"complete -c wheatstone {at} {kind} {word}{takes} -d '{description}'")
            if not option.names and option.values:
                lines.append(f"complete -c wheatstone {at} -f -a '{' '.join(option.values)}'")
    return FISH.format(
        verbs=_verbs(verbs),
        pipelines=" ".join(PIPELINES),
        with_pipeline=_with_pipeline(verbs),
        lines="\n".join(lines),
    )


def _verbs(verbs: Sequence[DeclaredVerb]) -> str:
    return " ".join(dict.fromkeys(one.verb for one in verbs))


def _with_pipeline(verbs: Sequence[DeclaredVerb]) -> str:
    return " ".join(dict.fromkeys(one.verb for one in verbs if one.pipeline))


def _plain(text: str) -> str:
    """Remove the characters of a description that have a meaning for shells."""
    return re.sub(r"[\[\]:'\"`$\\]", "", text)


BASH = """\
# Completion of wheatstone for bash, by `wheatstone completion bash`.
_wheatstone() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
  local first=1 verb=view pipeline= options= words=
  if [[ $cur == "=" ]]; then cur=; fi
  if [[ $prev == "=" ]]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  if [[ " {verbs} " == *" ${{COMP_WORDS[1]}} "* && $COMP_CWORD -gt 1 ]]; then
    verb=${{COMP_WORDS[1]}} first=2
  fi
  if [[ " {with_pipeline} " == *" $verb "* ]]; then
    if [[ " {pipelines} " == *" ${{COMP_WORDS[first]}} "* && $COMP_CWORD -gt $first ]]; then
      pipeline=${{COMP_WORDS[first]}}
    elif [[ $COMP_CWORD -eq $first ]]; then
      options="{pipelines}"
    fi
  fi
  if [[ $COMP_CWORD -eq 1 ]]; then options="$options {verbs} --version --help"; fi
  case "$verb/$pipeline/$prev" in
{values}
  esac
  if [[ -z $words ]]; then
    local known=$options
    case "$verb/$pipeline" in
{options}
    esac
    if [[ $cur == -* ]]; then words=$options
    elif [[ $prev == --* ]]; then words=
    elif [[ -n $known ]]; then words=$known
    else words=$(printf '%s\\n' $options | grep -v '^-')
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _wheatstone wheatstone"""
ZSH = """\
#compdef wheatstone
# Completion of wheatstone for zsh, by `wheatstone completion zsh`.
_wheatstone() {{
  local verb=view pipeline= first=2 specs
  local -a verbs=({verbs}) pipelines=({pipelines}) with_pipeline=({with_pipeline})
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    compadd -- $verbs $pipelines
    _files
    return
  fi
  if (( $verbs[(Ie)$words[2]] )); then
    verb=$words[2] first=3
  fi
  if (( $with_pipeline[(Ie)$verb] )); then
    if (( CURRENT == first )) && [[ $words[first] != -* ]]; then
      compadd -- $pipelines
      _files
      return
    fi
    if (( $pipelines[(Ie)$words[first]] )); then
      pipeline=$words[first]
      (( first++ ))
    fi
  fi
  case $verb/$pipeline in
{cases}
  esac
  words=(wheatstone "${{(@)words[first,-1]}}")
  (( CURRENT -= first - 2 ))
  _arguments $specs '*:file:_files'
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _wheatstone "$@"
else
  compdef _wheatstone wheatstone
fi"""
FISH = """\
# Completion of wheatstone for fish, by `wheatstone completion fish`.
function __wheatstone_at
    set -l words (commandline -opc) ''
    set -l verb view
    set -l pipeline ''
    set -e words[1]
    if contains -- $words[1] {verbs}
        set verb $words[1]
        set -e words[1]
    end
    if contains -- $verb {with_pipeline}; and contains -- $words[1] {pipelines}
        set pipeline $words[1]
    end
    echo $verb/$pipeline
end
function __wheatstone_pipeline_next
    set -l words (commandline -opc)
    test (count $words) = 1
    or begin
        test (count $words) = 2
        and contains -- $words[2] {with_pipeline}
    end
end
complete -c wheatstone -n 'test (count (commandline -opc)) = 1' -a '{verbs}'
complete -c wheatstone -n __wheatstone_pipeline_next -a '{pipelines}'
{lines}"""
WRITERS: dict[str, Callable[[Sequence[DeclaredVerb]], str]] = {
    "bash": bash,
    "zsh": zsh,
    "fish": fish,
}
