/// What a command was given, read by its description: options with their values, and operands.
struct Arguments: Sendable {
    /// In the order of the line; a flag has the value "".
    private var options: [(name: String, value: String)]
    let operands: [String]

    init(options: [(name: String, value: String)] = [], operands: [String] = []) {
        self.options = options
        self.operands = operands
    }

    func has(_ option: Option) -> Bool { options.contains { $0.name == option.name } }

    /// The option's value; the last one where it is repeatable.
    func value(_ option: Option) -> String? { options.last { $0.name == option.name }?.value }

    func values(_ option: Option) -> [String] { options.filter { $0.name == option.name }.map(\.value) }
}
