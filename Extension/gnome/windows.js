// What both code bases share. The head.js of the folder 43 or 45 comes before it and gives Gio, GLib, Meta, Shell and Main;
// `usher desktop install gnome` joins the two files as extension.js.

const NAME = 'org.usher.Shell';
const PATH = '/org/usher/Shell';

// Id, title, app_id, class, instance, process, startup id, id of the parent (0: none), workspace, flags.
const WINDOW = '(tssssistsu)';
const Flag = {
    HERE: 1, FOCUSED: 2, MINIMISED: 4, FULLSCREEN: 8, ON_TOP: 16, URGENT: 32,
};

const INTERFACE = `<node><interface name="${NAME}">
  <method name="Windows">
    <arg name="serial" type="t" direction="out"/>
    <arg name="windows" type="a${WINDOW}" direction="out"/>
  </method>
  <method name="Request">
    <arg name="action" type="s" direction="in"/>
    <arg name="window" type="t" direction="in"/>
    <arg name="token" type="s" direction="in"/>
  </method>
  <method name="Exposure">
    <arg name="window" type="t" direction="in"/>
    <arg name="place" type="(iiii)" direction="out"/>
    <arg name="screens" type="a(iiii)" direction="out"/>
    <arg name="above" type="a(iiii)" direction="out"/>
  </method>
  <method name="StartupToken"><arg name="token" type="s" direction="out"/></method>
  <method name="EndStartup"><arg name="token" type="s" direction="in"/></method>
  <signal name="Changed">
    <arg name="serial" type="t"/>
    <arg name="windows" type="a${WINDOW}"/>
    <arg name="closed" type="at"/>
  </signal>
</interface></node>`;

const TYPES = [
    Meta.WindowType.NORMAL, Meta.WindowType.DIALOG, Meta.WindowType.MODAL_DIALOG, Meta.WindowType.UTILITY,
];

// In milliseconds, between two reports of what only changes the text of a window: some titles change with every frame.
const TITLE_PAUSE = 100;

// The connections that may call: those whose process runs the file of usherd as the user of the shell.
//
// The bus names the process that opened the connection; its program is compared by device and inode, because a sandbox can
// show any path. Nothing else would be gained: a program of the same user outside of a sandbox can change this file.
class Peers {
    constructor(program, left) {
        this._program = program;
        this._left = left;
        this._watches = new Map();
    }

    has(sender) {
        return this._watches.has(sender);
    }

    async admit(sender) {
        if (this.has(sender))
            return;
        const credentials = await new Promise((resolve, reject) => {
            Gio.DBus.session.call(
                'org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'GetConnectionCredentials',
                new GLib.Variant('(s)', [sender]), new GLib.VariantType('(a{sv})'), Gio.DBusCallFlags.NONE, -1, null,
                (bus, result) => {
                    try {
                        resolve(bus.call_finish(result).recursiveUnpack()[0]);
                    } catch (error) {
                        reject(error);
                    }
                });
        });
        const user = identity('/proc/self', ['unix::uid']);
        const file = ['unix::device', 'unix::inode'];
        if (String(credentials.UnixUserID) !== user ||
            identity(`/proc/${credentials.ProcessID}/exe`, file) !== identity(this._program, file))
            throw new Error(`process ${credentials.ProcessID} does not run ${this._program}`);
        // Unique names are never given again: the verdict holds as long as the connection.
        if (!this.has(sender)) {
            this._watches.set(sender, Gio.bus_watch_name_on_connection(
                Gio.DBus.session, sender, Gio.BusNameWatcherFlags.NONE, null, () => this._remove(sender)));
        }
    }

    _remove(sender) {
        Gio.bus_unwatch_name(this._watches.get(sender));
        this._watches.delete(sender);
        this._left(sender);
    }

    destroy() {
        for (const watch of this._watches.values())
            Gio.bus_unwatch_name(watch);
        this._watches.clear();
    }
}

