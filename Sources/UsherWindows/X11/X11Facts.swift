internal import CXcb

/// Further facts about a window, which can be queried while its window manager is still busy with it.
struct X11Facts {
    var title: String
    var process: Int32?
    var children: [UInt32]

    /// Answers that are on their way.
    struct Asked {
        fileprivate var name, oldName: xcb_get_property_cookie_t
        fileprivate var process: xcb_res_query_client_ids_cookie_t?
        fileprivate var tree: xcb_query_tree_cookie_t
    }
}

extension X11Connection {
    func askFacts(of window: UInt32) -> X11Facts.Asked {
        X11Facts.Asked(
            name: ask(.name, of: window, atMost: Self.longestText),
            oldName: ask(XCB_ATOM_WM_NAME.rawValue, of: window, atMost: Self.longestText),
            process: askProcess(of: window), tree: askTree(of: window))
    }

    /// Every answer is to be taken once: the library keeps it otherwise.
    mutating func facts(_ asked: X11Facts.Asked) -> X11Facts {
        let (name, oldName) = (text(asked.name), text(asked.oldName))
        return X11Facts(
            title: name ?? oldName ?? "", process: process(asked.process), children: tree(asked.tree)?.children ?? [])
    }
}
