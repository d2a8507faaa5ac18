package import UsherOperation
package import UsherScene
internal import UsherText

extension TargetContentIdentifier {
    /// An identifier as an argument gives it, exactly as it is to be stored.
    ///
    /// - Parameters:
    ///   - name: what the argument is called in errors, with its article.
    ///   - isPage: whether only the address of a web page will do.
    package init(
        argument text: String, _ name: String, isPage: Bool = false, code: DiagnosticCode = .linkIdentifier,
        at place: String
    ) throws(ControlError) {
        func refusal(_ message: String, _ help: String) -> ControlError {
            ControlError(code, message, at: place, help: help)
        }
        guard !text.utf8.isEmpty else {
            throw refusal("\(name) cannot be empty", "give the app's identifier of the content, or leave it out")
        }
        guard text.utf8.count <= Self.maximumLength else {
            throw refusal(
                "\(name) has at most \(Self.maximumLength) bytes, not \(text.utf8.count)",
                "content has a short name in its app: link to that, and keep long texts in the note")
        }
        guard !text.utf8.contains(0) else {
            throw refusal(
                "\(name) cannot hold a NUL character",
                "no app can be given such an identifier: it was probably cut out of something else")
        }
        self.init(text)
        if isPage, !isWebAddress {
            throw refusal(
                "\(QuotedText.text(text)) is not an address of the web",
                "a web page's address begins with https:// or http://")
        }
    }
}
