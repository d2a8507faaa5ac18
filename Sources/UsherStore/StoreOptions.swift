internal import UsherSystem
internal import UsherText

/// What a test may want otherwise than it is.
package struct StoreOptions: Sendable {
    /// How long to wait for another program's lock, in milliseconds.
    package var busyTimeout: Int32 = 5000
    /// How many pages the file may have: a full disk of any size.
    package var maximumPages: Int?
    package var migrations: [String] = Schema.migrations
    /// How many bytes are free where a folder is; nil where that is not known.
    package var freeSpace: @Sendable (_ folder: String) -> Int64? = { MigrationCopy.freeSpace(in: $0) }
    /// In microseconds since 1970.
    package var now: @Sendable () -> Int64 = { Instant.now.microseconds }

    package init() {}
}
