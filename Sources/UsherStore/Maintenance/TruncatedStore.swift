internal import Glibc
internal import UsherSystem

/// A copy of a store whose file ends before its last page, for reading: pages that are missing are empty in it.
///
/// SQLite opens no file that is shorter than its header says. The file itself stays as it is.
struct TruncatedStore: ~Copyable {
    private let copy: StoreDraft
    var path: String { copy.path }
    /// In bytes.
    private let length: Int64
    /// What the header says, in bytes; nil where the header is lost.
    private let expected: Int64?

    private init(_ copy: consuming StoreDraft, length: Int64, expected: Int64?) {
        self.copy = copy
        (self.length, self.expected) = (length, expected)
    }

    /// Whether the file ends before its last page.
    static func isOne(_ real: String) -> Bool {
        guard let file = StoreFile.Files(path: real) else { return false }
        let size = file.database.size
        if let header = FileHeader(of: real) { return size < header.size }
        // Without a header it has nothing but its log, which SQLite would remove beside an empty file.
        return size < FileHeader.length && (size > 0 || !file.isStill)
    }

    /// Nil where the file is as long as its header says.
    ///
    /// - Parameter real: where no process has the file open.
    static func copied(from real: String) throws(StoreError) -> TruncatedStore? {
        guard isOne(real), let length = StoreFile.Identity(path: real)?.size else { return nil }
        let header = FileHeader(of: real)
        let needed = header?.size ?? Int64(FileHeader.ownPageSize)
        let copy = try StoreDraft(of: real, mark: ".repair-") { .system($0, "a copy cannot be made", path: real) }
        // Made by the copying, which replaces nothing.
        unsafe unlink(copy.path)
        for ending in ["", "-wal", "-journal"] { try StoreFile.copy(real + ending, to: copy.path + ending) }
        // Of a part of a page, rows that are whole are kept: the others would be read as if they ended with zeros.
        if let header, length > header.pageSize, length % Int64(header.pageSize) > 0 {
            try trimLastPage(of: copy.path, length: length, header)
        }
        guard unsafe truncate(copy.path, off_t(needed)) == 0 else {
            throw .system(errno, "a copy cannot be made", path: copy.path)
        }
        return TruncatedStore(copy, length: length, expected: header?.size)
    }

    /// What is missing, for people.
    var lack: String {
        guard let expected else { return "the file ends after \(length) bytes, within its header" }
        return "the file ends after \(length) of \(expected) bytes"
    }

    private static func trimLastPage(of path: String, length: Int64, _ header: FileHeader) throws(StoreError) {
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, "a copy cannot be made", path: path) }
        defer { close(descriptor) }
        let present = Int(length % Int64(header.pageSize))
        let place = off_t(length) - off_t(present)
        var page = [UInt8](repeating: 0, count: present)
        let count = unsafe page.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, place) }
        guard count == present else { throw .system(EIO, "a copy cannot be read", path: path) }
        page = TablePage.trimmed(page, usable: header.usable)
        let written = unsafe page.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, place) }
        guard written == present else { throw .system(errno, "a copy cannot be made", path: path) }
    }
}

/// What the first bytes of a database say of its pages (https://sqlite.org/fileformat2.html#the_database_header).
private struct FileHeader {
    static let length = 100
    /// Of files that this program makes.
    static let ownPageSize = 8192

    let pageSize: Int
    /// The part of a page that holds something.
    let usable: Int
    /// Of the file, in bytes.
    let size: Int64

    /// Nil where the header is not whole, or does not say how large the file is.
    init?(of path: String) {
        guard let bytes = FileSystem.contents(of: path, limit: FileHeader.length),
            bytes.count == FileHeader.length,
            bytes.starts(with: "SQLite format 3\0".utf8)
        else { return nil }
        func number(_ place: Int, _ count: Int) -> Int { bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) } }
        let size = number(16, 2)
        pageSize = size == 1 ? 1 << 16 : size
        usable = pageSize - number(20, 1)
        // The number of pages is valid for the change that it was written with.
        guard pageSize >= 512, usable >= 480, number(24, 4) == number(92, 4) else { return nil }
        self.size = Int64(number(28, 4)) * Int64(pageSize)
    }
}

/// A page of a table's tree, of which the end is missing (https://sqlite.org/fileformat2.html#b_tree_pages).
private enum TablePage {
    /// The page with only those cells that are there as a whole, or zeros, which are no page of a tree.
    ///
    /// - Parameters:
    ///   - page: not the first of a file.
    ///   - usable: the part of a page that holds something.
    static func trimmed(_ page: [UInt8], usable: Int) -> [UInt8] {
        var trimmed = [UInt8](repeating: 0, count: page.count)
        let (leaf, inner): (UInt8, UInt8) = (13, 5)
        guard page.count > 12, page[0] == leaf || page[0] == inner else { return trimmed }
        let pointers = page[0] == leaf ? 8 : 12
        let count = Int(page[3]) << 8 | Int(page[4])
        guard pointers + 2 * count <= page.count else { return trimmed }
        trimmed = page
        var kept = 0
        for number in 0..<count {
            let place = pointers + 2 * number
            let cell = Int(page[place]) << 8 | Int(page[place + 1])
            guard let end = end(ofCell: cell, page, usable: usable), end <= page.count else { continue }
            trimmed[pointers + 2 * kept] = page[place]
            trimmed[pointers + 2 * kept + 1] = page[place + 1]
            kept += 1
        }
        trimmed[3] = UInt8(truncatingIfNeeded: kept >> 8)
        trimmed[4] = UInt8(truncatingIfNeeded: kept)
        return trimmed
    }

    /// Nil where its first bytes are missing.
    private static func end(ofCell cell: Int, _ page: [UInt8], usable: Int) -> Int? {
        var place = cell
        func number() -> Int? {
            var value = 0
            for index in 0..<9 {
                guard place < page.count else { return nil }
                let byte = page[place]
                place += 1
                if index == 8 { return value << 8 | Int(byte) }
                value = value << 7 | Int(byte & 0x7f)
                if byte < 0x80 { return value }
            }
            return nil
        }
        guard page[0] == 13 else {
            place += 4
            return number() == nil ? nil : place
        }
        guard let payload = number(), number() != nil, payload >= 0 else { return nil }
        let most = usable - 35
        if payload <= most { return place + payload }
        // The rest is on other pages.
        let least = (usable - 12) * 32 / 255 - 23
        let here = least + (payload - least) % (usable - 4)
        return place + (here <= most ? here : least) + 4
    }
}
