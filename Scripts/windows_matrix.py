"""The table of Documentation/Windows.md: which story proves what on which window system.

A cell is `✓` (the story of the row, in the section of the column), a story in backticks (of the column's section, or
`section: story`), or a dash with the number of the reason below the table.
"""

import os
import re

PAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "Documentation", "Windows.md")


class Matrix:
    """The cells, and what they claim."""

    def __init__(self, path=PAGE):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        # The first table of the page.
        lines = re.search(r"(^\|.*\n)+", text, flags=re.M)
        lines = lines[0].splitlines() if lines else []
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        self.columns = rows[0][1:] if rows else []
        # Story → column → cell.
        self.rows = {row[0]: dict(zip(self.columns, row[1:])) for row in rows[2:]}
        self.reasons = set(re.findall(r"^(\d+)\. ", text, flags=re.M))

    def claims(self):
        """(row, column, section, story) for each cell that names a proof."""
        for story, cells in self.rows.items():
            for column, cell in cells.items():
                if cell == "✓":
                    yield story, column, column, story
                elif named := re.fullmatch(r"`([^`]+)`", cell):
                    section, colon, name = named[1].partition(": ")
                    yield story, column, *((section, name) if colon else (column, named[1]))

    def faults(self, stories):
        """What is wrong with it, given the stories of each section."""
        if not self.rows:
            return ["there is no table"]
        found = [f"there is no section {column}" for column in self.columns if column not in stories]
        claimed = set()
        for row, column, section, story in self.claims():
            claimed.add((row, column))
            if story not in stories.get(section, ()):
                found.append(f"{row}, {column}: there is no story {section}: {story}")
        for row, cells in self.rows.items():
            if len(cells) != len(self.columns):
                found.append(f"{row}: {len(cells)} cells")
            for column, cell in cells.items():
                if (row, column) in claimed:
                    continue
                reason = re.fullmatch(r"– (\d+)", cell)
                if not reason or reason[1] not in self.reasons:
                    found.append(f"{row}, {column}: {cell!r} is neither a proof nor a dash with a reason")
                elif row in stories.get(column, ()):
                    found.append(f"{row}, {column}: a dash, though there is such a story")
        return found

    def unproven(self, section, proven):
        """The cells that rest on a section's stories which did not hold."""
        return [f"{row}, {column}: {story}" for row, column, owner, story in self.claims()
                if owner == section and story not in proven]
