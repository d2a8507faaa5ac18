/// How text is kept text on its way through tmux.
enum TmuxQuoting {
    /// An argument on a command line: tmux takes a trailing `;` for the end of the command.
    static func argument(_ text: String) -> String {
        text.utf8.last == UInt8(ascii: ";") ? String(text.unicodeScalars.dropLast()) + "\\;" : text
    }

    /// An argument that tmux expands as a format: a doubled `#` is a `#`.
    static func format(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "#") { bytes.append(byte) }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Commands as a file for `source-file`: one a line, each argument in double quotes, and each byte in it that is not a
    /// letter or a digit as its octal escape, so that nothing is left for the parser to see a meaning in.
    static func script(_ commands: [[String]]) -> [UInt8] {
        var script: [UInt8] = []
        for command in commands {
            for argument in command {
                script.append(UInt8(ascii: "\""))
                for byte in argument.utf8 {
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                        script.append(byte)
                    default:
                        script.append(UInt8(ascii: "\\"))
                        script.append(0x30 + (byte >> 6))
                        script.append(0x30 + ((byte >> 3) & 7))
                        script.append(0x30 + (byte & 7))
                    }
                }
                script += Array("\" ".utf8)
            }
            script.append(0x0A)
        }
        return script
    }

    /// A session name as tmux keeps it.
    static func sessionName(_ name: String) -> String {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            let isSeparator = byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
            bytes.append(isSeparator ? UInt8(ascii: "_") : byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
