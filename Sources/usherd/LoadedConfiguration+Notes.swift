internal import UsherConfiguration
internal import UsherSystem

extension LoadedConfiguration {
    /// With the notes that the `usher` beside this program edits, or the one in the PATH.
    func withNotes() -> LoadedConfiguration {
        withNotes(
            program: OwnProgram.sibling("usher"), search: ProgramSearch(path: ProcessVariables.all()["PATH"]))
    }
}
