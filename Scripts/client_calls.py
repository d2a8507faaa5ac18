"""Calls every operation of a daemon with a client that a generator made from /openapi.json.

usage: client_calls.py FOLDER SOCKET FAIL     the folder with the package `client`; a file that makes handlers fail

Prints one line of JSON for each call: its operation, the status, and the class of the answer.
"""

import importlib
import json
import os
import pkgutil
import socket as sockets
import sys
import time

folder, socket, fail = sys.argv[1:]
sys.path.insert(0, folder)
import client.api
import client.models as models
import httpx
from client import Client

daemon = Client(base_url="http://usher", httpx_args={"transport": httpx.HTTPTransport(uds=socket)})
pending = {
    module.name.removeprefix("client.api.")
    for module in pkgutil.walk_packages(client.api.__path__, "client.api.") if not module.ispkg}


def call(operation, *arguments, **named):
    """The answer as the generated client understood it."""
    pending.discard(operation)
    answer = importlib.import_module(f"client.api.{operation}").sync_detailed(*arguments, client=daemon, **named)
    print(json.dumps([operation, int(answer.status_code), type(answer.parsed).__name__, answer.content.decode()[:300]]))
    return answer.parsed


SHOP = "https://town.example/shop/client"
SYNC = {"aps": {"content-available": 1, "target-content-id": "https://town.example/sync/client"}}


def failed():
    """A delivery that has failed."""
    open(fail, "w", encoding="utf-8").close()
    record = call("notifications.post_notifications", body=models.Payload.from_dict(SYNC), wait=models.PostNotificationsWaitType0(1), app="example.town")
    os.unlink(fail)
    return record.id


def agent():
    """A session of an agent whose process is this one: only a child of it can say so."""
    with open("/proc/self/comm", "w", encoding="utf-8") as name:
        name.write("claude")
    child = os.fork()
    if child == 0:
        parents = []
        for pid in (os.getpid(), os.getppid()):
            with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                parents.append({"pid": pid, "start": int(stat.read().rpartition(")")[2].split()[19])})
        arguments = {"agent": "claude", "session": "client", "state": "waiting", "kind": "question", "parents": parents}
        with sockets.socket(sockets.AF_UNIX) as connection:
            connection.connect(socket)
            connection.sendall(json.dumps({"id": 1, "command": "agent.event", "arguments": arguments}).encode() + b"\n")
            connection.recv(1000)
        os._exit(0)
    os.waitpid(child, 0)


def scenes():
    window = models.SceneConnect(app="example.town", scene="shop", session="corner", target=SHOP, prefers="TRUEPREDICATE")
    call("scene.scene_connect", body=window)
    call("scene.scene_list", app="example.town", all_=models.SceneListAll(1))
    call("scene.scene_show", "corner")
    call("scene.scene_update", "corner", body=models.SceneUpdate(title="Corner"))
    call("scene.scene_activate", "corner", body=models.SceneActivate(title="The corner"))
    call("scene.scene_focus", "corner")
    call("scene.scene_new", body=models.SceneNew("example.town", scene="shop", target=SHOP))
    call("terminal.terminal_where", pid=os.getpid())
    call("terminal.terminal_focus", body=models.TerminalFocus(pid=os.getpid(), detached=models.TerminalFocusDetached("none")))
    agent()
    call("agent.agent_list", all_=models.AgentListAll(1))
    call("agent.agent_next")
    call("agent.agent_focus", "client")
    call("agent.agent_answer", "client", body=models.AgentAnswer(models.AgentAnswerAction("deny")))
    call("scene.scene_disconnect", "corner", body=models.SceneDisconnect())
    call("scene.scene_close_post", "corner")
    call("scene.scene_connect", body=models.SceneConnect(app="example.town", scene="shop", session="second", target=SHOP))
    call("scene.scene_close", "second")


def activities():
    call("scene.scene_connect", body=models.SceneConnect(app="example.town", scene="shop", session="third", target=SHOP))
    shown = models.UserActivity("example.town.view", title="Corner", target_content_identifier=SHOP)
    made = call("activity.activity_become_current", body=models.ActivityBecomeCurrent("third", shown))
    call("activity.activity_list", app="example.town")
    call("activity.activity_list", q="corner")
    call("activity.activity_show", made.activity.id)
    call("activity.activity_show_session", "third")
    call("activity.activity_update", "third", body=models.ActivityUpdate(needs_save=False, activity=
        models.ActivityUpdateActivity.from_dict({"title": "The corner"})))
    call("activity.activity_resign", "third")


