import Testing

@testable import UsherNotes

@Suite("TextFragment") struct TextFragmentTests {
    @Test(
        "a selected text is named in the address",
        arguments: [
            ("https://a.example/", "the text", "https://a.example/#:~:text=the%20text"),
            ("https://a.example/#s", "a-b, c & d", "https://a.example/#s:~:text=a%2Db%2C%20c%20%26%20d"),
            ("https://a.example/#s:~:text=old", "new", "https://a.example/#s:~:text=new"),
            ("https://a.example/", "  one\n\n two words ", "https://a.example/#:~:text=one,two%20words"),
            ("https://a.example/", "é", "https://a.example/#:~:text=%C3%A9"), ("https://a.example/", " \n", nil),
            (
                "https://a.example/",
                "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen",
                "https://a.example/#:~:text=one%20two%20three%20four%20five,thirteen%20fourteen%20fifteen%20sixteen%20seventeen"
            ),
        ] as [(String, String, String?)])
    func address(page: String, selection: String, address: String?) {
        #expect(TextFragment.address(of: page, selection: selection) == address)
    }
}