function identity(path, attributes) {
    const info = Gio.File.new_for_path(path).query_info(attributes.join(), Gio.FileQueryInfoFlags.NONE, null);
    return attributes.map(name => info.get_attribute_as_string(name)).join(':');
}

// What the shell knows of a token; undefined where it has given none like it, or its window is there.
function startupSequence(token) {
    return Shell.WindowTracker.get_default().get_startup_sequences().find(one => one.get_id() === token);
}

class WindowService {
    constructor(program) {
        this._peers = new Peers(program, sender => this._listeners.delete(sender));
        // Unique names of the connections that get signals.
        this._listeners = new Set();
        this._windows = new Map();
        // What each window was reported as.
        this._reported = new Map();
        // Of the last report: a list with the same serial has its changes. It grows when the extension is enabled again, too.
        this._serial = GLib.get_monotonic_time();
        this._changed = new Set();
        this._timer = 0;
        // What comes forward as soon as the overview is closed.
        this._next = null;
        this._idle = 0;
        this._connections = [];
        this._object = Gio.DBusExportedObject.wrapJSObject(INTERFACE, this);
        this._object.export(Gio.DBus.session, PATH);
        const all = () => this._report(this._windows.keys());
        const display = global.display;
        this._follow(display, 'window-created', (_display, window) => this._add(window));
        this._follow(display, 'notify::focus-window', all);
        this._follow(display, 'restacked', all);
        this._follow(global.workspace_manager, 'active-workspace-changed', all);
        this._follow(global.stage, 'notify::is-grabbed', all);
        this._follow(Main.overview, 'hidden', () => {
            all();
            this._leftOverview();
        });
        this._follow(Main.overview, 'showing', all);
        this._follow(Main.sessionMode, 'updated', all);
        for (const window of display.list_all_windows())
            this._add(window);
        this._owned = Gio.bus_own_name_on_connection(
            Gio.DBus.session, NAME, Gio.BusNameOwnerFlags.NONE, null, null);
    }

    destroy() {
        Gio.bus_unown_name(this._owned);
        this._object.unexport();
        for (const [object, handler] of this._connections)
            object.disconnect(handler);
        for (const window of [...this._windows.keys()])
            this._forget(window);
        for (const source of [this._timer, this._idle]) {
            if (source)
                GLib.source_remove(source);
        }
        this._timer = this._idle = 0;
        this._listeners.clear();
        this._peers.destroy();
    }

    _follow(object, signal, handler) {
        this._connections.push([object, object.connect(signal, handler)]);
    }

    // Windows

    _add(window) {
        if (this._windows.has(window))
            return;
        const one = () => this._report([window]);
        const title = () => this._report([window], TITLE_PAUSE);
        this._windows.set(window, [
            window.connect('notify::title', title),
            ...['wm-class', 'minimized', 'fullscreen', 'demands-attention', 'urgent', 'window-type'].map(
                name => window.connect(`notify::${name}`, one)),
            window.connect('shown', () => this._report(this._windows.keys())),
            window.connect('workspace-changed', () => this._report(this._windows.keys())),
            window.connect('unmanaged', () => {
                this._forget(window);
                this._report(this._windows.keys());
            }),
        ]);
        this._report([window]);
    }

    _forget(window) {
        for (const handler of this._windows.get(window) ?? [])
            window.disconnect(handler);
        this._windows.delete(window);
        this._changed.delete(window);
    }

    // A window without contents is not shown yet.
    _isListed(window) {
        return TYPES.includes(window.get_window_type()) && !window.is_override_redirect() &&
            window.get_buffer_rect().width > 0;
    }

    // The ids of the windows that no other window of their workspace is above.
    _tops() {
        const tops = new Map();
        const listed = [...this._windows.keys()].filter(window => this._isListed(window) && !window.minimized);
        for (const window of global.display.sort_windows_by_stacking(listed))
            tops.set(window.get_workspace(), window);
        return new Set(tops.values());
    }

    // Whether key strokes reach windows: neither the overview, nor a dialog or menu of the shell, nor the lock screen has them.
    _hasKeyboard() {
        return !Main.overview.visible && Main.modalCount === 0 && !Main.sessionMode.isLocked;
    }

