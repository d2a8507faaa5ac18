// swift-tools-version: 6.2
import PackageDescription

// A package as any backend would write it: it depends on a release of Usher, and on nothing else of it than the library.
// `make test-consumer` builds it against the working tree, tagged as a release in a repository of its own.
let package = Package(
    name: "clown-sender",
    dependencies: [
        .package(url: "https://git.usher.example/usher.git", from: "0.2.0")
    ],
    targets: [
        .executableTarget(name: "clown-sender", dependencies: [.product(name: "UsherTarget", package: "usher")])
    ]
)
