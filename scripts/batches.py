"""Batches of sources that a compiler or the linter can read as one.

Much of the time of either went into reading the same headers for each source. A batch holds no two
sources that use one name for something of their own.

    scripts/batches.py SIZE SOURCE...   says the batches of these, a line each, semicolons between sources
"""

import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


@functools.cache
def text_of(file):
    path = ROOT / file
    return path.read_text() if path.exists() else ""


@functools.cache
def includes(file):
    """The headers of ours that this file names."""
    return re.findall(r'^#include "((?:tacit|cli|python)/[^"]+)"', text_of(file), re.MULTILINE)


@functools.cache
def all_read(source):
    """The source, and every header of ours that it reads."""
    read, waiting = {source}, [source]
    while waiting:
        for header in includes(waiting.pop()):
            if header not in read:
                read.add(header)
                waiting.append(header)
    return read


def declared_name(line):
    """What a line at the left margin declares, if it does."""
    declared = (re.match(r"(?:struct|class|enum class|enum|union) (\w+)", line)
                or re.search(r"(?<![:\w])(\w+)\(", line)
                or re.search(r"(\w+)(?:\[\w*\])?(?: =|\{|;)", line))
    return declared[1] if declared else None


@functools.cache
def own_names(source):
    """What a source declares for itself alone, at the left margin, as clang-format has it."""
    names, inside = set(), False
    without_quotes = re.sub(r'R"(\w*)\(.*?\)\1"', '""', text_of(source), flags=re.DOTALL)
    for line in without_quotes.splitlines():
        if line == "namespace {":
            inside = True
        elif line == "}  // namespace":
            inside = False
        elif alias := re.match(r"using (\w+) =|#define (\w+)", line):
            names.add(alias[1] or alias[2])
        elif test := re.match(r"[A-Z_]*(?:TEST|PROP)[A-Z_]*\((\w+), *(\w*)", line):
            names.add(f"{test[1]}_{test[2]}")
        elif inside and line and line[0] not in " #/}" and not line.startswith(("using ", "static_assert")):
            if name := declared_name(line):
                names.add(name)
    return frozenset(names)


@functools.cache
def capital_words(file):
    """The names of types and constants that a file speaks of."""
    return frozenset(re.findall(r"\bk?[A-Z]\w*", text_of(file)))


@functools.cache
def borrowed_names(source):
    """What a source says without its namespace: by name, whose it is."""
    borrowed = re.findall(r"^using ((?:\w+::)+)(\w+);", text_of(source), re.MULTILINE)
    return {name: owner for owner, name in borrowed}


class Batch:
    """Sources that can be read as one: none uses a name for something of its own that another one uses
    so too, or a type or constant of its own whose name another one knows."""

    def __init__(self, most):
        self.sources, self.own, self.known, self.borrowed, self.most = [], set(), set(), {}, most

    def takes(self, source):
        own, borrowed = own_names(source), borrowed_names(source)
        known = frozenset().union(*map(capital_words, all_read(source)))
        if (len(self.sources) == self.most or own & (self.own | self.known | self.borrowed.keys())
                or self.own & (known | borrowed.keys())
                or any(self.borrowed.get(name, owner) != owner for name, owner in borrowed.items())):
            return False
        self.sources.append(source)
        self.own |= own
        self.known |= known
        self.borrowed |= borrowed
        return True


def batches_of(sources, most):
    """Each source in the first batch that takes it."""
    begun = []
    for source in sources:
        if not any(batch.takes(source) for batch in begun):
            begun.append(Batch(most))
            begun[-1].takes(source)
    return [batch.sources for batch in begun]


if __name__ == "__main__":
    for each in batches_of(sys.argv[2:], int(sys.argv[1])):
        print(";".join(each))