    _value(window, tops, hasKeyboard) {
        const active = global.workspace_manager.get_active_workspace();
        const isWayland = window.get_client_type() === Meta.WindowClientType.WAYLAND;
        const group = window.get_wm_class() ?? '';
        const flags = [
            [window.located_on_workspace(active), Flag.HERE],
            [hasKeyboard && window === global.display.focus_window, Flag.FOCUSED],
            [window.minimized, Flag.MINIMISED],
            [window.is_fullscreen(), Flag.FULLSCREEN],
            [tops.has(window), Flag.ON_TOP],
            [window.demands_attention || window.urgent, Flag.URGENT],
        ];
        return [
            window.get_id(), window.get_title() ?? '', isWayland ? group : '', isWayland ? '' : group,
            isWayland ? '' : window.get_wm_class_instance() ?? '', Math.max(window.get_pid(), 0),
            window.get_startup_id() ?? '', window.get_transient_for()?.get_id() ?? 0,
            String((window.get_workspace()?.index() ?? -1) + 1),
            flags.reduce((sum, [isSo, flag]) => isSo ? sum | flag : sum, 0),
        ];
    }

    _values(windows) {
        const [tops, hasKeyboard] = [this._tops(), this._hasKeyboard()];
        return [...windows].filter(window => this._isListed(window)).map(
            window => this._value(window, tops, hasKeyboard));
    }

    // Sends what is new of these windows soon: many changes at a time are one signal.
    _report(windows, pause = 0) {
        if (this._listeners.size === 0)
            return;
        for (const window of windows)
            this._changed.add(window);
        if (this._timer && (pause > 0 || !this._isPausing))
            return;
        if (this._timer)
            GLib.source_remove(this._timer);
        this._isPausing = pause > 0;
        this._timer = GLib.timeout_add(GLib.PRIORITY_DEFAULT, pause, () => {
            this._timer = 0;
            this._send();
            return GLib.SOURCE_REMOVE;
        });
    }

    _send() {
        const changed = this._values(this._changed).filter(value => this._note(value));
        this._changed.clear();
        const present = new Set(
            [...this._windows.keys()].filter(window => this._isListed(window)).map(window => window.get_id()));
        const closed = [...this._reported.keys()].filter(id => !present.has(id));
        for (const id of closed)
            this._reported.delete(id);
        if (changed.length === 0 && closed.length === 0)
            return;
        this._serial += 1;
        const report = new GLib.Variant(`(ta${WINDOW}at)`, [this._serial, changed, closed]);
        for (const listener of this._listeners)
            Gio.DBus.session.emit_signal(listener, PATH, NAME, 'Changed', report);
    }

    // Whether this is not what was reported last.
    _note(value) {
        const text = JSON.stringify(value);
        if (this._reported.get(value[0]) === text)
            return false;
        this._reported.set(value[0], text);
        return true;
    }

    // Calls

    async _answer(invocation, body) {
        try {
            await this._peers.admit(invocation.get_sender());
        } catch (error) {
            invocation.return_dbus_error('org.freedesktop.DBus.Error.AccessDenied', error.message);
            return;
        }
        try {
            invocation.return_value(body(invocation.get_sender()));
        } catch (error) {
            invocation.return_dbus_error('org.freedesktop.DBus.Error.InvalidArgs', error.message);
        }
    }

    // The caller gets the signals from here on.
    WindowsAsync(_parameters, invocation) {
        this._answer(invocation, sender => {
            // What is new is a signal for those that have called before.
            for (const window of this._windows.keys())
                this._changed.add(window);
            this._send();
            this._listeners.add(sender);
            return new GLib.Variant(`(ta${WINDOW})`, [this._serial, this._values(this._windows.keys())]);
        });
    }

    _find(id) {
        const window = [...this._windows.keys()].find(one => one.get_id() === Number(id));
        if (!window)
            throw new Error(`there is no window ${id}`);
        return window;
    }

