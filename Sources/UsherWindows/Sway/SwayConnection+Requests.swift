internal import UsherActivation
internal import UsherJSON
internal import UsherSystem

/// What is asked of sway.
extension SwayConnection {
    mutating func ask(_ kind: SwayMessage.Kind, _ text: String = "") throws(SwayProblem) -> JSONDocument {
        let deadline = Deadline(inMilliseconds: Self.patience)
        try send(SwayMessage.encode(kind, text), until: deadline)
        return try Self.read(reply(to: kind, until: deadline))
    }

    mutating func tree() throws(SwayProblem) -> SwayTree { SwayTree(try ask(.tree)) }

    /// From now on these events arrive beside the replies.
    mutating func subscribe(to events: String) throws(SwayProblem) {
        let answer = try ask(.subscribe, events)
        guard let root = answer.root, answer.value("success", in: root).flatMap(answer.boolean) == true else {
            throw .refused("it gives no events")
        }
    }

    /// Waits until something happens, or has happened during the last request; false at the deadline.
    mutating func nextEvent(until deadline: Deadline) throws(SwayProblem) -> Bool {
        if events.isEmpty { return try receive(until: deadline) != nil }
        events = []
        return true
    }

    /// Runs commands, of which only numbers may come from elsewhere.
    mutating func run(_ commands: String) throws(SwayProblem) {
        if let problem = Self.problem(in: try ask(.runCommand, commands)) { throw .refused(problem) }
    }

    /// `sway 1.7`.
    mutating func version() throws(SwayProblem) -> String {
        let answer = try ask(.version)
        let number = answer.root.flatMap { answer.value("human_readable", in: $0) }.flatMap(answer.string)
        // Versions between releases say their commit and their day as well.
        return "sway \(number.map { String($0.prefix { $0 != "-" && $0 != " " }) } ?? "")"
    }

    /// What the first failed command of an answer says; nil where all succeeded.
    static func problem(in answer: JSONDocument) -> String? {
        guard let root = answer.root else { return "it does not answer" }
        for result in answer.elements(root)
        where answer.value("success", in: result).flatMap(answer.boolean) != true {
            return answer.value("error", in: result).flatMap(answer.string) ?? "it refuses, and does not say why"
        }
        return nil
    }

    /// The container that has the keyboard, of the first seat.
    static func focused(in seats: JSONDocument) -> Int64? {
        guard let root = seats.root, let seat = seats.firstElement(root) else { return nil }
        return seats.value("focus", in: seat).flatMap(seats.int64)
    }

    /// Titles come as their programs gave them: one that is no UTF-8 must not hide all others.
    static func read(_ body: [UInt8]) throws(SwayProblem) -> JSONDocument {
        // Each container inside another is two levels, and users may nest as they like.
        var document = JSONDocument(maximumDepth: 8192)
        do throws(JSONError) {
            try document.parse(body)
        } catch {
            do throws(JSONError) {
                try document.parse(Array(String(decoding: body, as: UTF8.self).utf8))
            } catch {
                throw .garbled("\(error)")
            }
        }
        return document
    }
}
