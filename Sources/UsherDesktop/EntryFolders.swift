internal import UsherSystem

/// The folders where desktop entries are, the first one first (XDG Base Directory Specification 0.8).
///
/// Nothing is remembered: what is installed, changed or removed is seen by the next look.
struct EntryFolders: Sendable {
    let folders: [String]

    /// As many entries are listed, in as many folders.
    private static let most = 10_000

    init(environment: [String: String]) {
        func absolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") && !path.utf8.contains(0) }
        var roots: [String] = []
        if let home = environment["XDG_DATA_HOME"], absolute(home) {
            roots.append(home)
        } else if let home = environment["HOME"], absolute(home) {
            roots.append(home + "/.local/share")
        }
        let given = environment["XDG_DATA_DIRS"] ?? ""
        let shared = (given.isEmpty ? "/usr/local/share:/usr/share" : given).split(separator: ":").map(String.init)
        folders = (roots + shared.filter(absolute)).map { $0 + "/applications" }
    }

    /// The file of an entry, with or without `.desktop`; the first folder that has it counts.
    func file(of name: String) -> (id: String, path: String)? {
        let id = name.hasSuffix(".desktop") ? name : name + ".desktop"
        guard id.utf8.count > 8, id.utf8.count <= 255, !id.utf8.contains(0), !id.utf8.contains(UInt8(ascii: "/"))
        else { return nil }
        for folder in folders {
            // A folder within is a prefix with a hyphen: kde/konsole.desktop is kde-konsole.desktop.
            var candidates = [(folder: folder, rest: Substring(id))]
            while let (folder, rest) = candidates.popLast() {
                let path = "\(folder)/\(rest)"
                if (try? FileSystem.kind(of: path)) == .file { return (id, path) }
                var place = rest.startIndex
                while let hyphen = rest[place...].firstIndex(of: "-") {
                    place = rest.index(after: hyphen)
                    let inner = rest[..<hyphen]
                    if !inner.isEmpty, inner != ".", inner != "..",
                        (try? FileSystem.kind(of: "\(folder)/\(inner)")) == .folder
                    {
                        candidates.append(("\(folder)/\(inner)", rest[place...]))
                    }
                }
            }
        }
        return nil
    }

    /// All of them, by id; what an earlier folder has hides what a later one has.
    var all: [(id: String, path: String)] {
        var found: [String: String] = [:]
        for folder in folders {
            var open = [(path: folder, prefix: "", depth: 0)]
            while let (path, prefix, depth) = open.popLast(), found.count < Self.most {
                for name in (try? FileSystem.names(in: path)) ?? [] where !name.hasPrefix(".") {
                    let inner = "\(path)/\(name)"
                    switch try? FileSystem.kind(of: inner) {
                    case .folder where depth < 4: open.append((inner, prefix + name + "-", depth + 1))
                    case .file where name.hasSuffix(".desktop"):
                        if found[prefix + name] == nil { found[prefix + name] = inner }
                    default: break
                    }
                }
            }
        }
        return found.sorted { $0.key < $1.key }.map { (id: $0.key, path: $0.value) }
    }
}