def notes():
    made = call("note.note_new", body=models.NoteNew("Call the shop", links=[SHOP]))
    note = made.note.id
    call("note.note_list", q="shop")
    call("note.note_list", state=models.NoteListState("current"))
    call("note.note_show", note)
    call("note.note_edit", note, body=models.NoteEdit("Call the shop again", line=1))
    call("note.note_append", note, body=models.NoteAppend("And a horn #shopping"))
    call("note.note_tags")
    call("note.note_attach", note, body=models.NoteAttach(path=os.path.realpath(__file__)))
    call("note.note_aside", note)
    call("note.note_resume", note)
    call("note.note_done", note)
    link = call("link.link_add", body=models.LinkAdd(note, target="https://town.example/shop/other")).link.id
    call("link.link_list", note=note)
    call("link.link_show", link)
    call("link.link_suggest", target=[SHOP])
    call("link.link_remove", link)
    call("link.link_move", body=models.LinkMove(SHOP, "https://town.example/shop/moved"))
    call("link.link_move", body=models.LinkDelete("https://town.example/shop/gone", True))
    call("link.link_redirects", target=SHOP)
    call("link.link_restore", target=SHOP)
    call("note.note_delete", note)
    call("undo.undo_list")
    call("undo.undo_last")


def suggestions():
    call("contact.contact_list")
    donation = models.InteractionDonateInteractionsItem(app="example.town", intent="getDirections", id="ride", participants=[])
    call("interaction.interaction_donate", body=models.InteractionDonate([donation]))
    call("interaction.interaction_list", app="example.town")
    call("interaction.interaction_forget", "ride")
    call("signal.signal_send", body=models.SignalSend("car"))
    made = call("reminder.reminder_new", body=models.ReminderNew("Buy a horn", when="car"))
    call("reminder.reminder_list")
    call("reminder.reminder_delete", made.id)
    waiting = models.NotificationSchedule(models.Payload.from_dict({"aps": {"alert": "A break"}}), every="day 15:00", id="break")
    call("notification.notification_schedule", body=waiting)
    call("notification.notification_pending", app="example.town")
    call("notification.notification_remove", "break")
    waiting = models.NotificationSchedule(models.Payload.from_dict({"aps": {"badge": 1}}), in_="0s", id="now")
    call("notification.notification_schedule", body=waiting)
    while not call("notification.notification_delivered"):
        time.sleep(0.05)
    call("notification.notification_remove_ids_delivered", "now")
    call("notification.notification_remove_pending", app="example.town")
    call("notification.notification_remove_delivered")
    call("suggestion.suggestion_list", "place", why=models.SuggestionListWhy(1))
    call("suggestion.suggestion_forget", body=models.SuggestionForget(all_=True, dry_run=True))


def shortcuts():
    call("shortcut.shortcut_set", body=models.ShortcutSet("clown", "Clown"), app="example.town")
    call("shortcut.shortcut_add", body=models.ShortcutAdd("horn", "Horn", target_content_id=SHOP), app="example.town")
    call("shortcut.shortcut_list", app="example.town")
    call("shortcut.shortcut_remove", "horn", app="example.town")


def deliveries():
    retried, dropped = failed(), failed()
    call("deliveries.deliveries_retry", retried)
    call("deliveries.deliveries_drop", dropped)
    call("deliveries.deliveries_answer", retried, body=models.DeliveriesAnswer("yes", message="no sender waits"))
    call("deliveries.deliveries_list", state=[models.DeliveriesListStateItem(word) for word in ("done", "failed")], limit=10)
    call("deliveries.deliveries_show", retried)
    call("notifications.post_hook", "plain", body={"n": "hooked"}, wait=models.PostHookWait(1))


def others():
    call("daemon.explain", body=models.Payload.from_dict({"aps": {}}), target=SHOP)
    call("daemon.reload")
    call("daemon.status")
    call("target.target_list", app="example.town")
    call("daemon.health")
    call("daemon.metrics")
    call("daemon.openapi")
    call("target.build_targets", body=models.BuildRequest(template="https://town.example/shop/{n}", variables=
        models.TemplateVariables.from_dict({"n": "x"})))
    call("target.match_targets", body=models.IdentifierRequest(SHOP))
    call("target.lint_targets", body=models.IdentifierRequest(SHOP))
    # A stream has no end: its head is enough, and its first line.
    operation = importlib.import_module("client.api.daemon.records")
    with daemon.get_httpx_client().stream(**operation._get_kwargs(since="")) as answer:
        pending.discard("daemon.records")
        print(json.dumps(["daemon.records", answer.status_code, answer.headers["content-type"], ""]))


for part in (scenes, activities, notes, suggestions, shortcuts, deliveries, others):
    part()
print(json.dumps(["never called", 0, "", sorted(pending)]))
