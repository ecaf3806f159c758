// swift-tools-version:6.2
import PackageDescription

// A package of its own, so that nobody who builds MeterHost builds its benchmarks. `scripts/bench` builds and runs it.
let sdk = "\(Context.packageDirectory)/../SDK/include"

let package = Package(
  name: "MeterHostBenchmarks",
  dependencies: [
    .package(name: "MeterHost", path: ".."),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
  ],
  targets: [
    .target(name: "CReference", cSettings: [.unsafeFlags(["-O2", "-I", sdk])]),
    // Small on purpose: a child's peak memory counts that of whoever started it.
    .executableTarget(name: "bench-process", cSettings: [.unsafeFlags(["-O2"])]),
    .executableTarget(
      name: "meterhost-bench",
      dependencies: [
        "CReference",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "MeterCore", package: "MeterHost"),
        .product(name: "MeterDrivers", package: "MeterHost"),
        .product(name: "MeterBluetooth", package: "MeterHost"),
        .product(name: "VirtualMeter", package: "MeterHost"),
      ],
      swiftSettings: ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"]
        .map { .enableUpcomingFeature($0) } + [.enableExperimentalFeature("Lifetimes")]),
  ],
  swiftLanguageModes: [.v6]
)
