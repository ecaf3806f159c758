// swift-tools-version:6.2
import PackageDescription

// The SDK for driver bundles in a package of their own: `.package(path: "SDK")`. Bundles in C need the headers only.

/// Bundles are Embedded Swift and always optimised: what the tests load is what ships, and it needs libc only.
let bundleSettings: [SwiftSetting] = [
  .enableExperimentalFeature("Embedded"),
  .enableExperimentalFeature("Lifetimes"),
  .enableUpcomingFeature("ExistentialAny"),
  .unsafeFlags(["-wmo", "-O", "-Xcc", "-fPIC", "-no-static-stdlib"]),
]

let package = Package(
  name: "SDK",
  products: [
    .library(name: "MeterDriver", targets: ["MeterDriver"]),
    .library(name: "MeterBench", targets: ["MeterBench"]),
  ],
  targets: [
    .systemLibrary(name: "CMeterDriver", path: "include"),
    .target(
      name: "MeterDriver", dependencies: ["CMeterDriver", "CMeterDriverNote"], path: "MeterDriver",
      swiftSettings: bundleSettings),
    .target(
      name: "CMeterDriverNote", path: "CMeterDriverNote",
      cSettings: [
        .unsafeFlags(["-O2", "-fvisibility=hidden", "-ffunction-sections"]), .headerSearchPath("../include"),
      ]),
    // The host on the bench, for the tests of a bundle.
    .target(name: "MeterBench", dependencies: ["CMeterDriver"], path: "bench"),
  ],
  swiftLanguageModes: [.v6]
)
