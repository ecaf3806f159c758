package import DriverContract

/// The kinds of extensions that this host serves. A new one is a line here.
package enum ExtensionServers {
  package static var all: [any ExtensionServer.Type] {
    [DisplayServer.self, ImageServer.self, ConversationServer.self, ImportServer.self]
  }

  /// The kind with this id; nil when this host does not know it.
  package static func kind(_ id: String) -> ExtensionKind? { server(id)?.kind }

  static func server(_ id: String) -> (any ExtensionServer.Type)? { all.first { $0.kind.id.rawValue == id } }

  /// The longest message that a host sends for an extension.
  static let longestMessage = all.map { $0.kind.longestQuestion }.reduce(0, max) + ExtensionMessage.longestHead
}

/// The extensions of one bundle that are open, at most one of each kind. It knows no kind.
package struct ExtensionDesk {
  private let tables: any ExtensionTables
  private let name: String
  private let limits: DriverLimits
  private var open: [String: any ExtensionServer] = [:]

  /// A desk.
  ///
  /// - Parameter name: The bundle's.
  package init(tables: any ExtensionTables, name: String, limits: DriverLimits) {
    self.tables = tables
    self.name = name
    self.limits = limits
  }

  /// What is granted to what a message is for.
  ///
  /// - Throws: `DriverFault` `unknownDriver` for an extension that this host does not know.
  package func kind(of message: ExtensionMessage) throws(DriverFault) -> ExtensionKind {
    guard let kind = ExtensionServers.kind(message.kind) else { throw unknown(message.kind) }
    return kind
  }

  /// CPU time that a message is granted.
  package func milliseconds(for message: ExtensionMessage, _ kind: ExtensionKind) -> UInt32 {
    switch message.step {
    case .open: kind.openingCPU(limits)
    case .call: kind.callCPU(limits)
    }
  }

  /// Opens an extension, or asks one that is open.
  ///
  /// - Returns: What it answers; nil when it was opened.
  /// - Throws: `DriverFault`: of the extension, or `closed` when none of the kind is open.
  package mutating func answer(_ message: ExtensionMessage) throws(DriverFault) -> ExtensionPayload? {
    switch message.step {
    case .open(let driver):
      guard let server = ExtensionServers.server(message.kind) else { throw unknown(message.kind) }
      open.removeValue(forKey: message.kind)?.close()
      open[message.kind] = try server.init(tables: tables, driver: driver, opening: message.payload, limits: limits)
      return nil
    case .call:
      guard let server = open[message.kind] else {
        throw DriverFault(.closed, driver: name, message: "no extension \(message.kind) is open")
      }
      return try server.answer(message.payload)
    }
  }

  /// Closes all.
  package func close() { for server in open.values { server.close() } }

  private func unknown(_ kind: String) -> DriverFault {
    DriverFault(
      .unknownDriver, driver: name, message: "this host knows no extension \(kind); install host and worker together")
  }
}
