// swift-tools-version: 6.2
import PackageDescription

// Every target obeys the same rules: warnings are errors, and a file sees only what it imports.
let testRules: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// In the sources the C boundary is visible too: each unsafe call says so.
let rules = testRules + [.strictMemorySafety()]

// Targets stand in dependency order: each imports only targets above it. The rule each one exists
// for is in Documentation/Architecture.md.
let package = Package(
    name: "usher",
    products: [
        .library(name: "UsherTarget", targets: ["UsherTarget"]),
        .executable(name: "usher", targets: ["usher"]),
        .executable(name: "usherd", targets: ["usherd"]),
    ],
    targets: [
        // C libraries. Each has one importer; only OpenSSL has two, and CLinux several.
        .target(name: "CLinux"),
        .target(name: "CTOML"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CBus", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(name: "CGIO", pkgConfig: "gio-unix-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(
            name: "CXcb", pkgConfig: "xcb-res",
            providers: [.apt(["libxcb1-dev", "libxcb-res0-dev", "libxcb-sync-dev"])]),

        // Pure: no I/O, no clock, no C.
        .target(name: "UsherText"),
        .target(name: "UsherPredicate", dependencies: ["UsherText"]),
        .target(name: "UsherTarget", dependencies: ["UsherText"]),
        .target(name: "UsherJSON", dependencies: ["UsherText"]),
        .target(name: "UsherScene", dependencies: ["UsherText", "UsherPredicate", "UsherTarget"]),
        .target(name: "UsherPayload", dependencies: ["UsherText", "UsherJSON", "UsherScene"]),
        .target(
            name: "UsherResolution", dependencies: ["UsherText", "UsherPredicate", "UsherTarget", "UsherScene"]),
        .target(name: "UsherDelivery", dependencies: ["UsherText", "UsherScene"]),
        .target(
            name: "UsherHook",
            dependencies: ["UsherText", "UsherTarget", "UsherJSON", "UsherScene", "UsherPayload"]),

        .target(name: "UsherOperation", dependencies: ["UsherText", "UsherJSON", "UsherScene"]),
        .target(name: "UsherPlace", dependencies: ["UsherText", "UsherTarget", "UsherJSON", "UsherScene"]),
        .target(name: "UsherPage", dependencies: ["UsherText", "UsherJSON", "UsherScene"]),
        .target(
            name: "UsherSuggestion",
            dependencies: [
                "UsherText", "UsherPredicate", "UsherJSON", "UsherScene", "UsherPayload", "UsherOperation",
            ]),

        // The shells around them.
        .target(name: "UsherSystem", dependencies: ["CLinux", "UsherText"]),
        .target(name: "UsherLog", dependencies: ["UsherText", "UsherSystem", "UsherJSON", "UsherScene"]),
        .target(
            name: "UsherConfiguration",
            dependencies: [
                "CTOML", "UsherText", "UsherSystem", "UsherPredicate", "UsherTarget",
                "UsherJSON", "UsherScene", "UsherPayload", "UsherHook",
            ]),
        .target(
            name: "UsherStore",
            dependencies: ["CSQLite", "UsherText", "UsherSystem", "UsherPredicate", "UsherTarget", "UsherScene"]),
        // Features: none imports another but suggestions, which are of activities.
        .target(
            name: "UsherNotes", dependencies: ["UsherText", "UsherSystem", "UsherTarget", "UsherScene", "UsherStore"]),
        .target(name: "UsherActivities", dependencies: ["UsherText", "UsherSystem", "UsherScene", "UsherStore"]),
        .target(
            name: "UsherSuggestions",
            dependencies: ["UsherText", "UsherSystem", "UsherTarget", "UsherScene", "UsherStore", "UsherActivities"]),
        .target(
            name: "UsherActivation", dependencies: ["CLinux", "UsherText", "UsherSystem", "UsherJSON", "UsherScene"]),
        .target(
            name: "UsherWindows",
            dependencies: [
                "CLinux", "CXcb", "UsherText", "UsherSystem", "UsherJSON", "UsherScene", "UsherActivation",
            ]),
        .target(
            name: "UsherBus",
            dependencies: ["CLinux", "CBus", "UsherText", "UsherSystem", "UsherJSON", "UsherScene", "UsherActivation"]),
        .target(
            name: "UsherDesktop",
            dependencies: ["CGLib", "UsherText", "UsherSystem", "UsherScene", "UsherActivation", "UsherBus"]),
        .target(
            name: "UsherControl",
            dependencies: ["CLinux", "UsherText", "UsherSystem", "UsherJSON", "UsherScene", "UsherOperation"]),
        .target(
            name: "UsherDispatch",
            dependencies: [
                "CLinux", "UsherText", "UsherSystem", "UsherPredicate", "UsherTarget", "UsherJSON", "UsherScene",
                "UsherPayload", "UsherHook", "UsherPage", "UsherSuggestion", "UsherPlace",
                "UsherResolution", "UsherDelivery", "UsherLog", "UsherConfiguration", "UsherStore", "UsherNotes",
                "UsherActivities", "UsherSuggestions", "UsherActivation", "UsherOperation",
            ]),
        .target(name: "UsherCrypto", dependencies: ["COpenSSL"]),
        .target(name: "UsherHTTP", dependencies: ["CLinux", "COpenSSL", "UsherText", "UsherSystem", "UsherJSON"]),
        .target(
            name: "UsherIngress",
            dependencies: [
                "UsherText", "UsherSystem", "UsherTarget", "UsherJSON", "UsherScene", "UsherPayload", "UsherHook",
                "UsherLog",
                "UsherConfiguration",
                "UsherStore",
                "UsherActivation", "UsherOperation", "UsherControl", "UsherDispatch", "UsherCrypto", "UsherHTTP",
            ]),
        .executableTarget(
            name: "usher",
            dependencies: [
                "CLinux", "UsherText", "UsherSystem", "UsherPredicate", "UsherTarget", "UsherJSON", "UsherScene",
                "UsherPayload", "UsherHook", "UsherPlace", "UsherPage", "UsherSuggestion",
                "UsherResolution", "UsherLog", "UsherConfiguration", "UsherStore", "UsherNotes", "UsherActivities",
                "UsherSuggestions", "UsherActivation", "UsherOperation", "UsherControl", "UsherDispatch",
            ]),
        .executableTarget(
            name: "usherd",
            dependencies: [
                "CLinux", "UsherText", "UsherSystem", "UsherPredicate", "UsherTarget", "UsherJSON", "UsherScene",
                "UsherPayload", "UsherHook",
                "UsherResolution", "UsherLog", "UsherConfiguration", "UsherStore", "UsherNotes", "UsherActivities",
                "UsherSuggestions", "UsherActivation", "UsherWindows",
                "UsherBus", "UsherDesktop", "UsherOperation", "UsherControl", "UsherDispatch", "UsherCrypto",
                "UsherHTTP", "UsherIngress",
            ]),
        // Measures look-ups without a process around each.
        .executableTarget(
            name: "usher-suggestions",
            dependencies: ["UsherScene", "UsherStore", "UsherNotes"], path: "Benchmarks/suggestions"),
        // The same for decisions.
        .executableTarget(
            name: "usher-decisions", dependencies: ["UsherPredicate", "UsherScene", "UsherResolution"],
            path: "Benchmarks/decisions"),
        // The same for windows.
        .executableTarget(
            name: "usher-focus", dependencies: ["UsherSystem", "UsherActivation", "UsherBus", "UsherWindows"],
            path: "Benchmarks/focus"),
        // What several test targets need.
        .target(name: "TestSupport", dependencies: ["UsherSystem", "UsherActivation"], path: "Tests/TestSupport"),
        // What the tests of the store and of features need.
        .target(
            name: "StoreTestSupport",
            dependencies: ["UsherText", "UsherSystem", "UsherPredicate", "UsherScene", "UsherStore", "TestSupport"],
            path: "Tests/StoreTestSupport"),
    ]
        + tests([
            "UsherText": ["UsherText"],
            "UsherSystem": ["UsherSystem", "UsherText"],
            "UsherPredicate": ["UsherPredicate"],
            "UsherTarget": ["UsherTarget", "UsherJSON"],
            "UsherJSON": ["UsherJSON"],
            "UsherScene": ["UsherScene", "UsherText", "UsherPredicate", "UsherTarget"],
            "UsherPayload": ["UsherPayload", "UsherJSON", "UsherScene"],
            "UsherResolution": ["UsherResolution", "UsherScene", "UsherPredicate", "UsherTarget"],
            "UsherDelivery": ["UsherDelivery", "UsherText", "UsherScene"],
            "UsherHook": ["UsherHook", "UsherText", "UsherTarget", "UsherJSON", "UsherScene", "UsherPayload"],
            "UsherPlace": ["UsherPlace", "UsherTarget", "UsherJSON", "UsherScene"],
            "UsherPage": ["UsherPage", "UsherJSON", "UsherScene"],
            "UsherSuggestion": [
                "UsherSuggestion", "UsherOperation", "UsherPayload", "UsherJSON", "UsherText", "UsherScene",
            ],
            "UsherLog": ["UsherLog", "UsherText", "UsherSystem", "UsherJSON", "UsherScene"],
            "UsherConfiguration": [
                "UsherConfiguration", "UsherText", "UsherScene", "UsherPredicate", "UsherTarget", "UsherJSON",
                "UsherPayload",
                "UsherHook",
            ],
            // Files with the tables of all features, too.
            "UsherStore": [
                "UsherStore", "UsherText", "UsherSystem", "UsherScene", "UsherPredicate", "UsherNotes",
                "UsherActivities",
                "UsherSuggestions", "StoreTestSupport",
            ],
            "UsherNotes": [
                "UsherNotes", "UsherActivities", "UsherStore", "UsherText", "UsherSystem", "UsherTarget", "UsherScene",
                "StoreTestSupport",
            ],
            "UsherActivities": [
                "UsherActivities", "UsherStore", "UsherText", "UsherSystem", "UsherScene", "StoreTestSupport",
            ],
            "UsherSuggestions": [
                "UsherSuggestions", "UsherActivities", "UsherNotes", "UsherStore", "UsherText", "UsherSystem",
                "UsherScene", "StoreTestSupport",
            ],
            "UsherActivation": ["UsherActivation", "UsherScene"],
            "UsherWindows": [
                "UsherWindows", "UsherSystem", "UsherActivation", "UsherControl", "UsherOperation", "UsherScene",
                "UsherJSON",
            ],
            "UsherBus": ["UsherBus", "UsherSystem", "UsherActivation", "UsherScene"],
            "UsherDesktop": ["CGIO", "UsherDesktop", "UsherBus", "UsherActivation", "UsherScene"],
            "UsherDispatch": [
                "UsherDispatch", "UsherText", "UsherSystem", "UsherScene", "UsherPredicate", "UsherResolution",
                "UsherStore", "UsherNotes", "UsherActivities", "UsherSuggestions", "UsherActivation",
                "UsherConfiguration", "UsherLog", "UsherPayload", "UsherJSON", "UsherTarget", "UsherOperation",
            ],
            "UsherOperation": ["UsherOperation", "UsherText", "UsherJSON", "UsherScene"],
            "UsherControl": ["UsherControl", "UsherOperation", "UsherText", "UsherJSON", "UsherScene"],
            "UsherCrypto": ["UsherCrypto", "UsherText"],
            "UsherHTTP": ["UsherHTTP", "UsherJSON"],
            "UsherIngress": [
                "UsherIngress", "UsherText", "UsherSystem", "UsherTarget", "UsherJSON", "UsherScene", "UsherPayload",
                "UsherHook", "UsherLog",
                "UsherConfiguration", "UsherStore", "UsherNotes", "UsherActivities", "UsherSuggestions",
                "UsherActivation", "UsherOperation", "UsherControl", "UsherDispatch", "UsherCrypto", "UsherHTTP",
            ],
        ])
        // Runs the built program, and so imports no target of it.
        + [.testTarget(name: "CommandTests", dependencies: ["CLinux", "UsherJSON", "TestSupport"])],
    cxxLanguageStandard: .cxx17
)

/// One test target a target, named after it, with what they share.
func tests(_ subjects: [String: [Target.Dependency]]) -> [Target] {
    subjects.sorted { $0.key < $1.key }.map { name, dependencies in
        .testTarget(name: name + "Tests", dependencies: dependencies + ["TestSupport"])
    }
}

for target in package.targets where target.type == .regular || target.type == .executable {
    if !target.name.hasPrefix("C") { target.swiftSettings = rules }
}
for target in package.targets where target.type == .test || target.name.hasSuffix("TestSupport") {
    target.swiftSettings = testRules
}
