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

// What the C library checks of buffers (feature_test_macros(7)): it can where the compiler optimises.
let fortified = (name: "_FORTIFY_SOURCE", value: "3")

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
        .target(
            name: "CLinux",
            cSettings: [.define(fortified.name, to: fortified.value, .when(configuration: .release))]),
        .target(
            name: "CTOML",
            cxxSettings: [.define(fortified.name, to: fortified.value, .when(configuration: .release))]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CBus", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(name: "CGIO", pkgConfig: "gio-unix-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(
            name: "CXcb", pkgConfig: "xcb-res",
            providers: [
                .apt(["libxcb1-dev", "libxcb-res0-dev", "libxcb-sync-dev", "libxcb-shape0-dev", "libxcb-randr0-dev"])
            ]),

        // Pure: no I/O, no clock, no C.
        .target(name: "UsherText"),
        .target(name: "UsherPredicate", dependencies: ["UsherText"]),
        .target(name: "UsherTarget", dependencies: ["UsherText"]),
        .target(name: "UsherJSON", dependencies: ["UsherText"]),
        .target(name: "UsherScene", dependencies: ["UsherText", "UsherPredicate", "UsherTarget"]),
        .target(name: "UsherPayload", dependencies: ["UsherText", "UsherJSON", "UsherScene"]),
        .target(
            name: "UsherResolution", dependencies: ["UsherText", "UsherPredicate", "UsherScene"]),
        .target(name: "UsherDelivery", dependencies: ["UsherText", "UsherScene"]),
        .target(
            name: "UsherHook",
            dependencies: ["UsherText", "UsherTarget", "UsherJSON", "UsherScene", "UsherPayload"]),

        .target(name: "UsherOperation", dependencies: ["UsherText", "UsherJSON", "UsherScene"]),
        .target(name: "UsherPlace", dependencies: ["UsherText", "UsherTarget", "UsherJSON", "UsherScene"]),

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
            dependencies: [
                "CLinux", "UsherText", "UsherSystem", "UsherJSON", "UsherOperation",
            ]),
        .target(
            name: "UsherEngine",
            dependencies: [
                "UsherText", "UsherSystem", "UsherPredicate", "UsherTarget", "UsherJSON", "UsherScene", "UsherPayload",
                "UsherHook", "UsherPlace", "UsherResolution", "UsherDelivery", "UsherLog", "UsherConfiguration",
                "UsherStore", "UsherActivation", "UsherOperation",
            ]),
        // Features. Notes and suggestions are of activities; no other feature imports another.
        .target(
            name: "UsherActivities",
            dependencies: [
                "UsherText", "UsherSystem", "UsherJSON", "UsherScene", "UsherPayload", "UsherLog", "UsherConfiguration",
                "UsherStore", "UsherActivation", "UsherOperation", "UsherEngine",
            ]),
        .target(
            name: "UsherNotes",
            dependencies: [
                "UsherText", "UsherSystem", "UsherTarget", "UsherJSON", "UsherScene", "UsherLog", "UsherConfiguration",
                "UsherStore", "UsherActivation", "UsherOperation", "UsherEngine", "UsherActivities",
            ]),
        .target(
            name: "UsherSuggestions",
            dependencies: [
                "UsherText", "UsherSystem", "UsherPredicate", "UsherTarget", "UsherJSON", "UsherScene", "UsherPayload",
                "UsherPlace", "UsherLog", "UsherConfiguration", "UsherStore", "UsherActivation", "UsherOperation",
                "UsherEngine", "UsherActivities",
            ]),
        .target(
            name: "UsherSchedule",
            dependencies: [
                "UsherText", "UsherSystem", "UsherJSON", "UsherScene", "UsherPayload", "UsherLog", "UsherStore",
                "UsherOperation", "UsherEngine",
            ]),
        .target(
            name: "UsherAgents",
            dependencies: [
                "UsherText", "UsherSystem", "UsherJSON", "UsherScene", "UsherPayload", "UsherLog", "UsherConfiguration",
                "UsherStore", "UsherActivation", "UsherOperation", "UsherEngine",
            ]),
        // The list of features.
        .target(
            name: "UsherFeatures",
            dependencies: [
                "UsherScene", "UsherConfiguration", "UsherStore", "UsherOperation", "UsherEngine", "UsherActivities",
                "UsherNotes", "UsherSuggestions", "UsherSchedule", "UsherAgents",
            ]),
        .target(name: "UsherCrypto", dependencies: ["COpenSSL"]),
        .target(name: "UsherHTTP", dependencies: ["CLinux", "COpenSSL", "UsherText", "UsherSystem", "UsherJSON"]),
        .target(
            name: "UsherIngress",
            dependencies: [
                "UsherText", "UsherSystem", "UsherJSON", "UsherScene", "UsherPayload", "UsherHook", "UsherLog",
                "UsherConfiguration", "UsherStore", "UsherOperation", "UsherEngine", "UsherFeatures", "UsherCrypto",
                "UsherHTTP",
            ]),
        .executableTarget(
            name: "usher",
            dependencies: [
                "CLinux", "UsherText", "UsherSystem", "UsherPredicate", "UsherTarget", "UsherJSON", "UsherScene",
                "UsherPayload", "UsherHook", "UsherPlace", "UsherLog", "UsherConfiguration", "UsherStore", "UsherNotes",
                "UsherActivities", "UsherSuggestions", "UsherSchedule", "UsherActivation", "UsherOperation",
                "UsherControl",
                "UsherEngine", "UsherAgents", "UsherFeatures",
            ]),
        .executableTarget(
            name: "usherd",
            dependencies: [
                "CLinux", "UsherText", "UsherSystem", "UsherJSON", "UsherScene", "UsherHook", "UsherLog",
                "UsherConfiguration", "UsherStore", "UsherActivities", "UsherActivation", "UsherWindows", "UsherBus",
                "UsherDesktop", "UsherOperation", "UsherControl", "UsherEngine", "UsherFeatures", "UsherHTTP",
                "UsherIngress",
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
        // What the tests of the engine and of features need.
        .target(
            name: "EngineTestSupport",
            dependencies: [
                "UsherText", "UsherSystem", "UsherPredicate", "UsherJSON", "UsherScene", "UsherPayload", "UsherLog",
                "UsherConfiguration", "UsherStore", "UsherActivation", "UsherOperation", "UsherEngine",
                "UsherFeatures", "TestSupport",
            ], path: "Tests/EngineTestSupport"),
    ]
        + tests([
            "UsherText": ["UsherText"],
            "UsherSystem": ["UsherSystem", "UsherText"],
            "UsherPredicate": ["UsherPredicate"],
            "UsherTarget": ["UsherTarget", "UsherJSON"],
            "UsherJSON": ["UsherJSON", "UsherText"],
            "UsherScene": ["UsherScene", "UsherText", "UsherPredicate", "UsherTarget"],
            "UsherPayload": ["UsherPayload", "UsherJSON", "UsherScene"],
            "UsherResolution": ["UsherResolution", "UsherScene", "UsherPredicate", "UsherTarget"],
            "UsherDelivery": ["UsherDelivery", "UsherText", "UsherScene"],
            "UsherHook": ["UsherHook", "UsherText", "UsherTarget", "UsherJSON", "UsherScene", "UsherPayload"],
            "UsherPlace": ["UsherPlace", "UsherTarget", "UsherJSON", "UsherScene"],
            "UsherLog": ["UsherLog", "UsherText", "UsherSystem", "UsherJSON", "UsherScene"],
            "UsherConfiguration": [
                "UsherConfiguration", "UsherText", "UsherScene", "UsherPredicate", "UsherTarget", "UsherJSON",
                "UsherPayload",
                "UsherHook",
            ],
            // Files with the tables of all features, too.
            "UsherStore": [
                "UsherStore", "UsherText", "UsherSystem", "UsherScene", "UsherPredicate", "UsherNotes",
                "UsherActivities", "UsherSuggestions", "UsherFeatures", "StoreTestSupport",
            ],
            "UsherActivation": ["UsherActivation", "UsherScene"],
            "UsherWindows": [
                "UsherWindows", "UsherSystem", "UsherActivation", "UsherBus", "UsherControl", "UsherOperation",
                "UsherScene", "UsherJSON",
            ],
            "UsherBus": ["UsherBus", "UsherSystem", "UsherActivation", "UsherScene"],
            "UsherDesktop": ["CGIO", "UsherDesktop", "UsherBus", "UsherActivation", "UsherScene"],
            "UsherEngine": [
                "UsherEngine", "UsherFeatures", "UsherText", "UsherSystem", "UsherScene", "UsherPredicate",
                "UsherResolution", "UsherStore", "UsherActivation", "UsherConfiguration", "UsherLog", "UsherPayload",
                "UsherJSON", "UsherTarget", "UsherOperation", "EngineTestSupport",
            ],
            "UsherActivities": [
                "UsherActivities", "UsherEngine", "UsherFeatures", "UsherActivation", "UsherOperation", "UsherLog",
                "UsherPayload", "UsherJSON", "UsherStore", "UsherText", "UsherSystem", "UsherScene",
                "StoreTestSupport", "EngineTestSupport",
            ],
            "UsherNotes": [
                "UsherNotes", "UsherActivities", "UsherEngine", "UsherFeatures", "UsherActivation", "UsherOperation",
                "UsherLog", "UsherJSON", "UsherStore", "UsherText", "UsherSystem", "UsherTarget", "UsherScene",
                "UsherConfiguration", "UsherPayload", "UsherPredicate",
                "StoreTestSupport", "EngineTestSupport",
            ],
            "UsherSuggestions": [
                "UsherSuggestions", "UsherActivities", "UsherNotes", "UsherEngine", "UsherFeatures", "UsherActivation",
                "UsherOperation", "UsherLog", "UsherPayload", "UsherJSON", "UsherStore", "UsherText", "UsherSystem",
                "UsherScene", "StoreTestSupport", "EngineTestSupport",
            ],
            "UsherSchedule": [
                "UsherSchedule", "UsherEngine", "UsherFeatures", "UsherActivation", "UsherOperation", "UsherLog",
                "UsherJSON", "UsherStore", "UsherText", "UsherSystem", "UsherScene", "StoreTestSupport",
                "EngineTestSupport",
            ],
            "UsherAgents": [
                "UsherAgents", "UsherEngine", "UsherFeatures", "UsherActivation", "UsherOperation", "UsherLog",
                "UsherConfiguration", "UsherStore", "UsherText", "UsherSystem", "UsherScene", "EngineTestSupport",
            ],
            "UsherFeatures": [
                "UsherFeatures", "UsherActivities", "UsherNotes", "UsherSuggestions", "UsherSchedule", "UsherAgents",
                "UsherEngine", "UsherOperation",
                "UsherJSON", "UsherStore", "UsherText", "UsherSystem", "UsherScene", "EngineTestSupport",
            ],
            "UsherOperation": ["UsherOperation", "UsherText", "UsherJSON", "UsherScene"],
            "UsherControl": ["UsherControl", "UsherOperation", "UsherText", "UsherJSON", "UsherScene"],
            "UsherCrypto": ["UsherCrypto", "UsherText"],
            "UsherHTTP": ["UsherHTTP", "UsherSystem", "UsherJSON"],
            "UsherIngress": [
                "UsherIngress", "UsherText", "UsherSystem", "UsherTarget", "UsherJSON", "UsherScene", "UsherPayload",
                "UsherHook", "UsherLog",
                "UsherConfiguration", "UsherStore", "UsherNotes", "UsherActivities", "UsherSuggestions",
                "UsherActivation", "UsherOperation", "UsherControl", "UsherEngine", "UsherFeatures", "UsherCrypto",
                "UsherHTTP",
            ],
        ])
        // Runs the built program, and so imports no target of it, but for the bus on which it shows notifications.
        + [.testTarget(name: "CommandTests", dependencies: ["CLinux", "UsherBus", "UsherJSON", "TestSupport"])],
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
