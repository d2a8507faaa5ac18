import StoreTestSupport
import TestSupport
import Testing
import UsherScene

@testable import UsherNotes
@testable import UsherStore

/// Random moves, prefix moves and tombstones against a second, slow reading: every rule is tried on every identifier.
@Suite("Redirection, properties")
struct RedirectionPropertyTests {
    struct Rule: Equatable {
        var source: String
        var destination: String?
        var isPrefix: Bool
    }

    struct Model {
        var rules: [Rule] = []

        func rule(for id: String) -> (rule: Rule, next: String?)? {
            if let own = rules.first(where: { !$0.isPrefix && $0.source == id }) { return (own, own.destination) }
            let moves = rules.filter { rule in
                guard rule.isPrefix, id.hasPrefix(rule.source), let destination = rule.destination else { return false }
                return !(destination.hasPrefix(rule.source) && id.hasPrefix(destination))
            }
            guard let longest = moves.max(by: { $0.source.count < $1.source.count }) else { return nil }
            return (longest, (longest.destination ?? "") + id.dropFirst(longest.source.count))
        }

        /// The ids it goes through; nil where there is no end of it.
        func way(of id: String) -> (ids: [String], rules: [Rule], isDeleted: Bool)? {
            var ids = [id]
            var used: [Rule] = []
            while let (rule, next) = rule(for: ids[ids.count - 1]) {
                used.append(rule)
                guard let next else { return (ids, used, true) }
                if ids.contains(next) || ids.count > 32 { return nil }
                ids.append(next)
            }
            return (ids, used, false)
        }
    }

    /// Every identifier of up to six letters.
    static let universe: [String] = {
        var all: [String] = []
        var last = [""]
        for _ in 0..<6 {
            last = last.flatMap { [$0 + "a", $0 + "b"] }
            all += last
        }
        return all
    }()

    static func word(_ random: inout SeededGenerator, to longest: Int) -> String {
        String((0..<Int.random(in: 1...longest, using: &random)).map { _ in "ab".randomElement(using: &random) ?? "a" })
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func asASlowReadingSays(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let folder = TemporaryDirectory()
        let store = try folder.open()
        var model = Model()
        var refused = 0
        for _ in 0..<24 {
            let source = Self.word(&random, to: 4)
            let kind = Int.random(in: 0..<8, using: &random)
            var next = model
            let result: Result<Store.RedirectChange, Diagnostic>
            switch kind {
            case 0:
                guard let way = model.way(of: source) else { continue }
                result = try store.delete(content: TargetContentIdentifier(source))
                if !way.isDeleted {
                    next.rules.append(.init(source: way.ids.last ?? "", destination: nil, isPrefix: false))
                }
            case 1:
                let isPrefix = Bool.random(using: &random)
                result = try store.restore(content: TargetContentIdentifier(source), isPrefix: isPrefix)
                guard case .success(let change) = result else { continue }
                next.rules.removeAll {
                    $0.source == change.redirect.source.text && $0.isPrefix == (change.redirect.kind == .prefixMove)
                }
            default:
                let rule = Rule(
                    source: source, destination: Self.word(&random, to: 4), isPrefix: kind > 4)
                result = try store.move(
                    TargetContentIdentifier(source), to: TargetContentIdentifier(rule.destination ?? ""),
                    isPrefix: rule.isPrefix)
                if !next.rules.contains(rule) { next.rules.append(rule) }
            }
            switch result {
            case .success:
                model = next
                for id in Self.universe { #expect(model.way(of: id) != nil, "\(id) leads nowhere: \(model.rules)") }
            case .failure(let refusal):
                refused += 1
                if refusal.code == .redirectWouldLoop || refusal.code == .redirectTooLong {
                    let longer = Self.universe + Self.universe.map { "bbabaa" + $0 }
                    #expect(
                        longer.contains { next.way(of: $0) == nil },
                        "\(refusal.message) was refused for nothing: \(next.rules)")
                }
            }
        }
        try compare(store, model)
    }

    private func compare(_ store: Store, _ model: Model) throws {
        var ways: [String: [(id: String, rules: [Rule])]] = [:]
        for id in Self.universe {
            guard let way = model.way(of: id) else { continue }
            ways[way.ids.last ?? "", default: []].append((id, way.rules))
        }
        for id in Self.universe {
            guard let way = model.way(of: id), let newest = way.ids.last else { continue }
            let found = try store.redirection(of: TargetContentIdentifier(id))
            #expect([id] + found.hops.map(\.to.text) == way.ids)
            #expect(found.isDeleted == way.isDeleted)
            let older = found.olderIdentifiers.map(\.text)
            #expect(Set(older).isDisjoint(with: way.ids) && Set(older).count == older.count)
            for other in older { #expect(model.way(of: other)?.ids.last == newest, "\(other) is no \(newest)") }
            guard older.count < 64 else { continue }
            for (other, rules) in ways[newest] ?? [] where !way.ids.contains(other) {
                // A prefix move is gone through once on each way back.
                let moves = rules.filter(\.isPrefix)
                guard !moves.enumerated().contains(where: { moves[..<$0.offset].contains($0.element) }) else {
                    continue
                }
                #expect(older.contains(other), "\(other) leads to \(newest) as well: \(model.rules)")
            }
        }
    }
}
