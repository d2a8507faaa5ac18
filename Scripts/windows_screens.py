"""The stories of `check-windows` about two screens: the window that is meant is on the other one."""

from checklist import eventually
from windows import I3Pair, SwayPair, loads
from windows_section import story
from windows_stories import Stories

KINDS = {"i3-screens": I3Pair, "sway-screens": SwayPair}


class TwoScreens(Stories):
    """A user who works on one of two screens."""

    def __init__(self, name, *rest, **options):
        super().__init__(name.removesuffix("-screens"), *rest, **options)
        self.kind, self.section = KINDS[name], name

    @classmethod
    def methods(cls, section):
        return {method.story: method for method in vars(cls).values() if hasattr(method, "story")}

    # What is where, in the words of the window system

    def output(self, title):
        """The screen that a window is on."""
        return next(
            (step["name"] for step in reversed(self.screen.node(title)[1]) if step.get("type") == "output"), None)

    def other(self):
        """The screen that its user does not work on."""
        own = self.output("elsewhere")
        return next(name for name in self.workspaces() if name != own)

    def workspaces(self):
        """Those that can be seen now: by the name of their screen."""
        listed = loads(self.screen.say("-t", "get_workspaces")) or []
        return {space["output"]: space["name"] for space in listed if space["visible"]}

    def fresh(self):
        """A workspace that was never there: what a story leaves must not matter to the next."""
        self.spaces = getattr(self, "spaces", 20) + 1
        return str(self.spaces)

    def send_over(self, title):
        """Moves a window to a workspace of the other screen, which is in front there; that workspace."""
        other, workspace = self.other(), self.fresh()
        self.screen.focus(title)
        for words in (f"move container to workspace {workspace}", f"workspace {workspace}",
                      f"move workspace to output {other}"):
            self.screen.say(words)
        self.screen.focus("elsewhere")
        self.check(
            eventually(lambda: self.output(title) == other == self.other()), "it was moved",
            lambda: f"{self.output(title)}, {self.output('elsewhere')}")
        return workspace

    def hide(self, title):
        """Brings another workspace in front of a window."""
        self.screen.say(f"focus output {self.other()}")
        self.screen.say(f"workspace {self.fresh()}")
        self.screen.focus("elsewhere")
        return self.check(
            eventually(lambda: self.screen.workspace(title) not in self.workspaces().values()), "it is out of sight",
            lambda: self.workspaces())

    @story("on the other screen")
    def beside(self):
        target = "https://pages.example/beside"
        self.open(target)
        self.send_over(target)
        before = self.workspaces()
        self.is_record(self.send(target), "verified", action="focus", outcome="verified", error=None)
        self.is_seen(target)
        self.check(self.workspaces() == before, "both screens show what they showed", lambda: f"{before} {self.workspaces()}")

    @story("behind something on the other screen")
    def behind(self):
        target = "https://pages.example/behind"
        self.open(target)
        workspace = self.send_over(target)
        self.hide(target)
        before, other = self.workspaces(), self.other()
        self.is_record(self.send(target), "verified", action="focus", outcome="verified", error=None)
        self.is_seen(target)
        self.check(
            self.workspaces() == dict(before, **{other: workspace}), "its screen shows it, the other one what it showed",
            lambda: f"{before} {self.workspaces()}")

    @story("summoned from the other screen")
    def summoned_over(self):
        target = "https://calm.example/summon"
        self.open(target)
        self.send_over(target)
        self.hide(target)
        here = self.screen.workspace("elsewhere")
        self.is_record(self.send(target), "verified", action="focus", outcome="verified", error=None)
        self.is_seen(target)
        self.check(
            self.screen.workspace(target) == here == self.screen.workspace("elsewhere")
            and self.output(target) == self.output("elsewhere"), "it was brought here",
            lambda: f"{self.screen.workspace(target)}, was {here}; {self.output(target)}")

    @story("urgent on the other screen")
    def urgent_over(self):
        target = "https://calm.example/urgent"
        self.open(target)
        self.send_over(target)
        before = self.workspaces()
        self.is_record(self.send(target), "verified", action="focus", outcome="verified", error=None)
        self.check(eventually(lambda: self.screen.is_urgent(target)), "it is marked")
        self.is_left("elsewhere", "its user stays where they are")
        self.check(self.workspaces() == before, "both screens show what they showed", lambda: self.workspaces())
