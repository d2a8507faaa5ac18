extension LogEvent {
    /// Every event there is and was. Written by Scripts/generate-log-events; a line is never removed, its id never changed.
    public static let catalog: [LogEvent] = [
        LogEvent("input-empty", .notice, "the input is empty: nothing to dispatch", "74e0df1232e24b8e8993e8db03aa6686"),
        LogEvent(
            "window-gone", .notice, "the chosen window is gone, deciding again",
            "e57ef39f34de441bbfcf0cf0e5b0a105"),
        LogEvent(
            "record-not-journalled", .error, "a record could not be journalled",
            "16e5875faaa44455879201016dc99620"),
        LogEvent("delivery-done", .info, "a request was carried out", "ec3e4368e9544172ada9ef46e9ab3231"),
        LogEvent("delivery-duplicate", .info, "a request was sent before", "b1faf1962c7545a2a3b054f63924f43f"),
        LogEvent("delivery-failed", .error, "a request could not be carried out", "e55ca5cb3a8c4e6a8de47b51fd30824f"),
        LogEvent(
            "delivery-recovered", .notice, "a delivery that was interrupted is finished",
            "3ea5bf4ec3d146af93b468a85134af4b"),
        LogEvent(
            "condition-unreadable", .warning, "a stored condition cannot be read and counts as false",
            "dbabf9a7059d47cf96337296118457d1"),
        LogEvent(
            "records-not-journalled", .error, "records could not be journalled",
            "c588f59e5ff74f32b6439274dbb32001"),
        LogEvent("store-not-pruned", .warning, "the store could not be pruned", "bd1220ab256740339fa675816978923d"),
        LogEvent(
            "there-no-journal-to-log", .warning, "there is no journal to log to",
            "da5f57583b3a4fd7858ea5c067e5d7f1"),
    ]
}
