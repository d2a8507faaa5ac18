/// The script that `usherd` loads into KWin 5.27 and 6. It reports windows, takes requests, and reports that it is unloaded.
///
/// A declarative script: only these run code when they are unloaded, and learn that a call failed. It polls for
/// requests with a call that is answered when there is one. Where the process that loaded it has ended, the call fails at
/// once, and the script unloads itself.
enum KWinScript {
    static let path = "/org/usher/KWin"
    static let interface = "org.usher.KWin"

    /// The versions of KWin, by what their scripts import and where the bus has these.
    enum Version {
        case six, five

        fileprivate var module: String {
            switch self {
            case .six: "3.0"
            case .five: "2.0"
            }
        }

        /// The object that has those of the scripts below it, and what their names begin with.
        var scripts: (path: String, prefix: String) {
            switch self {
            case .six: ("/Scripting", "Script")
            case .five: ("/", "")
            }
        }

        func path(ofScript number: Int64) -> String {
            let (path, prefix) = scripts
            return "\(path == "/" ? "" : path)/\(prefix)\(number)"
        }
    }

    /// - Parameters:
    ///   - peer: the unique name of the connection to report to.
    ///   - plugin: the name under which it is loaded: letters, digits and hyphens.
    static func text(_ version: Version, peer: String, plugin: String) -> String {
        """
        import QtQml 2.0
        import org.kde.kwin \(version.module)

        QtObject {
            id: usher
            readonly property string peer: "\(peer)"
            readonly property string plugin: "\(plugin)"
        \(contents)
        }

        """
    }

    private static let contents = #"""
            // KWin 6 and 5.
            readonly property var space: typeof workspace === "undefined" ? Workspace : workspace
            property var watchers: ({})
            property var changed: ({})
            property var gone: []
            property bool isReset: true
            property bool isReordered: true
            property int received: 0
            property double polled: 0

            function active() { return space.activeWindow === undefined ? space.activeClient : space.activeWindow }
            // A UUID without its braces.
            function key(window) { return String(window.internalId).slice(1, -1) }
            // KWin 5.27 has a class of its own for windows of Xwayland.
            function isX11(window) { return /^KWin::(X11|Xwayland)Window/.test(String(window)) }
            function isListed(window) {
                return window && window.managed !== false && !window.specialWindow && !window.popupWindow
                    && !window.deleted && !String(window).startsWith("KWin::InternalWindow")
            }
            function each(act) {
                const all = space.windows === undefined ? space.clients : space.windows
                for (let place = 0; place < all.length; ++place) if (isListed(all[place])) act(all[place])
            }

            function desktops(window) { return window.desktop === undefined ? window.desktops : [window.desktop] }
            function isHere(window) {
                const activities = window.activities || []
                return (window.onAllDesktops || desktops(window).indexOf(space.currentDesktop) >= 0)
                    && (activities.length === 0 || activities.indexOf(space.currentActivity) >= 0)
            }
            function desktopName(window) {
                if (window.onAllDesktops) return ""
                const first = desktops(window)[0]
                return first === undefined ? "" : String(typeof first === "number" ? first : first.name)
            }
            function described(window) {
                const parent = window.transientFor
                return {
                    id: key(window),
                    // Of windows with one title, KWin numbers the second one and so on; the mark behind the number is its own.
                    title: String(window.caption).replace(/ <\d+>\u200E$/, ""),
                    class: String(window.resourceClass), instance: String(window.resourceName), x11: isX11(window),
                    process: window.pid, parent: parent ? key(parent) : "", desktop: desktopName(window),
                    here: isHere(window), minimized: window.minimized, fullscreen: window.fullScreen,
                    urgent: window.demandsAttention
                }
            }

            function watch(window) {
                if (!isListed(window) || watchers[key(window)]) return
                watchers[key(window)] = watcher.createObject(usher, { target: window })
                touch(window)
                reorder()
            }
            function forget(window) {
                const id = key(window)
                if (!watchers[id]) return
                watchers[id].destroy()
                delete watchers[id]
                delete changed[id]
                gone.push(id)
                Qt.callLater(flush)
            }
            function touch(window) {
                if (watchers[key(window)]) changed[key(window)] = window
                Qt.callLater(flush)
            }
            function touchAll() { each(touch) }
            function reorder() {
                isReordered = true
                Qt.callLater(flush)
            }

            // What changed in one turn of KWin's event loop is one report, and is sent before later calls are answered.
            function flush() {
                const windows = Object.keys(changed).map(id => described(changed[id]))
                const focused = active()
                const message = {
                    reset: isReset, raises: typeof space.raiseWindow === "function", gone: gone,
                    focused: focused ? key(focused) : ""
                }
                if (isReordered) {
                    const order = []
                    each(window => order.push([window.stackingOrder, key(window)]))
                    message.order = order.sort((one, other) => one[0] - other[0]).map(pair => pair[1])
                }
                changed = {}
                gone = []
                isReset = isReordered = false
                const most = 100
                for (let start = 0; start === 0 || start < windows.length; start += most) {
                    message.windows = windows.slice(start, start + most)
                    message.more = start + most < windows.length
                    report.arguments = [plugin, JSON.stringify(message)]
                    report.call()
                    message.reset = false
                }
            }

