import DriverContract
import Foundation
import TestSupport

/// The contract of this tree and one minor more that does not exist: an event, an action, a field of each, a capability,
/// a failure code and a service of the host, with headers as scripts/generate would make them.
struct LaterMinor {
  let include: URL

  /// Headers of the next minor, or of the next major.
  static let headers = Result { try LaterMinor(major: 0, minor: 1) }
  static let nextMajor = Result { try LaterMinor(major: 1, minor: 0) }

  struct Failure: Error { let message: String }

  private init(major: Int, minor: Int) throws {
    let tree = FileManager.default.temporaryDirectory.appending(path: "minor-\(UUID().uuidString)")
    for path in [
      "SDK/include", "scripts", "registry.json", "Sources/MeterCore/Records/Dictionary+Generated.swift",
      "Sources/InformSink/Wire/InformName+Generated.swift",
      "Sources/DriverContract/Version/ContractVersion+Generated.swift",
    ] {
      let target = tree.appending(path: path)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: CompiledBundle.root.appending(path: path), to: target)
    }
    include = tree.appending(path: "SDK/include")
    let today = ContractVersion.host
    let (newMajor, newMinor) = (Int(today.major) + major, major > 0 ? 0 : Int(today.minor) + minor)
    try change("abi.h") {
      $0.replacing(/MH_ABI_MAJOR \d+u/, with: "MH_ABI_MAJOR \(newMajor)u")
        .replacing(/MH_ABI_MINOR \d+u/, with: "MH_ABI_MINOR \(newMinor)u")
        .replacing(/MH_ABI_TEXT "[^"]*"/, with: "MH_ABI_TEXT \"\(newMajor).\(newMinor)\"")
    }
    try grow()
    let done = try Tool.run([tree.appending(path: "scripts/generate").path], in: tree)
    guard done.status == 0 else { throw Failure(message: done.output) }
  }

  private func grow() throws {
    try change("bluetooth.h") { text in
      try text.adding("  uint64_t phy;\n", before: "} mh_event;")
        .adding("  uint64_t phy;\n", before: "} mh_action;")
        .adding("  uint64_t later;\n", before: "} mh_open;")
        .adding("  int32_t (*later)(void);\n", before: "} mh_bluetooth;")
        .adding("#define MH_EV_PHY 40u\n#define MH_DO_PHY 40u\n", before: "#define MH_EV_CONNECTED ")
        .adding("#define MH_FAIL_PHY 40\n", before: "#define MH_FAIL_NO_READING ")
    }
    try change("output.h") { try $0.adding("  uint64_t later;\n", before: "} mh_sink;") }
    try change("driver.h") { text in
      try text.adding("#define MH_CAP_PHY 0x8u\n", before: "#define MH_CAP_DECODE ")
        .adding("  const void *later;\n", before: "} mh_driver;")
    }
    try change("host.h") { try $0.adding("  int64_t (*uptime)(void *ctx);\n", before: "} mh_host;") }
  }

  private func change(_ header: String, _ change: (String) throws -> String) throws {
    let url = include.appending(path: "meterhost/\(header)")
    try change(String(contentsOf: url, encoding: .utf8)).write(to: url, atomically: true, encoding: .utf8)
  }
}

extension String {
  fileprivate func adding(_ lines: String, before place: String) throws -> String {
    guard let found = firstRange(of: place) else { throw LaterMinor.Failure(message: "there is no \(place)") }
    return self[..<found.lowerBound] + lines + self[found.lowerBound...]
  }
}
