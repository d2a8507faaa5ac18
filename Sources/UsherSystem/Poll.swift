internal import Glibc

/// poll(2), repeated when a signal interrupts it. Negative descriptors are never ready.
package enum Poll {
    package enum Outcome {
        case ready
        /// The descriptor that ends the wait can be read, whatever else is ready.
        case ended
        /// The deadline is over.
        case late
        /// With errno.
        case failed
    }

    /// Waits until a descriptor can be read or written, or `end` can be read.
    package static func wait(
        for descriptor: Int32, toWrite: Bool = false, or end: Int32 = -1, until deadline: Deadline?
    ) -> Outcome {
        guard let ready = wait(for: [(descriptor, toWrite ? POLLOUT : POLLIN), (end, POLLIN)], until: deadline) else {
            return .failed
        }
        if ready[1] { return .ended }
        return ready[0] ? .ready : .late
    }

    /// Waits until any of the descriptors can be read, or the reader of `output` has closed its end.
    ///
    /// - Returns: which are ready, in their order and `output` last: none at the deadline. nil with errno where poll(2)
    ///   fails.
    package static func readable(
        _ descriptors: Int32..., output: Int32 = -1, until deadline: Deadline?
    ) -> [Bool]? {
        // poll(2) reports a closed end even where no event is asked for.
        wait(for: descriptors.map { ($0, POLLIN) } + [(output, 0)], until: deadline)
    }

    package static func isReadable(_ descriptor: Int32) -> Bool {
        wait(for: descriptor, until: Deadline(inMilliseconds: 0)) == .ready
    }

    private static func wait(
        for descriptors: [(number: Int32, events: Int32)], until deadline: Deadline?
    ) -> [Bool]? {
        var polled = descriptors.map { pollfd(fd: $0.number, events: Int16($0.events), revents: 0) }
        while true {
            let count = unsafe poll(&polled, nfds_t(polled.count), deadline?.remainingMilliseconds ?? -1)
            if count < 0, errno == EINTR { continue }
            if count < 0 { return nil }
            if count > 0 || deadline?.isOver == true { return polled.map { $0.revents != 0 } }
        }
    }
}
