import CGIO
import Foundation

/// GLib's own launching of a desktop entry, as the judge of ours.
enum GIOLaunch {
    /// The lines that the program wrote, or nil where GLib refuses.
    static func run(_ file: String, _ uris: [String]) -> [String]? {
        guard let entry = g_desktop_app_info_new_from_filename(file) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(entry)) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var list: UnsafeMutablePointer<GList>?
        for uri in uris { list = g_list_append(list, g_strdup(uri)) }
        defer { g_list_free_full(list) { g_free($0) } }
        let isStarted = g_desktop_app_info_launch_uris_as_manager_with_fds(
            entry, list, nil, G_SPAWN_SEARCH_PATH, nil, nil, nil, nil, -1, ends[1], -1, nil)
        close(ends[1])
        defer { close(ends[0]) }
        guard isStarted != 0 else { return nil }
        let output = FileHandle(fileDescriptor: ends[0]).readDataToEndOfFile()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init).sorted()
    }
}
