#!/usr/bin/env python3
"""Writes Sources/UsherPage/HTML/CharacterReferences+Data.swift from the names that Python's html.entities has of HTML.

usage: generate-character-references.py [--check]

--check writes nothing and fails when the committed file differs from what would be written.

Two texts of names with blanks between: `names` has each name that ends in a semicolon, followed by its scalars in
hexadecimal with `+` between; `withoutSemicolon` has the old names that may stand without one.
"""

import html.entities
import pathlib
import sys
import textwrap

TARGET = pathlib.Path(__file__).resolve().parent.parent / "Sources/UsherPage/HTML/CharacterReferences+Data.swift"
WIDTH = 110


def literal(name, comment, words):
    lines = textwrap.wrap(" ".join(words), WIDTH, break_long_words=False, break_on_hyphens=False)
    return [f"    /// {comment}", f'    static let {name} = """', *(f"        {line} \\" for line in lines[:-1]),
            f"        {lines[-1]}", '        """']


def main():
    known = html.entities.html5
    names = []
    for name, text in sorted(known.items()):
        if name.endswith(";"):
            names += [name[:-1], "+".join(f"{ord(character):X}" for character in text)]
    old = sorted(name for name in known if not name.endswith(";"))
    lines = ["// Written by Scripts/generate-character-references.py; run it again instead of editing.", "",
             "extension CharacterReferences {"]
    lines += literal("names", "Each name, and its scalars in hexadecimal.", names) + [""]
    lines += literal("withoutSemicolon", "The names that need no semicolon.", old) + ["}", ""]
    text = "\n".join(lines)
    if "--check" in sys.argv[1:]:
        return 0 if TARGET.read_text(encoding="utf-8") == text else f"{TARGET.name} is not what the script writes"
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
