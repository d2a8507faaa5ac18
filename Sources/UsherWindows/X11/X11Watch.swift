internal import CLinux
internal import Glibc
internal import Synchronization
internal import UsherActivation

/// Tells of the windows of a server for as long as it is wanted, whether that server is there or not.
final class X11Watch: WindowWatch {
    /// Titles may change a hundred times a second; nobody has to hear of each.
    private static let titlePause = 300
    /// A window that opens is listed, shown, named and given the keyboard: one thing for people.
    private static let pause = 25
    /// A new socket is there before its server answers.
    private static let firstRetry = 25
    private static let lastRetry = 3200
    /// Where nothing tells of a new server.
    private static let blindRetry = 30_000

    private let bell = X11Bell()
    private let thread = Mutex<X11Thread?>(nil)

    /// nil where the system gives no thread.
    init?(
        display: X11Display, environment: [String: String], server: @escaping @Sendable (String) -> String,
        _ changed: @escaping @Sendable (WindowList) -> Void
    ) {
        let bell = self.bell
        let started = X11Thread { Self.run(display, environment, bell, server, changed) }
        guard let started else { return nil }
        thread.withLock { $0 = started }
    }

    deinit { stop() }

    func stop() {
        bell.ring()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let running else { return }
        // Called from what it tells, it cannot wait for itself; nothing is told after that either.
        if running.isCurrent { running.detach() } else { running.join() }
    }

    private static func run(
        _ display: X11Display, _ environment: [String: String], _ bell: X11Bell,
        _ server: @escaping @Sendable (String) -> String, _ changed: @Sendable (WindowList) -> Void
    ) {
        let sockets = X11Sockets(display)
        var retry = firstRetry
        var isTold = false
        while !bell.hasRung {
            if let connection = X11Connection.open(display: display, environment: environment) {
                follow(X11Follower(connection, server: server), bell, changed)
                (retry, isTold) = (firstRetry, false)
                if bell.hasRung { return }
            }
            if !isTold { changed(WindowList(server: nil, windows: [])) }
            isTold = true
            let patience = retry <= lastRetry ? Int32(retry) : sockets.canTell ? -1 : Int32(blindRetry)
            var signs = [
                pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: sockets.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&signs, 2, patience)
            retry = signs[1].revents != 0 ? firstRetry : min(retry * 2, lastRetry * 2)
            if count > 0 { sockets.clear() }
        }
    }

    /// Until the server is gone, or nobody wants to hear more.
    private static func follow(
        _ given: consuming X11Follower, _ bell: X11Bell, _ changed: @Sendable (WindowList) -> Void
    ) {
        var follower = given
        var told: WindowList?
        while !bell.hasRung {
            guard let list = follower.look() else { return }
            if list != told {
                changed(list)
                told = list
            }
            // What happens meanwhile is looked at together.
            let (early, late) = (Deadline(inMilliseconds: pause), Deadline(inMilliseconds: titlePause))
            while !bell.hasRung, !follower.isLost {
                if follower.isDue || follower.hasUrgentNews {
                    if early.isOver { break }
                    rest(until: early, bell)
                } else if follower.hasNews {
                    if late.isOver { break }
                    // What matters more ends it.
                    follower.waitForUrgentNews(until: late, or: bell.descriptor)
                } else {
                    follower.wait(until: Deadline(inMilliseconds: .max), or: bell.descriptor)
                }
            }
        }
    }

    private static func rest(until deadline: Deadline, _ bell: X11Bell) {
        var sign = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&sign, 1, deadline.remainingMilliseconds)
    }
}
