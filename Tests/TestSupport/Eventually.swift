import Foundation

/// Waits for something that another program or thread does; false when it has not happened in time, which is generous: a busy
/// machine is slow, not wrong.
package func eventually(within seconds: Double = 60, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    var pause: useconds_t = 500
    while ContinuousClock.now < end {
        if try condition() { return true }
        usleep(pause)
        pause = min(pause * 2, 10_000)
    }
    return try condition()
}

/// Waits as `eventually` does, and ends the test where it was in vain.
package func waitUntil(_ what: String, _ condition: () throws -> Bool) throws {
    guard try eventually(condition) else { throw WaitedInVain(event: what) }
}

package struct WaitedInVain: Error, CustomStringConvertible {
    var event: String

    package var description: String { "waited in vain until \(event)" }
}
