import Foundation

/// Waits for something that another program or thread does; false when it has not happened in time, which is generous: a busy
/// machine is slow, not wrong.
package func eventually(within seconds: Double = 60, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
        if try condition() { return true }
        usleep(10_000)
    }
    return try condition()
}