            function place(area) {
                return [area.x, area.y, area.width, area.height].map(Math.round)
            }
            function screens() {
                if (space.screens !== undefined) return Array.from(space.screens).map(screen => place(screen.geometry))
                const areas = []
                // 7: the whole screen.
                for (let number = 0; number < space.numScreens; ++number)
                    areas.push(place(space.clientArea(7, number, space.currentDesktop)))
                return areas
            }
            function belongs(window, owner) {
                for (let steps = 0; window && steps < 8; ++steps, window = window.transientFor)
                    if (window === owner) return true
                return false
            }
            // What is drawn above it, with all that no list of windows has: panels, notifications.
            function above(window) {
                const all = space.windows === undefined ? space.clients : space.windows
                return Array.from(all).filter(other => other && !other.deleted && !other.minimized && isHere(other)
                    && other.stackingOrder > window.stackingOrder && other.opacity >= 0.5 && !belongs(other, window))
            }
            function look(window) {
                seen.arguments = [plugin, String(received), JSON.stringify({
                    window: place(window.clientGeometry === undefined ? window.frameGeometry : window.clientGeometry),
                    screens: screens(), above: above(window).map(other => place(other.frameGeometry))
                })]
                seen.call()
            }
            function perform(action, id) {
                each(window => {
                    if (key(window) !== id) return
                    if (action === "look") {
                        look(window)
                    } else if (action === "activate") {
                        window.minimized = false
                        if (space.activeWindow === undefined) space.activeClient = window
                        else space.activeWindow = window
                    } else if (action === "raise") {
                        space.raiseWindow(window)
                    } else if (action === "urgent") {
                        window.demandsAttention = true
                    } else if (action === "here") {
                        if (window.desktop === undefined) window.desktops = [space.currentDesktop]
                        else window.desktop = space.currentDesktop
                        if (!isHere(window)) window.activities = [space.currentActivity]
                    } else if (action === "close") {
                        window.closeWindow()
                    }
                })
            }
            function poll() {
                polled = Date.now()
                next.arguments = [plugin, String(received)]
                next.call()
            }

            property Component watcher: Component {
                Connections {
                    ignoreUnknownSignals: true
                    function onCaptionChanged() { usher.touch(target) }
                    function onWindowClassChanged() { usher.touch(target) }
                    function onMinimizedChanged() { usher.touch(target) }
                    function onFullScreenChanged() { usher.touch(target) }
                    function onDesktopChanged() { usher.touch(target) }
                    function onDesktopsChanged() { usher.touch(target) }
                    function onActivitiesChanged() { usher.touch(target) }
                    function onDemandsAttentionChanged() { usher.touch(target) }
                    function onTransientChanged() { usher.touch(target) }
                    function onStackingOrderChanged() { usher.reorder() }
                }
            }
            property Connections events: Connections {
                target: usher.space
                ignoreUnknownSignals: true
                function onWindowAdded(window) { usher.watch(window) }
                function onClientAdded(window) { usher.watch(window) }
                function onWindowRemoved(window) { usher.forget(window) }
                function onClientRemoved(window) { usher.forget(window) }
                function onWindowActivated() { Qt.callLater(usher.flush) }
                function onClientActivated() { Qt.callLater(usher.flush) }
                function onCurrentDesktopChanged() { usher.touchAll() }
                function onCurrentActivityChanged() { usher.touchAll() }
            }
            property DBusCall report: DBusCall {
                service: usher.peer; path: "\#(path)"; dbusInterface: "\#(interface)"; method: "Changed"
            }
            property DBusCall next: DBusCall {
                service: usher.peer; path: "\#(path)"; dbusInterface: "\#(interface)"; method: "Next"
                onFinished: function(values) {
                    usher.received = Number(values[0])
                    try {
                        usher.perform(values[1], values[2])
                    } finally {
                        usher.poll()
                    }
                }
                // A call that is not answered fails after 25 s; one to a connection that is gone fails at once.
                onFailed: Date.now() - usher.polled < 5000 ? usher.unload.call() : usher.poll()
            }
            property DBusCall seen: DBusCall {
                service: usher.peer; path: "\#(path)"; dbusInterface: "\#(interface)"; method: "Seen"
            }
            property DBusCall left: DBusCall {
                service: usher.peer; path: "\#(path)"; dbusInterface: "\#(interface)"; method: "Left"
                arguments: [usher.plugin]
            }
            property DBusCall unload: DBusCall {
                service: "org.kde.KWin"; path: "/Scripting"; dbusInterface: "org.kde.kwin.Scripting"
                method: "unloadScript"; arguments: [usher.plugin]
            }
            Component.onCompleted: {
                each(watch)
                Qt.callLater(flush)
                poll()
            }
            Component.onDestruction: left.call()
        """#
}
