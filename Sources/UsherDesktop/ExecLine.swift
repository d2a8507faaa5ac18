/// The value of `Exec`: the words of a command line, with places for what is filled in (Desktop Entry Specification 1.5,
/// the Exec key).
///
/// Words are split as GLib splits them, which is wider than the specification: apostrophes quote, and quotes may begin
/// within a word. No shell ever sees any of it.
struct ExecLine: Equatable {
    struct Word: Equatable {
        enum Piece: Equatable {
            case text(String)
            /// The letter of a field code, one of `fFuUick`.
            case code(Unicode.Scalar)
        }

        var pieces: [Piece] = []
        /// Some of it stands in quotes, or was escaped.
        var isQuoted = false
        /// Where it begins, in characters from 1.
        var place: Int

        /// Nothing but this code, and what is filled in for it may be any number of words.
        var code: Unicode.Scalar? {
            guard pieces.count == 1, case .code(let code) = pieces[0] else { return nil }
            return code
        }

        /// The code in it for what the launch is about.
        var subject: Unicode.Scalar? {
            for case .code(let code) in pieces where "fFuU".unicodeScalars.contains(code) { return code }
            return nil
        }
    }

    var words: [Word]

    /// Codes that once meant something, and are left out.
    private static let obsolete = "dDnNvm"
    /// What a backslash keeps its meaning before, within quotation marks.
    private static let escapable = "\"`$\\"

    init(_ text: String) throws(ExecProblem) {
        words = []
        var word: Word?
        var buffer = ""
        var quote: (mark: Unicode.Scalar, place: Int)?
        let scalars = Array(text.unicodeScalars)
        var index = 0

        func flush(_ word: inout Word?) {
            if !buffer.isEmpty { word?.pieces.append(.text(buffer)) }
            buffer = ""
        }
        while index < scalars.count {
            let scalar = scalars[index]
            let next = index + 1 < scalars.count ? scalars[index + 1] : nil
            let place = index + 1
            index += 1
            if quote == nil, scalar == " " || scalar == "\t" || scalar == "\n" {
                flush(&word)
                if let done = word { words.append(done) }
                word = nil
                continue
            }
            if word == nil {
                if scalar == "#" { throw ExecProblem(place, "a word begins with #, which is to be quoted") }
                word = Word(place: place)
            }
            switch (scalar, quote?.mark) {
            case ("'", "'"), ("\"", "\""): quote = nil
            case ("'", nil), ("\"", nil):
                quote = (scalar, place)
                word?.isQuoted = true
            case ("\\", nil), ("\\", "\""):
                guard let next else { throw ExecProblem(place, "it ends with a backslash") }
                word?.isQuoted = true
                if quote == nil || Self.escapable.unicodeScalars.contains(next) {
                    buffer.unicodeScalars.append(next)
                    index += 1
                } else {
                    buffer.unicodeScalars.append(scalar)
                }
            case ("%", _):
                guard let next else { throw ExecProblem(place, "it ends with %, which is written %%") }
                index += 1
                if next == "%" {
                    buffer.unicodeScalars.append("%")
                } else if "fFuUick".unicodeScalars.contains(next) {
                    flush(&word)
                    word?.pieces.append(.code(next))
                } else if !Self.obsolete.unicodeScalars.contains(next) {
                    throw ExecProblem(place, "%\(next) is no field code; a percent sign is written %%")
                } else if word?.pieces.isEmpty == true, buffer.isEmpty, word?.isQuoted == false,
                    index == scalars.count || scalars[index] == " "
                {
                    // It was a word of its own: there is none.
                    word = nil
                }
            default: buffer.unicodeScalars.append(scalar)
            }
        }
        if let quote { throw ExecProblem(quote.place, "the quotation that begins here does not end") }
        flush(&word)
        if let done = word { words.append(done) }
        try check()
    }

    /// The rules that hold whatever is filled in.
    private func check() throws(ExecProblem) {
        guard let program = words.first else { throw ExecProblem(1, "it is empty") }
        guard program.pieces.allSatisfy({ if case .text = $0 { true } else { false } }), !program.pieces.isEmpty else {
            throw ExecProblem(program.place, "the program is not named")
        }
        var subjects = 0
        for word in words {
            for case .code(let code) in word.pieces {
                if "fFuU".unicodeScalars.contains(code) { subjects += 1 }
                if "FUi".unicodeScalars.contains(code), word.code == nil {
                    throw ExecProblem(word.place, "%\(code) has to be a word of its own")
                }
            }
        }
        if subjects > 1 { throw ExecProblem(1, "it has more than one of %f, %F, %u and %U") }
    }
}

/// What is wrong with an `Exec`, and at which of its characters.
struct ExecProblem: Error, Equatable {
    var place: Int
    var message: String
    /// What to do about it, where the line itself is right.
    var help: String?

    init(_ place: Int, _ message: String, help: String? = nil) {
        self.place = place
        self.message = message
        self.help = help
    }

    var text: String { "Exec, character \(place): \(message)" }
}
