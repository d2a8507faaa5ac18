#!/usr/bin/env python3
"""Writes Sources/UsherPredicate/Text/FoldingTables+Data.swift from Debian's unicode-data package.

usage: generate-folding-tables.py [--check] [--source DIRECTORY]

--check writes nothing and fails when the committed file differs from what would be written.

Three tables, each one ASCII string of hexadecimal numbers:
  decompositions  scalar and its full canonical decomposition   (UnicodeData.txt, applied until it no longer changes)
  foldings        scalar and its full case folding, decomposed  (CaseFolding.txt, statuses C and F)
  marks           runs of scalars that extend what precedes     (auxiliary/GraphemeBreakProperty.txt, Extend)
  classes         runs of scalars with a combining class        (UnicodeData.txt, field 3)
Hangul syllables are left out: they decompose by arithmetic.
"""

import pathlib
import sys

TARGET = pathlib.Path(__file__).resolve().parent.parent / "Sources/UsherPredicate/Text/FoldingTables+Data.swift"
WIDTH = 110


def fields(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].strip()
        if line:
            yield [field.strip() for field in line.split(";")]


def read(source):
    mappings, classes = {}, {}
    for row in fields(source / "UnicodeData.txt"):
        scalar = int(row[0], 16)
        if row[3] != "0":
            classes[scalar] = int(row[3])
        if row[5] and not row[5].startswith("<"):
            mappings[scalar] = [int(part, 16) for part in row[5].split()]

    def decomposed(scalars):
        while any(scalar in mappings for scalar in scalars):
            scalars = [part for scalar in scalars for part in mappings.get(scalar, [scalar])]
        return scalars

    decompositions = {scalar: decomposed([scalar]) for scalar in mappings}
    foldings = {}
    for row in fields(source / "CaseFolding.txt"):
        scalar = int(row[0], 16)
        # A scalar with a decomposition is folded after it, part by part.
        if row[1] in "CF" and scalar not in decompositions:
            foldings[scalar] = decomposed([int(part, 16) for part in row[2].split()])
    marks = {}
    for row in fields(source / "auxiliary/GraphemeBreakProperty.txt"):
        if row[1] == "Extend":
            first, _, last = row[0].partition("..")
            for scalar in range(int(first, 16), int(last or first, 16) + 1):
                marks[scalar] = 1
    return decompositions, foldings, marks, classes


def packed_map(table):
    """`key=value value;` with each key written as its distance from the one before."""
    words, previous = [], 0
    for key in sorted(table):
        words.append("%x=%s;" % (key - previous, " ".join("%x" % value for value in table[key])))
        previous = key
    return words


def packed_runs(table):
    """`gap length value;` for each run of neighbours with one value; the gap counts from the end of the last run."""
    words, position, keys, index = [], 0, sorted(table), 0
    while index < len(keys):
        end = index + 1
        while end < len(keys) and keys[end] == keys[end - 1] + 1 and table[keys[end]] == table[keys[index]]:
            end += 1
        words.append("%x %x %x;" % (keys[index] - position, end - index, table[keys[index]]))
        position, index = keys[end - 1] + 1, end
    return words


def literal(name, comment, words):
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) >= WIDTH:
            lines.append(line)
            line = ""
        line += word
    lines.append(line)
    body = "\\\n".join("        " + line for line in lines)
    return '    /// %s\n    static let %s = """\n%s\n        """\n' % (comment, name, body)


def generate(source):
    version = next(line for line in (source / "ReadMe.txt").read_text().splitlines() if "Version" in line)
    version = version.split("Version")[1].split()[0].rstrip(".")
    decompositions, foldings, marks, classes = read(source)
    return "\n".join(
        [
            "// Written by Scripts/generate-folding-tables.py from Unicode %s; run it again instead of editing.\n" % version,
            "/// The packed tables behind `FoldingTables`.",
            "enum FoldingData {",
            literal("decompositions", "Full canonical decompositions: `distance=scalar scalar;`.", packed_map(decompositions)),
            literal("foldings", "Full case foldings, decomposed: `distance=scalar scalar;`.", packed_map(foldings)),
            literal("marks", "Scalars that extend what precedes them: `gap length 1;`.", packed_runs(marks)),
            literal("classes", "Canonical combining classes: `gap length class;`.", packed_runs(classes)) + "}\n",
        ]
    )


def main(arguments):
    source = pathlib.Path("/usr/share/unicode")
    if "--source" in arguments:
        source = pathlib.Path(arguments[arguments.index("--source") + 1])
    text = generate(source)
    if "--check" in arguments:
        if not TARGET.exists() or TARGET.read_text() != text:
            sys.exit("%s is not what %s yields" % (TARGET.name, source))
        print("%s is up to date" % TARGET.name)
    else:
        TARGET.write_text(text)


main(sys.argv[1:])
