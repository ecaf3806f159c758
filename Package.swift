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

/// C++ without its library: no exceptions, no RTTI, and nothing that runs when the bundle is loaded.
let bundleCXX: [CXXSetting] = [
  .unsafeFlags([
    "-std=c++17", "-O2", "-fvisibility=hidden", "-ffunction-sections", "-fno-exceptions", "-fno-rtti",
    "-fno-threadsafe-statics", "-nostdinc++",
  ])
]

/// The package manager links libstdc++ into whatever has C++ in it; here it finds an empty one.
let bundleLinkCXX: [LinkerSetting] =
  bundleLink + [
    .unsafeFlags(["-L", "\(Context.packageDirectory)/SDK/without-libstdc++", "-Xlinker", "--no-undefined"])
  ]

/// A program of the host: nobody loads it, so it exports nothing. Packed relocations (glibc 2.36) are 4 MB less to read at each start.
let programLink: [LinkerSetting] = [
  .unsafeFlags(
    ["--no-export-dynamic", "-z", "pack-relative-relocs"].reduce(into: ["-use-ld=lld"]) { $0 += ["-Xlinker", $1] })
]

/// A driver bundle of this repository: its folder under Plugins, and the name of its product `libmh-NAME.so`.
struct Bundle {
  enum Language { case c, cxx, swift }

  let folder: String
  let product: String
  let language: Language
  var testDependencies: [Target.Dependency] = []
  /// Targets in C whose code goes into the bundle.
  var parts: [Target.Dependency] = []
  /// Libraries of the system that a bundle may need (`BundleRules`).
  var libraries: [String] = []

  var module: String { "\(folder)Driver" }
  var library: Product { .library(name: "mh-\(product)", type: .dynamic, targets: [module]) }

  var target: Target {
    let path = "Plugins/\(folder)/Sources"
    let include = "../../../SDK/include"
    return switch language {
    case .swift:
      .target(
        name: module, dependencies: ["MeterDriver"], path: path, swiftSettings: bundleSettings,
        linkerSettings: bundleLink)
    case .c:
      .target(
        name: module, dependencies: ["CMeterDriverNote"] + parts, path: path,
        cSettings: bundleC + [.headerSearchPath(include)],
        linkerSettings: bundleLink + libraries.map { .linkedLibrary($0) })
    case .cxx:
      .target(
        name: module, dependencies: ["CMeterDriverNote"], path: path,
        cxxSettings: bundleCXX + [.headerSearchPath(include)], linkerSettings: bundleLinkCXX)
    }
  }

  var tests: Target {
    .testTarget(
      name: "\(module)Tests", dependencies: ["CMeterDriver", "DriverTestBench", "TestSupport"] + testDependencies,
      path: "Plugins/\(folder)/Tests", swiftSettings: hostSettings)
  }
}