    // Where a window is without its frame, where the screens are, and what is drawn above the window.
    ExposureAsync([id], invocation) {
        this._answer(invocation, () => {
            const window = this._find(id);
            const place = area => [area.x, area.y, area.width, area.height];
            const screens = [];
            for (let number = 0; number < global.display.get_n_monitors(); number++)
                screens.push(place(global.display.get_monitor_geometry(number)));
            const belongs = other => {
                for (let one = other, steps = 0; one && steps < 8; one = one.get_transient_for(), steps++) {
                    if (one === window)
                        return true;
                }
                return false;
            };
            // From the bottom to the top.
            const actors = global.get_window_actors();
            const above = actors.slice(actors.findIndex(actor => actor.meta_window === window) + 1).filter(
                actor => actor.visible && actor.opacity >= 128 && !belongs(actor.meta_window));
            return new GLib.Variant('((iiii)a(iiii)a(iiii))', [
                place(window.frame_rect_to_client_rect(window.get_frame_rect())), screens,
                above.map(actor => place(actor.meta_window.get_frame_rect())),
            ]);
        });
    }

    RequestAsync([action, id, token], invocation) {
        this._answer(invocation, () => {
            const window = this._find(id);
            const method = {
                'activate': this._activate, 'raise': this._raise, 'mark-urgent': this._markUrgent, 'move-here': this._moveHere,
                'close': this._close,
            }[action];
            if (!method)
                throw new Error(`there is no action ${action}`);
            method.call(this, window, token);
            return null;
        });
    }

    // A token for a program that is started now: its window comes forward by the rules of the shell, and names the token.
    StartupTokenAsync(_parameters, invocation) {
        this._answer(invocation, () => {
            const info = Gio.AppInfo.create_from_commandline(
                'usher', 'Usher', Gio.AppInfoCreateFlags.SUPPORTS_STARTUP_NOTIFICATION);
            // With the time of now: where its user goes on in another window, that keeps the keyboard.
            const context = global.create_app_launch_context(global.display.get_current_time_roundtrip(), -1);
            const token = context.get_startup_notify_id(info, []);
            return new GLib.Variant('(s)', [token ?? '']);
        });
    }

    // What was started has its window, or will have none: the shell waits no longer.
    EndStartupAsync([token], invocation) {
        this._answer(invocation, () => {
            startupSequence(token)?.complete();
            return null;
        });
    }

    // A token that the shell knows has the time of what its user did, and the rule of Mutter holds: where the user has done
    // something else since, the window is marked only. Without one it is the request of the moment.
    _activate(window, token) {
        const display = global.display;
        const sequence = startupSequence(token);
        let time = display.get_current_time_roundtrip();
        if (sequence) {
            const given = sequence.get_timestamp();
            sequence.complete();
            if (given && display.xserver_time_is_before(given, display.get_last_user_time())) {
                this._markUrgent(window);
                return;
            }
            time = given || time;
        }
        if (!Main.overview.visible) {
            // A dialog, a menu or the lock screen keeps the keyboard.
            if (this._hasKeyboard())
                Main.activateWindow(window, time);
            else
                this._markUrgent(window);
            return;
        }
        // What gets the focus while the overview has the keyboard has no keyboard afterwards (Mutter 43).
        this._next = window;
        Main.overview.hide();
    }

    _leftOverview() {
        const window = this._next;
        this._next = null;
        if (!window)
            return;
        this._idle = GLib.idle_add(GLib.PRIORITY_DEFAULT, () => {
            this._idle = 0;
            if (this._windows.has(window))
                Main.activateWindow(window, global.display.get_current_time_roundtrip());
            return GLib.SOURCE_REMOVE;
        });
    }

    _raise(window) {
        if (window.minimized)
            window.unminimize();
        window.raise();
    }

    _markUrgent(window) {
        window.set_demands_attention();
    }

    _moveHere(window) {
        window.change_workspace(global.workspace_manager.get_active_workspace());
    }

    _close(window) {
        window.delete(global.display.get_current_time_roundtrip());
    }
}
