// swift-tools-version:6.2
import PackageDescription

// For those who build with SwiftPM: `swift build -c release --product mh-template-export` makes the library that
// `make` makes, without sealing the fragment.

/// The copy of the SDK in this folder, or the one that METERHOST_SDK names.
let sdk = Context.environment["METERHOST_SDK"] ?? "\(Context.packageDirectory)/SDK"

let package = Package(
  name: "template-export",
  products: [.library(name: "mh-template-export", type: .dynamic, targets: ["TemplateExportBundle"])],
  targets: [
    .target(
      name: "TemplateExportBundle", path: "Sources",
      cSettings: [.unsafeFlags(["-O2", "-fvisibility=hidden", "-ffunction-sections", "-I", "\(sdk)/include"])],
      linkerSettings: [
        // The bundle exports `mh_driver_entry` and nothing else (rule R1), and drags no Swift runtime in.
        .unsafeFlags([
          "-enable-experimental-feature", "Embedded", "-wmo", "-no-static-stdlib", "-nostartfiles", "-use-ld=lld",
          "-Xclang-linker", "-nostartfiles", "-Xlinker", "--gc-sections", "-Xlinker", "-z", "-Xlinker", "now",
          "-Xlinker", "--version-script=\(sdk)/driver.map",
        ])
      ])
  ]
)
