internal import Synchronization
internal import UsherConfiguration
internal import UsherJSON
public import UsherStore

/// Writes notes, links and redirects as JSON Lines: `usher note export`. Only reads the store.
public struct NoteExport: Sendable {
    private let store: Store

    public init(_ store: Store) { self.store = store }

    /// What was written.
    public struct Counts: Sendable, Hashable {
        public var notes = 0
        public var links = 0
        public var redirects = 0
    }

    fileprivate struct Work: ~Copyable {
        var digest = MessageDigest()
        var json = JSONWriter(escaping: .minimal)
        var counts = Counts()
    }

    /// Writes everything, or some notes with their links, to an empty file that is open for writing.
    ///
    /// - Parameter restart: empties the file again: the store was replaced while it was read.
    public func write(
        notes: [String]? = nil, restart: @escaping @Sendable () throws(StoreError) -> Void,
        to write: @escaping @Sendable ([UInt8]) throws(StoreError) -> Void
    ) throws(StoreError) -> Counts {
        let work = Mutex(Work())
        try store.exportContent(notes: notes) { () throws(StoreError) in
            try restart()
            work.withLock { work in
                work = Work()
                work.json.exportHeader()
            }
        } take: { (row) throws(StoreError) in
            try work.withLock { (work) throws(StoreError) in
                switch row {
                case .note: work.counts.notes += 1
                case .link: work.counts.links += 1
                case .redirect: work.counts.redirects += 1
                }
                work.json.exportLine(row)
                if work.json.bytes.count >= 1 << 18 { try work.flush(write) }
            }
        }
        return try work.withLock { (work) throws(StoreError) in
            try work.flush(write)
            var digest = MessageDigest()
            swap(&digest, &work.digest)
            work.json.exportEnd(
                notes: work.counts.notes, links: work.counts.links, redirects: work.counts.redirects,
                digest: digest.hexadecimal())
            try write(work.json.bytes)
            return work.counts
        }
    }
}

extension NoteExport.Work {
    fileprivate mutating func flush(_ write: ([UInt8]) throws(StoreError) -> Void) throws(StoreError) {
        digest.update(json.bytes)
        try write(json.bytes)
        json.reset()
    }
}
