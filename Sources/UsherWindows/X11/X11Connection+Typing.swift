internal import CXcb
internal import Glibc

/// Whether the user is typing.
///
/// The server keeps, for each input device, how long ago it was used (SYNC extension, system counters). Usher reads the
/// counter of the core keyboard, which pointers don't affect, so no client has to listen to keys. A server without that
/// counter has one for all devices together, in which a moving pointer counts as typing.
extension X11Connection {
    /// The number of the core keyboard in every server with XInput 2.
    private static let counterNames = ["DEVICEIDLETIME 3", "IDLETIME"]

    /// In milliseconds; nil where the server has no such counter or does not answer.
    mutating func timeSinceKey() -> Int64? {
        if idleCounter == nil { idleCounter = findIdleCounter() }
        guard let counter = idleCounter, counter != 0 else { return nil }
        let asked = unsafe xcb_sync_query_counter(connection, counter)
        guard let reply = unsafe answer(asked.sequence, as: xcb_sync_query_counter_reply_t.self) else { return nil }
        defer { unsafe free(reply) }
        let value = unsafe reply.pointee.counter_value
        return Int64(value.hi) << 32 | Int64(value.lo)
    }

    private mutating func findIdleCounter() -> UInt32 {
        guard knowsIdleTime else { return 0 }
        let greeting = unsafe xcb_sync_initialize(connection, 3, 1)
        let asked = unsafe xcb_sync_list_system_counters(connection)
        unsafe free(answer(greeting.sequence, as: xcb_sync_initialize_reply_t.self))
        guard let reply = unsafe answer(asked.sequence, as: xcb_sync_list_system_counters_reply_t.self) else {
            return 0
        }
        defer { unsafe free(reply) }
        var found: [String: UInt32] = [:]
        var iterator = unsafe xcb_sync_list_system_counters_counters_iterator(reply)
        while unsafe iterator.rem > 0 {
            let length = unsafe Int(xcb_sync_systemcounter_name_length(iterator.data))
            if let data = unsafe iterator.data {
                // The library's own structure is two bytes longer than what is sent, and its name begins too late.
                let name = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(data) + 14, count: length)
                found[unsafe String(decoding: name, as: UTF8.self)] = unsafe data.pointee.counter
            }
            unsafe xcb_sync_systemcounter_next(&iterator)
        }
        return Self.counterNames.lazy.compactMap { found[$0] }.first ?? 0
    }
}
