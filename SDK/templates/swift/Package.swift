// swift-tools-version:6.2
import PackageDescription

/// The copy of the SDK in this folder, or the one that METERHOST_SDK names.
let sdk = Context.environment["METERHOST_SDK"] ?? "\(Context.packageDirectory)/SDK"

/// Embedded Swift, always optimised: a bundle needs libc only.
let bundleSettings: [SwiftSetting] = [
  .enableExperimentalFeature("Embedded"),
  .enableExperimentalFeature("Lifetimes"),
  .enableUpcomingFeature("ExistentialAny"),
  // The compiler has no standard library for Embedded Swift that is meant for static executables, and needs none.
  .unsafeFlags(["-wmo", "-O", "-Xcc", "-fPIC", "-no-static-stdlib"]),
]

/// A bundle exports `mh_driver_entry` and nothing else (rule R1), and drags no Swift runtime in.
let bundleLink: [LinkerSetting] = [
  .unsafeFlags([
    "-enable-experimental-feature", "Embedded", "-wmo", "-no-static-stdlib", "-nostartfiles", "-use-ld=lld",
    "-Xclang-linker", "-nostartfiles", "-Xlinker", "--gc-sections", "-Xlinker", "-z", "-Xlinker", "now",
    "-Xlinker", "--version-script=\(sdk)/driver.map",
  ])
]

let package = Package(
  name: "template-meter",
  products: [.library(name: "mh-template-meter", type: .dynamic, targets: ["TemplateMeterBundle"])],
  dependencies: [.package(name: "SDK", path: sdk)],
  targets: [
    .target(
      name: "TemplateMeterBundle", dependencies: [.product(name: "MeterDriver", package: "SDK")], path: "Sources",
      swiftSettings: bundleSettings, linkerSettings: bundleLink),
    // Loads the bundle that `make` has built, as the host does.
    .testTarget(
      name: "TemplateMeterTests", dependencies: [.product(name: "MeterBench", package: "SDK")], path: "Tests"),
  ],
  swiftLanguageModes: [.v6]
)
