/// The names that give something away, in lower case.
enum LintWords {
    /// Schemes without a host whose identifiers are judged like paths.
    static let judgedSchemes: Set<String> = ["file", "blob", "localhost"]

    /// Schemes of stores that exist once a device, a browser or a program.
    static let deviceStores: Set<String> = [
        "about", "assets-library", "blob", "chrome", "chrome-extension", "content", "data", "edge", "filesystem",
        "javascript", "moz-extension", "ms-appdata", "ms-appx", "ph", "safari-web-extension", "view-source",
        "x-coredata",
    ]

    static let localSuffixes = [
        ".local", ".lan", ".localhost", ".localdomain", ".internal", ".intranet", ".corp", ".home", ".private", ".test",
        ".home.arpa", "fritz.box",
    ]

    /// Where a host without a dot is a name of the own network; elsewhere (`notion://page/…`) it is the app's business.
    static let networkSchemes: Set<String> = [
        "amqp", "ftp", "http", "https", "imap", "ldap", "mongodb", "mysql", "nfs", "postgres", "postgresql", "redis",
        "sftp", "smb", "ssh", "vnc", "ws", "wss",
    ]

    static let temporarySuffixes = [
        ".ngrok.io", ".ngrok-free.app", ".ngrok.app", ".ngrok.dev", ".trycloudflare.com", ".loca.lt", ".localtunnel.me",
        ".serveo.net", ".gitpod.io", ".app.github.dev", ".githubpreview.dev", ".csb.app", ".stackblitz.io",
        ".webcontainer.io", ".replit.dev", ".repl.co", ".nip.io", ".sslip.io", ".devtunnels.ms",
    ]

    static let devices: Set<String> = [
        "androidid", "computername", "device", "deviceid", "devicename", "hostname", "idfa", "idfv", "imei",
        "machine", "machineid", "udid",
    ]

    static let sessions: Set<String> = [
        "asp.netsessionid", "cfid", "cftoken", "connect.sid", "jsessionid", "oscsid", "phpsessid", "phpsession",
        "sess", "sessid", "sessionid", "sessionkey", "xtsid", "zenid",
    ]

    static let tokens: Set<String> = [
        "accesstoken", "apikey", "assertion", "auth", "authenticitytoken", "authkey", "authorization", "authtoken",
        "awsaccesskeyid", "bearer", "clientsecret", "credential", "csrf", "csrfmiddlewaretoken", "csrftoken", "hmac",
        "idtoken", "jwt", "keypairid", "nonce", "oauthsignature", "oauthtoken", "oauthverifier", "otp", "passwd",
        "password", "pwd", "refreshtoken", "samlresponse", "secret", "sessiontoken", "sig", "signature", "ticket",
        "token", "verificationcode", "xamzcredential", "xamzsecuritytoken", "xamzsignature", "xgoogcredential",
        "xgoogsignature", "xsrf",
    ]

    /// How secrets of well-known services begin.
    static let secretPrefixes = [
        "AIzaSy", "AKIA", "ASIA", "github_pat_", "gho_", "ghp_", "ghs_", "ghu_", "glpat-", "npm_", "rk_live_",
        "sk_live_",
        "sk-ant-", "whsec_", "xoxa-", "xoxb-", "xoxp-", "ya29.",
    ]

    /// The first words of names.
    static let trackingPrefixes: Set<String> = ["at", "hsa", "itm", "matomo", "mtm", "piwik", "pk", "utm", "wt"]

    static let tracking: Set<String> = [
        "cmpid", "dclid", "epik", "fbactionids", "fbclid", "fbref", "fbsource", "ga", "gadsource", "gbraid", "gclid",
        "gclsrc", "gl", "hsenc", "hsmi", "icid", "igsh", "igshid", "ke", "lifatid", "mccid", "mceid", "mkttok",
        "msclkid", "nscampaign", "nsmchannel", "nssource", "olyanonid", "olyencid", "openstat", "rbclickid",
        "referer", "referrer", "refsrc", "refurl", "scid", "spm", "srsltid", "trk", "ttclid", "twclid", "veroconv",
        "veroid", "wbraid", "wickedid", "yclid", "ysclid",
    ]

    /// Parameters of moments; their values decide.
    static let moments: Set<String> = [
        "_", "accessed", "accessedat", "asof", "at", "cachebust", "cachebuster", "cb", "date", "datetime", "end",
        "from", "lastmodified", "modified", "modifiedat", "mtime", "nocache", "now", "r", "refresh", "rev", "since",
        "start", "t", "time", "timestamp", "to", "ts", "until", "updated", "updatedat", "v", "viewed", "viewedat",
    ]

    /// Parameters that only ever make addresses differ.
    static let cacheBreakers: Set<String> = [
        "_", "cachebust", "cachebuster", "cb", "nocache", "rand", "random", "rnd",
    ]

    /// Parameters of a view, whatever they say.
    static let views: Set<String> = [
        "activetab", "autoplay", "collapsed", "colorscheme", "cursor", "darkmode", "expand", "expanded", "focus",
        "fontsize", "fullscreen", "height", "highlight", "hl", "lang", "language", "layout", "locale", "orderby",
        "pagesize", "panel", "perpage", "rotation", "scroll", "scrollpos", "scrollposition", "scrollto", "scrolltop",
        "scrollx", "scrolly", "selected", "selection", "showsidebar", "sidebar", "sort", "sortby", "sortdir",
        "sortorder", "tab", "theme", "viewport", "width", "zoom", "zoomlevel",
    ]

