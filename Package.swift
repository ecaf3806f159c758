// swift-tools-version:6.2
import PackageDescription

/// Settings of every host target: the strictest form of Swift 6 that the package can keep.
let hostSettings: [SwiftSetting] =
  ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"]
  .map { .enableUpcomingFeature($0) } + [.enableExperimentalFeature("Lifetimes")]

/// Bundles are Embedded Swift and always optimised: what the tests load is what ships, and it needs libc only.
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
    "-Xlinker", "--version-script=\(Context.packageDirectory)/SDK/driver.map",
  ])
]

let bundleC: [CSetting] = [.unsafeFlags(["-O2", "-fvisibility=hidden", "-ffunction-sections"])]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: hostSettings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: dependencies + ["TestSupport"], path: path, swiftSettings: hostSettings)
}

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
  name: "MeterHost",
  products: [
    .executable(name: "meterhost", targets: ["meterhost"]),
    .executable(name: "meterhost-worker", targets: ["meterhost-worker"]),
    .library(name: "MeterCore", targets: ["MeterCore"]),
    .library(name: "MeterDrivers", targets: ["MeterDrivers"]),
    .library(name: "MeterBluetooth", targets: ["MeterBluetooth"]),
    .library(name: "MeterGateway", targets: ["MeterGateway"]),
    .library(name: "MeterReceiver", targets: ["MeterReceiver"]),
    .library(name: "VirtualMeter", targets: ["VirtualMeter"]),
    .library(name: "MeterDriver", targets: ["MeterDriver"]),
    .library(name: "mh-glucose", type: .dynamic, targets: ["GlucoseDriver"]),
    .library(name: "mh-thermometer", type: .dynamic, targets: ["ThermometerDriver"]),
    .library(name: "mh-keyed-meter", type: .dynamic, targets: ["KeyedMeterDriver"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
  ],
  targets: [
    // The contract and what driver authors build on.
    .systemLibrary(name: "CMeterDriver", path: "SDK/include"),
    .target(
      name: "MeterDriver", dependencies: ["CMeterDriver", "CMeterDriverNote"], path: "SDK/MeterDriver",
      swiftSettings: bundleSettings),
    .target(
      name: "CMeterDriverNote", path: "SDK/CMeterDriverNote", cSettings: bundleC + [.headerSearchPath("../include")]),
    .target(
      name: "GlucoseDriver", dependencies: ["MeterDriver"], path: "Plugins/Glucose/Sources",
      swiftSettings: bundleSettings, linkerSettings: bundleLink),
    .target(
      name: "ThermometerDriver", dependencies: ["CMeterDriverNote"], path: "Plugins/Thermometer/Sources",
      cSettings: bundleC + [.headerSearchPath("../../../SDK/include")], linkerSettings: bundleLink),
    .target(
      name: "KeyedMeterDriver", dependencies: ["CMeterDriverNote"], path: "Plugins/KeyedMeter/Sources",
      cSettings: bundleC + [.headerSearchPath("../../../SDK/include")], linkerSettings: bundleLink),

    // The host, lowest layer first.
    .target(name: "CLinux"),
    .target(name: "CCrypto", linkerSettings: [.linkedLibrary("crypto")]),
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
    library("BluetoothWire", []),
    library("LinuxSockets", ["CLinux"]),
    library("StrictJSON", []),
    library("CivilCalendar", []),
    library("MeterCore", ["CivilCalendar", "CLinux", "CCurl", logging, crypto, grdb]),
    library("DriverRuntime", ["CMeterDriver", "CLinux"]),
    library(
      "MeterDrivers",
      ["MeterCore", "DriverRuntime", "StrictJSON", "CMeterDriver", "CLinux", "CCrypto", logging, crypto]),
    library(
      "MeterBluetooth",
      ["MeterCore", "MeterDrivers", "BluetoothWire", "LinuxSockets", "DriverRuntime", "CLinux", logging]),
    library("VirtualMeter", ["BluetoothWire", "LinuxSockets", "CCrypto"]),
    library("MeterReceiver", ["CivilCalendar", "StrictJSON", hummingbird, lifecycle, grdb, logging, crypto]),
    library(
      "MeterGateway",
      [
        "MeterCore", "MeterDrivers", "MeterBluetooth", "MeterReceiver", "VirtualMeter", "BluetoothWire",
        "DriverRuntime",
        "CMeterDriver", "CivilCalendar", logging,
      ]),
    .executableTarget(
      name: "meterhost",
      dependencies: [
        "MeterGateway", "MeterCore", "MeterDrivers", "MeterBluetooth", "MeterReceiver", "VirtualMeter", "BluetoothWire",
        arguments, signals, logging,
      ], swiftSettings: hostSettings),
    // Static: a worker starts faster and needs no Swift runtime installed.
    .executableTarget(
      name: "meterhost-worker", dependencies: ["DriverRuntime"], swiftSettings: hostSettings,
      linkerSettings: [.unsafeFlags(["-static-stdlib"])]),

    // Tests.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: hostSettings),
    tests("BluetoothWire", ["BluetoothWire"]),
    tests("LinuxSockets", ["LinuxSockets"]),
    tests("StrictJSON", ["StrictJSON"]),
    tests("CivilCalendar", ["CivilCalendar"]),
    tests("MeterCore", ["MeterCore", grdb]),
    tests("DriverRuntime", ["DriverRuntime"]),
    tests("MeterDrivers", ["MeterDrivers", "StrictJSON"]),
    tests("VirtualMeter", ["VirtualMeter"]),
    tests(
      "MeterBluetooth",
      [
        "MeterBluetooth", "MeterCore", "MeterDrivers", "DriverRuntime", "VirtualMeter", "BluetoothWire", "LinuxSockets",
        "CCrypto", grdb,
      ]),
    tests("MeterReceiver", ["MeterReceiver", "StrictJSON", lifecycle, grdb, logging]),
    tests(
      "MeterGateway",
      [
        "MeterGateway", "MeterCore", "MeterDrivers", "MeterBluetooth", "MeterReceiver", "VirtualMeter", "BluetoothWire",
        "DriverRuntime", logging,
      ]),
    .target(
      name: "DriverTestBench", dependencies: ["CMeterDriver"], path: "Tests/DriverTestBench",
      swiftSettings: hostSettings),
    tests("DriverBundle", ["CMeterDriver", "DriverTestBench"]),
    tests("GlucoseDriver", ["CMeterDriver", "DriverTestBench"], path: "Plugins/Glucose/Tests"),
    tests("ThermometerDriver", ["CMeterDriver", "DriverTestBench"], path: "Plugins/Thermometer/Tests"),
    tests("Command", ["MeterGateway"]),
  ],
  swiftLanguageModes: [.v6]
)
