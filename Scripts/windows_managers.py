"""The stories of `check-windows` on window managers of full desktops: those that such a manager could tell otherwise."""

from checklist import eventually
from windows_section import brief, story
from windows_stories import Stories

TOLD = ("focus open", "launch absent", "moved workspace", "minimised", "closed meanwhile", "restart of the daemon",
        "hold until ready", "urgent only", "raise only", "while the user types")
# It marks no window that can be seen: there is a story of that instead.
UNTOLD = {"metacity": ("urgent only", "while the user types")}


class OtherManagers(Stories):
    """Stories of openbox, on another manager."""

    @classmethod
    def methods(cls, section):
        found = Stories.methods("openbox")
        own = {method.story: method for method in vars(cls).values() if section in getattr(method, "where", ())}
        return {name: found[name] for name in TOLD if name not in UNTOLD.get(section, ())} | own

    @story("urgent, where it can be seen and where it cannot", "metacity")
    def urgent_hidden(self):
        target = "https://calm.example/urgent"
        self.send(target)
        self.check(eventually(lambda: self.count(target) == 1), "it is there")
        self.screen.focus("elsewhere")
        record = self.send(target)
        self.is_record(record, "in sight it is not marked, and not called so", action="focus", outcome="unverified", error=None)
        self.check(record.get("seen") and not self.screen.is_urgent(target), "what is seen is said", lambda: brief(record))
        self.check(self.screen.minimise(target), "it was minimised")
        self.is_record(self.send(target), "out of sight: verified", action="focus", outcome="verified", error=None)
        self.check(self.screen.is_urgent(target) and self.screen.is_hidden(target), "it is marked, others say",
                   lambda: self.screen.tree())
        self.is_left("elsewhere", "the keyboard stays where it is")
