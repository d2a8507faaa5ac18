/// Events as a compositor sends them.
enum Wire {
    static func words(_ numbers: [UInt32]) -> [UInt8] {
        numbers.flatMap { number in withUnsafeBytes(of: number) { Array($0) } }
    }

    static func message(_ object: UInt32, _ opcode: UInt32, _ body: [UInt8] = []) -> [UInt8] {
        words([object, UInt32(body.count + 8) << 16 | opcode]) + body
    }

    static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8) + [0]
        return words([UInt32(bytes.count)]) + bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    /// `wl_registry.global`.
    static func global(_ interface: String, number: UInt32 = 1, version: UInt32 = 1) -> [UInt8] {
        message(2, 0, words([number]) + text(interface) + words([version]))
    }
}