let bundles = [
  Bundle(folder: "Glucose", product: "glucose", language: .swift),
  Bundle(folder: "Thermometer", product: "thermometer", language: .c),
  Bundle(folder: "BloodPressure", product: "blood-pressure", language: .swift),
  Bundle(folder: "HeartRate", product: "heart-rate", language: .c),
  Bundle(folder: "MiScale", product: "mi-scale", language: .c),
  Bundle(folder: "TaiDoc", product: "taidoc", language: .cxx, testDependencies: ["VirtualMeter", "BluetoothWire"]),
  Bundle(
    folder: "OneTouch", product: "onetouch", language: .swift, testDependencies: ["VirtualMeter", "BluetoothWire"]),
  Bundle(folder: "WeightScale", product: "weight-scale", language: .swift),
  Bundle(folder: "KeyedMeter", product: "keyed-meter", language: .c),
  Bundle(folder: "Omron", product: "omron", language: .c),
  Bundle(folder: "BeurerScale", product: "beurer-scale", language: .c),
  Bundle(folder: "MedisanaScale", product: "medisana-scale", language: .c),
  Bundle(folder: "Soehnle", product: "soehnle", language: .c),
  Bundle(folder: "Oximeter", product: "oximeter", language: .swift),
  Bundle(folder: "FingerOximeter", product: "finger-oximeter", language: .c),
  Bundle(folder: "Nonin", product: "nonin", language: .c),
  Bundle(folder: "AandD", product: "aandd", language: .c),
  Bundle(folder: "Microlife", product: "microlife", language: .c),
  Bundle(folder: "Yonker", product: "yonker", language: .c),
  Bundle(folder: "MiBeacon", product: "mibeacon", language: .c),
  Bundle(folder: "QNScale", product: "qn-scale", language: .c),
  Bundle(folder: "SegmentDisplay", product: "segment-display", language: .c, parts: ["SegmentReader"]),
  Bundle(folder: "ImageCodec", product: "image-codec", language: .c, libraries: ["jpeg", "png16"]),
  Bundle(folder: "HealthConnect", product: "health-connect", language: .c, parts: ["ImportReading"]),
  Bundle(folder: "SamsungHealth", product: "samsung-health", language: .c, parts: ["ImportReading"]),
  Bundle(folder: "HealthJSON", product: "health-json", language: .c, parts: ["ImportReading"]),
  Bundle(folder: "OKOK", product: "okok", language: .c),
  Bundle(folder: "Yunmai", product: "yunmai", language: .c),
  Bundle(folder: "HuaweiScale", product: "huawei-scale", language: .c),
  Bundle(folder: "AppleHealth", product: "apple-health", language: .c, parts: ["ImportReading"]),
  Bundle(folder: "Wellue", product: "wellue", language: .c),
  Bundle(folder: "Etekcity", product: "etekcity", language: .c),
  Bundle(folder: "Eufy", product: "eufy", language: .c),
]

/// What every target of the host may use.
let foundation: [Target.Dependency] = ["HostPrimitives", "HostErrors"]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: hostSettings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: foundation + dependencies + ["TestSupport"], path: path,
    swiftSettings: hostSettings)
}

/// A program of docs/examples; it depends on nothing but products, and sees nothing but what they promise.
func example(_ name: String, folder: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: "example-\(name)", dependencies: dependencies, path: "docs/examples/\(folder)", packageAccess: false,
    swiftSettings: hostSettings)
}

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
// Of programs and servers only: whoever takes the libraries leaves the trait out, and fetches none of these packages.
func ofPrograms(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Programs"]))
}
let arguments = ofPrograms("ArgumentParser", "swift-argument-parser")
let hummingbird = ofPrograms("Hummingbird", "hummingbird")
let mustache = ofPrograms("Mustache", "swift-mustache")
let signals = ofPrograms("UnixSignals", "swift-service-lifecycle")
let lifecycle = ofPrograms("ServiceLifecycle", "swift-service-lifecycle")
let nioSSL = ofPrograms("NIOSSL", "swift-nio-ssl")
let asyncAlgorithms = ofPrograms("AsyncAlgorithms", "swift-async-algorithms")

