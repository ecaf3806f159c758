import DriverContract
import DriverProbe
import DriverRuntime
import MeterDrivers

extension Check {
  /// Extensions of any kind (rule R5): what no host says is refused before it reaches the driver.
  static let extensions: [Check] = [
    Check(
      .r5, "payloads", "What no host says to an extension is refused, and the extension can be asked on.",
      mend: "nothing of it reaches the driver: report this host, unless the driver fails by itself in the meantime",
      needs: Set(DriverExtension.allCases)
    ) { context in
      let kinds = DriverExtension.allCases.filter(context.subject.entry.extensions.contains).map(\.rawValue)
      return try await context.probing { probe in
        var seed = Seed(context.seed)
        for kind in kinds {
          if let found = try unread(kind, probe, context, &seed) { return .failed(found) }
        }
        return .passed
      }
    }
  ]

  /// What an extension has not refused; nil when that is nothing.
  private static func unread(
    _ kind: String, _ probe: ProbeProcess, _ context: CheckContext, _ seed: inout Seed
  ) throws(DriverFault) -> String? {
    let (driver, client) = (context.driver, probe.client)
    context.trace.begin("", "\(kind): asked before it is open")
    guard try refuses(probe, { () throws(ProbeFailure) in _ = try client.call(kind, []) }) else {
      return "\(kind) answers before it is open"
    }
    for payload in random(&seed) {
      context.trace.begin("", "\(kind): opened with \(payload.count) bytes")
      _ = try refuses(probe) { () throws(ProbeFailure) in try client.open(kind, driver: driver, payload) }
    }
    context.trace.begin("", "\(kind): opened")
    if let opening = opening(kind, context) {
      _ = try refuses(probe) { () throws(ProbeFailure) in try client.open(kind, driver: driver, opening) }
    }
    for payload in [[], [0], [255], [UInt8](repeating: 255, count: 64)] as [[UInt8]] {
      context.trace.begin("", "\(kind): asked with \(payload.count) bytes")
      guard try refuses(probe, { () throws(ProbeFailure) in _ = try client.call(kind, payload) }) else {
        return "\(kind) answers \(payload.count) bytes that mean nothing"
      }
    }
    // A few of these may mean something by chance: then the driver has answered.
    for payload in random(&seed) {
      context.trace.begin("", "\(kind): asked with \(payload.count) bytes")
      _ = try refuses(probe) { () throws(ProbeFailure) in _ = try client.call(kind, payload) }
    }
    return nil
  }

  /// Whether a payload was refused; a driver that fails in the meantime throws.
  private static func refuses(
    _ probe: ProbeProcess, _ body: () throws(ProbeFailure) -> Void
  ) throws(DriverFault) -> Bool {
    do throws(ProbeFailure) {
      try body()
      return false
    } catch {
      if case .fault(let fault) = error, fault.code == .refused || fault.code == .closed { return true }
      throw probe.fault(error)
    }
  }

  /// What a host opens an extension with, where that can be known without a source.
  private static func opening(_ kind: String, _ context: CheckContext) -> [UInt8]? {
    switch DriverExtension(rawValue: kind) {
    case .ocr: DisplayClient.opening(assets: context.subject.bundle.assets).bytes
    case .image: []
    case .conversation, .import, nil: nil
    }
  }

  private static func random(_ seed: inout Seed) -> [[UInt8]] {
    (0..<64).map { _ in
      (0..<Int.random(in: 0...48, using: &seed)).map { _ in UInt8.random(in: 0...255, using: &seed) }
    }
  }
}
