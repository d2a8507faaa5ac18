internal import UsherActivation
internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherText

// MARK: - JSON

extension Context {
    /// Prints an answer as one line of JSON.
    func print(json answer: some FieldValue) { printJSON { answer.write(to: &$0) } }

    /// Prints a value as one line of JSON.
    func printJSON(_ write: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        write(&json)
        json.newline()
        output.write(json.bytes)
    }

    /// Prints answers as one JSON array, an element a line.
    func printArray(_ elements: [some FieldValue]) {
        printArray(elements) { element, json in element.write(to: &json) }
    }

    /// Prints values as one JSON array, an element a line.
    func printArray<Element>(_ elements: [Element], _ write: (Element, inout JSONWriter) -> Void) {
        var json = JSONWriter()
        output.write("[")
        for (index, element) in elements.enumerated() {
            output.write(index == 0 ? "\n" : ",\n")
            json.reset()
            write(element, &json)
            output.write(json.bytes)
        }
        output.write(elements.isEmpty ? "]\n" : "\n]\n")
    }
}

// MARK: - JSON, or text for people

extension Context {
    /// Prints an answer as one line of JSON, or its text for people.
    func print(_ answer: some FieldValue, text: @autoclosure () -> String) {
        if writesJSON { print(json: answer) } else { output.write(text()) }
    }

    /// Prints an id; with `--json` all of the answer.
    func print(id: String, of answer: some FieldValue) {
        if asksForJSON { print(json: answer) } else { output.write(id + "\n") }
    }

    /// Prints answers as one JSON array, or as a table.
    ///
    /// - Parameters:
    ///   - none: what people are told where there are none.
    ///   - listed: the kind and the id of each, where the number of its row is to stand for it from now on.
    ///   - row: the cells of one.
    func print<Answer: FieldValue>(
        _ answers: [Answer], none: String, listed: (kind: IdentifierKind, id: (Answer) -> String)? = nil,
        indent: Int = 3, _ head: [String], row: (Answer) -> [String?]
    ) {
        if writesJSON { return printArray(answers) }
        if answers.isEmpty { return errors.note(none) }
        var rows: [[String?]] = [head] + answers.map(row)
        if let listed, self.rows.keep(answers.map(listed.id), listed.kind) {
            rows = rows.enumerated().map { index, row in [index == 0 ? "number" : ListedRows.text(index)] + row }
        }
        output.write(TextTable.text(escaping: rows, indent: indent))
    }

    /// Prints a decision record.
    func print(record: DecisionRecord) {
        var line: [UInt8] = []
        if writesJSON {
            record.appendLine(to: &line)
        } else {
            line = Array((record.text(style: style) + "\n").utf8)
        }
        output.write(line)
    }

    /// Warns of what could not be done beside the result.
    func warn(of failures: [ActivationFailure]) {
        for failure in failures { errors.warning("\(failure.message) [\(failure.code)]", help: failure.help) }
    }
}

extension TextTable {
    /// One line a row, its end included. Cells are escaped; one without a value is `-`.
    static func text(escaping rows: [[String?]], indent: Int = 0) -> String {
        text(rows.map { $0.map { Printable.escaped($0 ?? "-") } }, indent: indent)
    }
}
