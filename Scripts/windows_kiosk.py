"""The stories of `check-windows` about kiosks: a browser over the whole screen, with the extension, as Browser.md sets it up."""

from checklist import eventually
from windows_browser import Browsers
from windows_section import story


class Kiosks(Browsers):
    """One browser on openbox: `kiosk-firefox`, `kiosk-chromium`."""

    flags = "--kiosk"

    def __init__(self, name, *rest, **options):
        super().__init__(name.removeprefix("kiosk-"), *rest, **options)
        self.section = name

    @story("over the whole screen")
    def whole_screen(self):
        self.start_browser()
        for name in ("two", "three"):
            record = self.send(self.site.url(name))
            self.is_record(record, f"{name}: verified", action="focus", outcome="verified", error=None)
            self.is_seen(name, name)
            self.check(
                eventually(lambda: self.screen.is_fullscreen(self.screen.active())), f"{name}: over the whole screen",
                lambda: self.screen.tree())