    /// Parameters of a view where their values are numbers.
    static let numericViews: Set<String> = [
        "bearing", "limit", "offset", "page", "pitch", "scale", "skip", "startindex", "xoffset", "yoffset", "z",
    ]

    /// Parameters of a view where their values are such words.
    static let wordyViews: [String: Set<String>] = [
        "dir": ["asc", "ascending", "desc", "descending", "up", "down"],
        "direction": ["asc", "ascending", "desc", "descending"],
        "display": ["grid", "list", "cards", "table", "compact", "full"],
        "viewmode": ["edit", "preview", "grid", "list", "map", "table", "cards", "compact", "full", "split"],
        "displaymode": ["grid", "list", "compact", "full"],
        "mode": ["edit", "preview", "view", "read", "dark", "light", "compact", "fullscreen", "presentation"],
        "order": ["asc", "ascending", "desc", "descending", "newest", "oldest"],
        "view": [
            "agenda", "board", "calendar", "cards", "compact", "day", "details", "edit", "full", "gallery", "grid",
            "kanban",
            "list", "map", "month", "preview", "split", "table", "timeline", "week",
        ],
    ]

    /// Words that make a name of several one of a secret.
    static let tokenWords: Set<String> = ["apikey", "csrf", "password", "secret", "signature", "token"]

    /// Where a link stood, as `ref` says it.
    static let referrers: Set<String> = [
        "ad", "ads", "banner", "email", "facebook", "footer", "header", "homepage", "instagram", "linkedin", "mail",
        "newsletter", "push", "reddit", "rss", "share", "sidebar", "social", "tiktok", "twitter", "whatsapp",
    ]

    /// Words that make a name of several one of a view.
    static let viewWords: Set<String> = [
        "collapsed", "cursor", "editing", "expanded", "fullscreen", "highlight", "highlighted", "playback", "scroll",
        "selected",
        "sidebar", "sort", "tab", "theme", "viewport", "zoom",
    ]

    /// Words that make a name of several one of a moment.
    static let momentWords: Set<String> = [
        "accessed", "cache", "created", "fetched", "generated", "loaded", "modified", "refreshed", "requested", "seen",
        "snapshot", "synced",
        "time", "timestamp", "ts", "updated", "viewed", "visited",
    ]

    /// Where `t=125` is a position in a recording; in forums it is a topic.
    static let players: Set<String> = [
        "audio", "clip", "embed", "episode", "lecture", "media", "play", "player", "podcast", "recording", "track", "v",
        "video", "videos", "watch",
    ]

    static let titles: Set<String> = [
        "caption", "docname", "file", "filename", "label", "name", "subject", "title",
    ]

    /// Where people keep what they write, and rename it.
    static let ownPlaces: Set<String> = [
        "album", "albums", "board", "boards", "diary", "doc", "document", "documents", "drive", "file", "files",
        "journal", "list",
        "lists", "memo", "memos", "note", "notes", "photo", "photos", "project", "projects", "task", "tasks", "todo",
    ]

    /// Files that people edit and rename, or cameras number.
    static let documentExtensions: Set<String> = [
        "ai", "arw", "cr2", "cr3", "dng", "doc", "docm", "docx", "heic", "indd", "key", "nef", "numbers", "odg",
        "odp", "ods", "odt", "orf", "pages", "ppt", "pptx", "psd", "raf", "rtf", "sketch", "xls", "xlsm", "xlsx",
    ]

    static let mediaExtensions: Set<String> = [
        "avi", "bmp", "csv", "gif", "jpeg", "jpg", "m4a", "m4v", "md", "mkv", "mov", "mp3", "mp4", "pdf", "png",
        "svg", "tif", "tiff", "txt", "wav", "webp", "zip",
    ]

    /// How devices begin the names of files that they number.
    static let numberedNames = [
        "bildschirmfoto", "capture", "dji_", "dsc", "gopr", "img", "mvi", "photo", "pxl_", "scan", "screen shot",
        "screen recording",
        "screenshot", "vid_", "whatsapp image", "image",
    ]

    static let moving: Set<String> = [
        "aktuell", "current", "ohne titel", "heute", "latest", "most-recent", "newest", "now", "recent", "sans-titre",
        "selected",
        "selection", "sin-titulo", "today", "tomorrow", "unbenannt", "unnamed", "untitled", "yesterday", "last", "無題",
    ]

    static let unfilled: Set<String> = [
        "(null)", "<nil>", "<null>", "[object object]", "nan", "nil", "null", "undefined", "%s", "%d", "%@", "#value!",
        "#ref!",
        "#n/a", "00000000-0000-0000-0000-000000000000",
    ]

    /// Parameters that name content, so that an empty value names none.
    static let names: Set<String> = [
        "doc", "guid", "id", "item", "key", "note", "order", "product", "productid", "uuid",
    ]

    /// What comes before a person in a path.
    static let people: Set<String> = [
        "account", "accounts", "contact", "contacts", "mailbox", "member", "members", "people", "person", "profile",
        "profiles", "u", "user", "users",
    ]

    static let personParameters: Set<String> = [
        "account", "email", "login", "mail", "member", "owner", "recipient", "user", "username",
    ]
}