let package = Package(
  name: "MeterHost",
  products: [
    .executable(name: "meterhost", targets: ["meterhost"]),
    .executable(name: "meterhost-receiver", targets: ["meterhost-receiver"]),
    .executable(name: "meterhost-worker", targets: ["meterhost-worker"]),
    .executable(name: "meterhost-driver-probe", targets: ["meterhost-driver-probe"]),
    .library(name: "MeterCore", targets: ["MeterCore"]),
    .library(name: "InformSink", targets: ["InformSink", "CurlHTTP"]),
    .library(name: "FileSink", targets: ["FileSink"]),
    .library(name: "MQTTSink", targets: ["MQTTSink", "CurlHTTP"]),
    .library(name: "MeterDrivers", targets: ["MeterDrivers"]),
    .library(name: "MeterBluetooth", targets: ["MeterBluetooth"]),
    .library(name: "MeterOCR", targets: ["MeterOCR"]),
    .library(name: "MeterHealth", targets: ["MeterHealth"]),
    .library(name: "MeterConsole", targets: ["MeterConsole"]),
    .library(name: "GatewayAPI", targets: ["GatewayAPI"]),
    .library(name: "GatewayEngine", targets: ["GatewayEngine"]),
    .library(name: "MeterReceiver", targets: ["MeterReceiver"]),
    .library(name: "MeterService", targets: ["MeterService"]),
    .library(name: "VirtualMeter", targets: ["VirtualMeter"]),
    .library(name: "MeterDriver", targets: ["MeterDriver"]),
    // What the products above speak of: pictures, rows and records of drivers; addresses and reports of radios.
    .library(name: "DriverContract", targets: ["DriverContract"]),
    .library(name: "BluetoothWire", targets: ["BluetoothWire"]),
    // What all of them throw.
    .library(name: "HostErrors", targets: ["HostErrors"]),
    // For tests: a driver that uses every call of the author library.
    .library(name: "author-probe", type: .dynamic, targets: ["AuthorProbe"]),
  ] + bundles.map(\.library),
  traits: [
    .default(enabledTraits: ["Programs"]),
    .trait(
      name: "Programs",
      description: "What runs: meterhost with its service and console, the receiver. Without it the libraries remain."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.2"),
    .package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.0.0"),
  ],
  targets: [
    // The contract and what driver authors build on.
    .systemLibrary(name: "CMeterDriver", path: "SDK/include"),
    .target(
      name: "CMeterDriverNote", path: "SDK/CMeterDriverNote", cSettings: bundleC + [.headerSearchPath("../include")]),
    .target(
      name: "MeterDriver", dependencies: ["CMeterDriver", "CMeterDriverNote"], path: "SDK/MeterDriver",
      swiftSettings: bundleSettings),

    // Reads rows of seven-segment digits; part of the bundles that read displays.
    .target(
      name: "SegmentReader", path: "SDK/ocr", cSettings: bundleC + [.headerSearchPath("../include")]),

    // Archives, numbers, times, names and samples of exports; part of the bundles that read them. zlib goes into those that
    // read archives, which need libc only.
    .target(
      name: "ImportReading", path: "SDK/import", cSettings: bundleC + [.headerSearchPath("../include")],
      linkerSettings: [.linkedLibrary(":libz.a")]),

    // The host, lowest layer first.
    .target(name: "CLinux"),
    // Inside the programs: a worker maps no library for a function that nobody calls.
    .target(name: "CFFI", linkerSettings: [.linkedLibrary(":libffi_pic.a")]),
    .target(name: "CCrypto", linkerSettings: [.linkedLibrary("crypto")]),
    // Inside the program: one library less that has to be there.
    .target(name: "CInflate", linkerSettings: [.linkedLibrary(":libz.a")]),
    .target(name: "CCurl", dependencies: ["CLinux"]),
    .target(name: "CPostgres", dependencies: ["CLinux"]),
    library("HostPrimitives", ["CLinux"]),
    library("HostErrors", []),
    library("BluetoothWire", foundation),
    library("LinuxSockets", foundation + ["CLinux"]),
    .target(name: "CBluetooth"),
    .target(name: "CBus", dependencies: ["CLinux"]),
    .target(name: "CV4L", dependencies: ["CLinux"]),
    .target(name: "CZBar", dependencies: ["CLinux"]),
    library("KernelBluetooth", foundation + ["BluetoothWire", "LinuxSockets", "CBluetooth", "CBus", "CLinux"]),
    library("StrictJSON", foundation),
    library("StrictTOML", ["StrictJSON"]),
    // What drivers, workers and the host say to each other, as values.
    library("DriverContract", foundation + ["CMeterDriver"]),
    library("MeterCore", foundation + ["DriverContract", "StrictJSON", "CLinux", logging, crypto, grdb]),
    library("DriverRuntime", foundation + ["DriverContract", "CMeterDriver", "CLinux", "CFFI"]),
    // Drivers in the hands of a conformance suite: its own program, which no gateway starts.
    library("DriverProbe", foundation + ["DriverContract", "DriverRuntime", "CMeterDriver", "CLinux"]),
    // HTTP over libcurl, for sinks.
    library("CurlHTTP", foundation + ["CLinux", "CCurl", "CCrypto"]),
    // Readings in JSON, as sinks write them that have no form of their receiver's; what settings and answers over HTTP have in common.
    library("ReadingJSON", foundation + ["MeterCore", "StrictJSON"]),
    library("SinkHTTP", foundation + ["MeterCore", "CurlHTTP", "StrictJSON", crypto]),
    library("InformSink", foundation + ["MeterCore", "CurlHTTP", "StrictJSON"]),
    library("FileSink", foundation + ["MeterCore", "ReadingJSON", "StrictJSON"]),
    library("WebhookSink", foundation + ["MeterCore", "CurlHTTP", "ReadingJSON", "SinkHTTP", crypto]),
    library("InfluxSink", foundation + ["MeterCore", "CurlHTTP", "ReadingJSON", "SinkHTTP", "StrictJSON", crypto]),
    library("MQTTSink", foundation + ["MeterCore", "CurlHTTP", "InformSink", "StrictJSON", crypto]),
    // The client protocol of NATS and its JetStream, over libcurl's connections.
    library("NATSClient", foundation + ["CurlHTTP", "StrictJSON", crypto]),
    library("NATSSink", foundation + ["MeterCore", "InformSink", "CurlHTTP", "NATSClient", "StrictJSON", crypto]),
    // Records as FHIR's transaction bundles, without a network.
    library("FHIRBundles", foundation + ["MeterCore", "StrictJSON"]),
    library(
      "FHIRSink", foundation + ["MeterCore", "CurlHTTP", "InformSink", "FHIRBundles", "CCrypto", "StrictJSON"]),
    library(
      "MeterDrivers",
      foundation
        + [
          "MeterCore", "DriverContract", "DriverRuntime", "StrictJSON", "CMeterDriver", "CLinux", "CCrypto", logging,
          crypto,
        ]),
    library(
      "MeterBluetooth",
      foundation + [
        "MeterCore", "MeterDrivers", "BluetoothWire", "LinuxSockets", "KernelBluetooth", "DriverContract",
        "DriverRuntime",
        "CMeterDriver", "CLinux", logging,
      ]),
    library(
      "MeterOCR",
      foundation + ["MeterCore", "MeterDrivers", "DriverContract", "CV4L", "CMeterDriver", "CLinux", logging]),
    // Exports of health stores, and what their samples come to.
    library("MeterHealth", foundation + ["MeterCore", "MeterDrivers", "DriverContract", crypto]),
    library("VirtualMeter", foundation + ["BluetoothWire", "LinuxSockets", "StrictJSON", "CCrypto"]),
    library("HTTPServing", foundation + ["CLinux", hummingbird, lifecycle, logging]),
    // TLS with a certificate from files, for the servers of people who have no proxy.
    library("HTTPEncryption", foundation + ["HTTPServing", nioSSL]),
    library(
      "MeterReceiver",
      foundation + [
        "CPostgres", "StrictJSON", "HTTPServing", hummingbird, lifecycle, grdb, logging, crypto,
      ]),
    // A receiver's side of a fleet: readings off a message server, and what that server is to be.
    library(
      "FleetReceiver", foundation + ["MeterReceiver", "NATSClient", "HTTPServing", "StrictJSON", logging]),
    // What a running host is asked, answers and tells.
    library("GatewayAPI", foundation + ["MeterCore", "CurlHTTP", "InformSink", "DriverContract", "StrictJSON"]),
    // What the owner of a state folder does for it.
    library(
      "GatewayEngine",
      foundation + [
        "GatewayAPI", "MeterCore", "CurlHTTP", "InformSink", "FileSink", "FHIRBundles", "FHIRSink", "WebhookSink",
        "InfluxSink", "MQTTSink", "NATSSink", "MeterDrivers", "MeterBluetooth", "MeterOCR", "MeterHealth",
        "BluetoothWire", "DriverContract", "LinuxSockets", "StrictJSON", "CLinux", "CCrypto", logging,
      ]),
    // What authors and operators do beside a running host: bundles and packages, calls of drivers, recordings, benches, the
    // demonstration, diagnosis.
    library(
      "GatewayTools",
      foundation + [
        "GatewayAPI", "GatewayEngine", "MeterCore", "CurlHTTP", "MeterDrivers", "MeterBluetooth", "MeterOCR",
        "MeterReceiver", "VirtualMeter", "BluetoothWire", "DriverContract", "DriverRuntime", "StrictJSON", "StrictTOML",
        "CMeterDriver", "CLinux", "CZBar", "CCrypto", logging, crypto,
      ]),
    library(
      "MeterConformance",
      foundation + [
        "MeterCore", "MeterDrivers", "MeterBluetooth", "VirtualMeter", "BluetoothWire", "DriverContract",
        "DriverProbe", "DriverRuntime", "StrictJSON",
        "CMeterDriver", "CLinux", logging,
      ]),
    // The page of the running host. It is part of the program, and knows of the host what requests can ask.
    .target(
      name: "GatewayConsole",
      dependencies: foundation + [
        "GatewayAPI", "MeterCore", "HTTPServing", "StrictJSON", hummingbird, mustache, logging,
      ],
      resources: [.embedInCode("Page")], swiftSettings: hostSettings),
    // The page is part of the program: an installation has no folder of it.
    .target(
      name: "MeterConsole",
      dependencies: foundation + [
        "MeterOCR", "MeterDrivers", "DriverContract", "MeterCore", "HTTPServing", "StrictJSON", hummingbird, logging,
      ],
      resources: [.embedInCode("Page")], swiftSettings: hostSettings),
    library(
      "MeterService",
      foundation + [
        "GatewayConsole", "MeterConsole", "GatewayAPI", "GatewayEngine", "GatewayTools", "MeterBluetooth", "MeterOCR",
        "MeterDrivers", "DriverContract", "MeterCore", "InformSink", "CurlHTTP",
        "HTTPEncryption", "HTTPServing", "LinuxSockets", "CInflate", "CLinux",
        hummingbird, asyncAlgorithms,
        logging,
      ]),
    // What a program does at its terminal: interruptions, standard streams, how an error is told.
    library("ProgramTerminal", foundation + ["CLinux", arguments, signals]),
    .executableTarget(
      name: "meterhost",
      dependencies: foundation + [
        "MeterConsole", "MeterOCR", "MeterHealth", "MeterService", "GatewayAPI", "GatewayEngine", "GatewayTools",
        "MeterConformance", "MeterCore", "InformSink",
        "CurlHTTP",
        "MeterDrivers",
        "MeterBluetooth", "VirtualMeter", "BluetoothWire", "DriverContract", "StrictJSON", "CLinux",
        "ProgramTerminal", arguments, logging,
      ], swiftSettings: hostSettings, linkerSettings: programLink),
    // Apart from the host: a receiver has no drivers.
    .executableTarget(
      name: "meterhost-receiver",
      dependencies: foundation + [
        "MeterReceiver", "FleetReceiver", "NATSClient", "CurlHTTP", "HTTPEncryption", "HTTPServing", "LinuxSockets",
        "StrictJSON", "CLinux", "ProgramTerminal", arguments, logging,
      ], swiftSettings: hostSettings, linkerSettings: programLink),
    // Static: a worker starts faster and needs no Swift runtime installed.
    .executableTarget(
      name: "meterhost-worker", dependencies: ["DriverRuntime"], swiftSettings: hostSettings,
      linkerSettings: programLink + [.unsafeFlags(["-static-stdlib"])]),
    .executableTarget(
      name: "meterhost-driver-probe", dependencies: ["DriverProbe", "DriverRuntime"], swiftSettings: hostSettings,
      linkerSettings: programLink + [.unsafeFlags(["-static-stdlib"])]),

    // Examples: every build compiles what the documentation shows.
    example(
      "read-and-deliver", folder: "ReadAndDeliver",
      ["GatewayAPI", "GatewayEngine", "MeterBluetooth", "MeterCore", "InformSink"]),
    example("upload-events", folder: "UploadEvents", ["MeterCore", "InformSink"]),
    example("submit-reading", folder: "SubmitReading", ["MeterCore", "HostErrors"]),
    example("import-health", folder: "ImportHealth", ["MeterHealth", "MeterDrivers", "HostErrors"]),
    example(
      "passive-gateway", folder: "PassiveGateway",
      ["MeterBluetooth", "MeterDrivers", "MeterCore", "InformSink", "BluetoothWire"]),
    // What the two views share.
    .target(
      name: "ExampleDisplays",
      dependencies: ["MeterOCR", "MeterDrivers", "MeterCore", "DriverContract"],
      path: "docs/examples/Displays", packageAccess: false, swiftSettings: hostSettings),
    example(
      "prepackaged-view", folder: "PrepackagedView",
      ["ExampleDisplays", "MeterConsole", "MeterOCR", "MeterDrivers", "MeterCore", "DriverContract"]),
    example(
      "custom-view", folder: "CustomView",
      ["ExampleDisplays", "MeterOCR", "MeterDrivers", "MeterCore", "DriverContract"]),

    // Tests.
    .target(
      name: "TestSupport", dependencies: foundation + ["CLinux"], path: "Tests/TestSupport", swiftSettings: hostSettings
    ),
    .target(
      name: "ReceiverSupport", dependencies: ["MeterReceiver"], path: "Tests/ReceiverSupport",
      swiftSettings: hostSettings),
    // Records, and stores to put them in.
    .target(
      name: "RecordSupport", dependencies: foundation + ["MeterCore", "TestSupport"], path: "Tests/RecordSupport",
      swiftSettings: hostSettings),
    // Receivers to deliver them to.
    .target(
      name: "DeliverySupport",
      dependencies: foundation + [
        "MeterCore", "CurlHTTP", "InformSink", "MeterReceiver", "TestSupport", "ReceiverSupport", "RecordSupport",
        logging,
      ], path: "Tests/DeliverySupport", swiftSettings: hostSettings),
    // A server of NATS that plays its part.
    .target(
      name: "NATSSupport", dependencies: ["NATSClient", "StrictJSON", "DeliverySupport"], path: "Tests/NATSSupport",
      swiftSettings: hostSettings),
    .target(
      name: "ConsoleSupport", dependencies: ["MeterConsole"], path: "Tests/ConsoleSupport",
      swiftSettings: hostSettings),
    // The view with a desk that plays its readings: what the tests of the page look at.
    .executableTarget(
      name: "view-stage", dependencies: ["ConsoleSupport", "MeterConsole"],
      path: "Tests/Fixtures/ViewStage", swiftSettings: hostSettings),
    tests("HostPrimitives", ["CLinux"]),
    tests("HostErrors", []),
    tests("HTTPServing", ["HTTPServing", hummingbird]),
    tests("HTTPEncryption", ["HTTPEncryption", "HTTPServing"]),
    tests("BluetoothWire", ["BluetoothWire"]),
    tests("LinuxSockets", ["LinuxSockets"]),
    tests("KernelBluetooth", ["KernelBluetooth", "BluetoothWire", "CBus"]),
    tests("StrictJSON", ["StrictJSON"]),
    tests("StrictTOML", ["StrictTOML", "StrictJSON"]),
    tests(
      "MeterCore",
      ["MeterCore", "CurlHTTP", "InformSink", "MeterReceiver", "RecordSupport", "DeliverySupport", grdb, logging]),
    tests("CurlHTTP", ["CurlHTTP", "DeliverySupport"]),
    tests(
      "InformSink",
      ["InformSink", "CurlHTTP", "MeterCore", "MeterReceiver", "RecordSupport", "DeliverySupport", "StrictJSON"]),
    tests("FileSink", ["FileSink", "MeterCore", "ReadingJSON", "StrictJSON"]),
    tests(
      "WebhookSink",
      [
        "WebhookSink", "MeterCore", "CurlHTTP", "ReadingJSON", "SinkHTTP", "StrictJSON", "RecordSupport",
        "DeliverySupport",
      ]),
    tests(
      "InfluxSink", ["InfluxSink", "MeterCore", "CurlHTTP", "SinkHTTP", "RecordSupport", "DeliverySupport"]),
    tests(
      "MQTTSink", ["MQTTSink", "MeterCore", "CurlHTTP", "InformSink", "StrictJSON", "RecordSupport", "DeliverySupport"]),
    tests("NATSClient", ["NATSClient", "CurlHTTP", "StrictJSON", "NATSSupport", "DeliverySupport"]),
    tests(
      "NATSSink",
      [
        "NATSSink", "NATSClient", "InformSink", "MeterCore", "CurlHTTP", "StrictJSON", "NATSSupport", "RecordSupport",
        crypto,
      ]),
    tests("FHIRBundles", ["FHIRBundles", "MeterCore", "StrictJSON"]),
    tests(
      "FHIRSink",
      [
        "FHIRSink", "FHIRBundles", "CurlHTTP", "MeterCore", "DeliverySupport", "RecordSupport", "StrictJSON",
      ]),
    tests(
      "MeterHealth", ["MeterHealth", "MeterCore", "MeterDrivers", "DriverContract", "InformSink", "RecordSupport"]),
    tests("DriverRuntime", ["DriverContract", "DriverRuntime"]),
    tests(
      "MeterDrivers",
      ["MeterDrivers", "MeterCore", "DriverContract", "DriverProbe", "DriverRuntime", "StrictJSON", "CLinux"]),
    tests("VirtualMeter", ["VirtualMeter"]),
    tests(
      "MeterBluetooth",
      [
        "MeterBluetooth", "KernelBluetooth", "MeterCore", "MeterDrivers", "DriverContract", "DriverRuntime",
        "VirtualMeter",
        "BluetoothWire", "LinuxSockets", "CCrypto", grdb,
      ]),
    tests("MeterOCR", ["MeterOCR", "MeterCore", "MeterDrivers", "DriverContract", "CV4L", logging]),
    tests("MeterConsole", ["MeterConsole", "ConsoleSupport", "MeterOCR", "MeterDrivers", "DriverContract", logging]),
    tests(
      "MeterReceiver",
      [
        "MeterReceiver", "FleetReceiver", "NATSClient", "CurlHTTP", "ReceiverSupport", "StrictJSON", lifecycle, grdb,
        logging, crypto,
      ]),
    tests("FleetReceiver", ["FleetReceiver", "MeterReceiver", "NATSClient", "StrictJSON"]),
    tests(
      "MeterService",
      [
        "MeterService", "GatewayAPI", "GatewayEngine", "GatewayTools", "MeterCore", "MeterDrivers", "MeterBluetooth",
        "MeterReceiver",
        "ReceiverSupport", "VirtualMeter", "BluetoothWire", "LinuxSockets", logging,
      ]),
    tests(
      "GatewayConsole",
      [
        "GatewayConsole", "MeterConsole", "ConsoleSupport", "HTTPServing", "GatewayAPI", "GatewayEngine",
        "MeterService",
        "MeterCore", "MeterDrivers", "RecordSupport", logging,
      ]),
    tests("MeterConformance", ["MeterConformance", "MeterDrivers", "DriverContract", "CCrypto"]),
    tests(
      "Gateway",
      [
        "GatewayAPI", "GatewayEngine", "GatewayTools", "MeterOCR", "MeterHealth", "MeterCore", "CurlHTTP", "InformSink",
        "FHIRSink", "MQTTSink", "NATSClient", "MeterDrivers", "MeterBluetooth",
        "MeterConformance", "MeterConsole",
        "MeterReceiver", "ReceiverSupport", "DeliverySupport", "VirtualMeter", "BluetoothWire", "DriverContract",
        "DriverRuntime",
        "StrictJSON", logging,
        crypto,
      ]),
    .target(
      name: "DriverTestBench", dependencies: ["CMeterDriver", "CCrypto", "TestSupport"], path: "Tests/DriverTestBench",
      swiftSettings: hostSettings),
    .target(
      name: "AuthorProbe", dependencies: ["MeterDriver"], path: "Tests/Fixtures/AuthorProbe",
      swiftSettings: bundleSettings, linkerSettings: bundleLink),
    .executableTarget(
      name: "store-probe", dependencies: ["MeterCore", "CurlHTTP", "InformSink"], path: "Tests/Fixtures/StoreProbe",
      swiftSettings: hostSettings),
    .executableTarget(
      name: "file-sink-probe", dependencies: ["FileSink", "MeterCore"], path: "Tests/Fixtures/FileSinkProbe",
      swiftSettings: hostSettings),
    .executableTarget(
      name: "mqtt-sink-probe", dependencies: ["MQTTSink", "MeterCore", "HostPrimitives"],
      path: "Tests/Fixtures/MQTTSinkProbe", swiftSettings: hostSettings),
    .executableTarget(
      name: "network-probe", dependencies: ["LinuxSockets"], path: "Tests/Fixtures/NetworkProbe",
      swiftSettings: hostSettings),
    .executableTarget(
      name: "camera-probe", dependencies: ["MeterOCR", "MeterDrivers", "DriverContract"],
      path: "Tests/Fixtures/CameraProbe", swiftSettings: hostSettings),
    tests("DriverBundle", ["CMeterDriver", "DriverTestBench"]),
    tests("ProgramTerminal", ["ProgramTerminal"]),
    tests("Command", ["GatewayAPI", "GatewayEngine", "GatewayTools"]),
  ] + bundles.map(\.target) + bundles.map(\.tests),
  swiftLanguageModes: [.v6]
)

// A fuzzer has the `main` of libFuzzer and everything compiled for it: only `scripts/fuzz-worker` and `scripts/fuzz-att` build
// them.
if Context.environment["METERHOST_FUZZ"] != nil {
  // A source belongs to one target: the tests do without it here.
  for target in package.targets where ["DriverRuntimeTests", "MeterBluetoothTests"].contains(target.name) {
    target.exclude.append("Fuzz")
  }
  package.products.append(.executable(name: "worker-fuzz", targets: ["worker-fuzz"]))
  package.products.append(.executable(name: "att-fuzz", targets: ["att-fuzz"]))
  package.targets.append(
    .executableTarget(
      name: "att-fuzz",
      dependencies: ["MeterBluetooth", "VirtualMeter", "BluetoothWire", "DriverContract", "HostPrimitives"],
      path: "Tests", sources: ["Fuzz/AttributeProtocol/Fuzzer.swift", "MeterBluetoothTests/Fuzz"],
      swiftSettings: hostSettings, linkerSettings: [.unsafeFlags(["-use-ld=lld"])]))
  package.targets.append(
    .executableTarget(
      name: "worker-fuzz", dependencies: ["DriverContract", "DriverRuntime", "CLinux", "CMeterDriver"], path: "Tests",
      sources: ["Fuzz/WorkerProtocol/Fuzzer.swift", "DriverRuntimeTests/Fuzz"], swiftSettings: hostSettings,
      linkerSettings: [.unsafeFlags(["-use-ld=lld"])]))
}

// The benchmarks are built by `scripts/bench` and by CI only. They measure what integrators have: no `package` access.
if Context.environment["METERHOST_BENCH"] != nil {
  package.targets += [
    .target(
      name: "CReference", path: "Benchmarks/Sources/CReference",
      cSettings: [.headerSearchPath("../../../SDK/include"), .unsafeFlags(["-O2"])]),
    // Small on purpose: a child's peak memory counts that of whoever started it.
    .executableTarget(
      name: "bench-process", path: "Benchmarks/Sources/bench-process", cSettings: [.unsafeFlags(["-O2"])]),
    .executableTarget(
      name: "meterhost-bench",
      dependencies: [
        "CReference", "MeterCore", "InformSink", "MeterDrivers", "MeterBluetooth", "VirtualMeter", "BluetoothWire",
        logging,
      ],
      path: "Benchmarks/Sources/meterhost-bench", swiftSettings: hostSettings),
  ]
}
