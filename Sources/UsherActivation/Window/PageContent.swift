/// What a page has that is read only on request.
public struct PageContent: Sendable, Hashable {
    /// Data that the page has for programs.
    public struct Data: Sendable, Hashable {
        public enum Kind: String, Sendable {
            case jsonLD = "json-ld"
            case microdata
        }

        public var kind: Kind
        /// As the page has it; JSON of the browser for microdata.
        public var text: String

        public init(_ kind: Kind, _ text: String) {
            self.kind = kind
            self.text = text
        }
    }

    /// The selected text; empty where nothing is selected.
    public var selection: String
    public var data: [Data]

    public init(selection: String, data: [Data] = []) {
        self.selection = selection
        self.data = data
    }
}
