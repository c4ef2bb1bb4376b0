"""The regular expressions of page scripts, and whether the time for one grows faster than its text."""

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import playwright

from support.pattern_attacks import ANY_TEXT, attacks_on

_NODE: Final = Path(playwright.__file__).parent / "driver" / "node"
_BUILT: Final = ("api/console/bundle", "api/guide/site")
_TOKEN: Final = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<text>'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+"|`(?:[^`\\]|\\.)*+`)
    |(?P<regex>/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/[a-z]*)
    |(?P<word>[\w$]+)
    |(?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
_AFTER_VALUE: Final = re.compile(r"[\w$)\]]$")
_BEFORE_REGEX: Final = frozenset({"return", "typeof", "case", "of", "in", "void"})


@dataclass(frozen=True)
class ScriptPattern:
    """A literal of a script."""

    where: str
    source: str
    flags: str


def script_patterns(package: Path) -> Iterator[ScriptPattern]:
    """Those of all scripts of a package but the ones that are built."""
    for path in sorted(package.rglob("*.js")):
        name = path.relative_to(package).as_posix()
        if not name.startswith(_BUILT):
            for literal in _literals(path.read_text("utf-8")):
                source, _, flags = literal[1:].rpartition("/")
                yield ScriptPattern(name, source, flags)


def _literals(script: str) -> Iterator[str]:
    """A slash begins one unless it follows a value: there it divides."""
    before, at = "", 0
    while found := _TOKEN.match(script, at):
        at = found.end()
        kind, token = found.lastgroup, found[0]
        if kind == "regex":
            if _AFTER_VALUE.search(before) and before not in _BEFORE_REGEX:
                before, at = "/", found.start() + 1
                continue
            yield token
        if kind == "text" and token[0] == "`":
            # what is filled in is a script again
            for inner in re.findall(r"\$\{([^{}]*)\}", token):
                yield from _literals(inner)
        if kind != "skip":
            before = token


def attacks(pattern: ScriptPattern, most: int) -> Sequence[tuple[str, str, str]]:
    """As for patterns in Python; those of its own parts where Python reads its syntax."""
    flags = sum(getattr(re, name.upper()) for name in pattern.flags if name in "ims")
    source = re.sub(r"\\p\{[^}]*\}", r"\\w", pattern.source).replace("(?<", "(?P<")
    source = source.replace("(?P<=", "(?<=").replace("(?P<!", "(?<!")
    try:
        return attacks_on(re.compile(source, flags), most)
    except re.error:
        return [("", text, end) for text in ANY_TEXT for end in ("", "\x00")]


_RUNNER: Final = r"""
const vm = require('node:vm');
const given = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const context = vm.createContext({});
const run = new vm.Script('text.replace(pattern, "")');
// of the processor: what else a busy machine does is not the pattern's time
const used = () => {
  const {user, system} = process.threadCpuUsage ? process.threadCpuUsage() : process.cpuUsage();
  return (user + system) / 1000;
};
const timed = (pattern, text) => {
  Object.assign(context, {pattern, text});
  const began = used();
  try { run.runInContext(context, {timeout: 5000}); } catch { return Infinity; }
  return used() - began;
};
const grows = (pattern, [start, pump, end]) => {
  const text = (length) => start + pump.repeat(length / pump.length) + end;
  for (const length of [96, 400]) if (timed(pattern, text(length)) > 500) return [length];
  if (timed(pattern, text(20000)) < 20) return null;
  let best = [Infinity, Infinity];
  for (let round = 0; round < 4; round++) {
    best = best.map((one, at) => Math.min(one, timed(pattern, text([5000, 20000][at]))));
    // in proportion it would be four times as much; a square is sixteen times
    if (best[1] < 20 || best[1] < 9 * best[0]) return null;
  }
  return best;
};
const problems = [];
for (const {where, source, flags, attacks} of given) {
  const pattern = new RegExp(source, [...new Set(flags + 'g')].join('').replace('y', ''));
  for (const attack of attacks) {
    const slow = grows(pattern, attack);
    if (!slow) continue;
    problems.push(`${where}: /${source.slice(0, 80)}/: ${JSON.stringify(attack)}: ${slow}`);
    break;
  }
}
console.log(JSON.stringify(problems));
"""


def slow_patterns(patterns: Sequence[ScriptPattern], most: int) -> list[str]:
    """Those whose time grows faster than their text, with an attack that shows it."""
    given = [
        {
            "where": pattern.where,
            "source": pattern.source,
            "flags": pattern.flags,
            "attacks": list(attacks(pattern, most)),
        }
        for pattern in patterns
    ]
    done = subprocess.run(  # noqa: S603 - our own patterns
        [_NODE, "-e", _RUNNER], input=json.dumps(given), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)
