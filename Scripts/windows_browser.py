"""The stories of `check-windows` about browsers' tabs."""

from windows_section import Section


class Browsers(Section):
    """To be told."""
