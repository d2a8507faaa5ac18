"""Section `rules` of `check-ready`: Config/rules/bluetooth, with a program in place of BlueZ that announces devices on a bus of its own."""

import json
import os

from checklist import eventually
from windows import Desk

SECTIONS = {"rules": ("dbus-daemon", "gdbus")}
RULE = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "Config", "rules", "bluetooth")
# Announces, as BlueZ does, the device of each line that it reads from a FIFO: its icon, and whether it is connected.
BLUEZ = """
import os, sys
from gi.repository import Gio, GLib
bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
interface = Gio.DBusNodeInfo.new_for_xml(
    '<node><interface name="org.bluez.Device1"><property name="Icon" type="s" access="read"/></interface></node>').interfaces[0]
icons = {}
Gio.bus_own_name_on_connection(bus, "org.bluez", Gio.BusNameOwnerFlags.NONE, None, None)
def announce(channel, _):
    path, icon, connected = channel.readline().split()
    if path not in icons:
        bus.register_object(path, interface, None, lambda *call: GLib.Variant("s", icons[call[2]]), None)
    icons[path] = icon
    values = GLib.Variant("(sa{sv}as)", ("org.bluez.Device1", {"Connected": GLib.Variant("b", connected == "true")}, []))
    bus.emit_signal(None, path, "org.freedesktop.DBus.Properties", "PropertiesChanged", values)
    return True
GLib.io_add_watch(open(os.open(sys.argv[1], os.O_RDWR)), GLib.IO_IN, announce)
GLib.MainLoop().run()
"""
MANIFEST = 'id = "example.music"\nname = "Music"\n[[scenes]]\nname = "main"\nlaunch = { exec = ["true"] }\n'


class Rules:
    def __init__(self, name, checks, usher):
        self.name, self.checks = name, checks
        self.desk = Desk(usher, usher, {"music": MANIFEST})
        self.desk.environment.update({
            "PATH": os.path.dirname(os.path.realpath(usher)) + ":" + self.desk.environment["PATH"],
            "USHER_STATE": self.desk.path("state"), "USHER_CONFIG": self.desk.path("config")})

    def offered(self, signal):
        answer = self.desk.usher("suggest", "media", "--signal", signal, "--json").stdout
        return [suggestion["target"] for suggestion in json.loads(answer)]

    def play(self, target):
        self.desk.usher("interaction", "donate", "--app", "example.music", "--intent", "playMedia", "--target", target)

    def run(self):
        with self.desk as desk:
            desk.start_bus()
            desk.environment["DBUS_SYSTEM_BUS_ADDRESS"] = desk.environment["DBUS_SESSION_BUS_ADDRESS"]
            os.mkfifo(desk.path("devices"))
            desk.start_program("/usr/bin/python3", "-c", BLUEZ, desk.path("devices"))
            desk.start_program(RULE)
            def announce(name, icon, connected):
                with open(desk.path("devices"), "r+b", buffering=0) as devices:
                    devices.write(f"/org/bluez/hci0/{name} {icon} {connected}\n".encode())

            # What is played before no signal follows none.
            self.play("song:before")
            announce("dev_00", "audio-headphones", "false")

            def follows(signal, icon):
                """Announces the device until the rule has heard of it, and something is played after that."""
                announce("dev_00", icon, "true")
                self.play(f"song:{signal}")
                return f"song:{signal}" in self.offered(signal)

            self.checks.check(eventually(lambda: follows("bluetooth", "input-keyboard")), "rules: a keyboard connects: the signal `bluetooth`")
            self.checks.check(self.offered("headphones") == [], "rules: a keyboard is no headphones")
            self.checks.check(eventually(lambda: follows("headphones", "audio-headset")), "rules: a headset connects: the signal `headphones`")
            self.checks.check("song:before" not in self.offered("bluetooth"), "rules: what was played before follows no signal")
