internal import UsherSuggestions
internal import UsherSystem

/// `usher contact import`: takes in the contacts of a file of vCards.
enum ContactImportCommand {
    static let description = CommandDescription(
        "contact import", "take in the contacts of a file of vCards: versions 2.1, 3.0 and 4.0",
        operands: [.init("FILE.vcf|-")],
        discussion: [
            "A card replaces the contact with its UID, else with its name. Names, numbers, addresses and web pages are kept;",
            "photos, notes and all else are not. Cards that cannot be read are listed, and end the command with status 1; the",
            "others are taken in.",
        ],
        examples: [
            .init(
                #"printf 'BEGIN:VCARD\nVERSION:4.0\nFN:Crusty\nEND:VCARD\n' | usher contact import -"#,
                "from standard input")
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let path = arguments.operands[0]
        let spooled = try SpoolFile.copy(ofStream: path, context)
        if spooled == nil { _ = try InputFile(path) }
        let answer = try context.service().call(ContactImport(file: FilePath.absolute(spooled?.path ?? path)))
        withExtendedLifetime(spooled) {}
        context.errors.warnings(of: answer)
        if context.writesJSON {
            context.print(json: answer)
        } else {
            context.output.write(
                "\(answer.imported) imported, \(answer.replaced) replaced, \(answer.skipped) skipped\n")
            context.output.flush()
            for error in answer.errors {
                context.errors.warning("line \(error.line): \(error.message) [\(error.name)]")
            }
        }
        return answer.errors.isEmpty ? .handled : .finding
    }
}

/// `usher contact list`: the contacts, by name.
enum ContactListCommand {
    static let description = CommandDescription(
        ContactList.self, examples: [.init("usher contact list", "all of them")]
    ) { answer, _, context in
        context.print(
            answer, none: "no contacts: usher contact import FILE.vcf", indent: 0, ["name", "phone", "e-mail"]
        ) { contact in
            [contact.name, contact.phoneNumbers.first?.value ?? "", contact.emailAddresses.first?.value ?? ""]
        }
    }
}
