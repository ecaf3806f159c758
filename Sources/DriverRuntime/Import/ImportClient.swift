package import DriverContract

/// Asks a driver that reads exports, and believes nothing unchecked (rule R18).
package struct ImportClient: Sendable {
  /// What is granted to imports.
  package static var kind: ExtensionKind { ImportServer.kind }

  private let driver: String

  /// Asks this driver.
  package init(driver: String) { self.driver = driver }

  /// What an import is opened with.
  package static func opening(_ opening: ImportOpening) -> ExtensionPayload {
    ExtensionPayload { opening.encode(to: &$0) }
  }

  /// Opens an import in this process.
  package static func server(
    library: DriverLibrary, driver: String, opening: ExtensionPayload, limits: DriverLimits
  ) throws(DriverFault) -> any ExtensionServer {
    try ImportServer(tables: library, driver: driver, opening: opening, limits: limits)
  }

  /// Why a driver may not be told this; nil when it may.
  package static func problem(in fact: ImportFact) -> String? { fact.ofConversation.problem }

  /// Hands one event over to a worker and checks what comes back.
  ///
  /// - Parameter order: What has been told so far, with this event.
  package func tell(
    _ event: ImportEvent, _ order: ImportOrder, to worker: WorkerClient, within limit: Duration
  ) throws(WorkerFailure) -> ImportUnit {
    let raw = try worker.call(Self.kind, question(event), within: limit) { reader throws(WireError) in
      try RawImportUnit(from: &reader)
    }
    do throws(DriverFault) { return try check(order).check(raw) } catch { throw .fault(error) }
  }

  /// Hands one event over to an import in this process and checks what comes back.
  ///
  /// - Parameter order: What has been told so far, with this event.
  package func tell(
    _ event: ImportEvent, _ order: ImportOrder, to server: any ExtensionServer
  ) throws(DriverFault) -> ImportUnit {
    let raw = try server.answer(question(event)).understood(Self.kind, driver) { reader throws(WireError) in
      try RawImportUnit(from: &reader)
    }
    return try check(order).check(raw)
  }

  private func question(_ event: ImportEvent) -> ExtensionPayload {
    ExtensionPayload { event.encode(to: &$0) }
  }

  private func check(_ order: ImportOrder) -> ImportCheck {
    ImportCheck(
      driver: driver, size: order.size, names: order.names, hasWhole: order.hasWhole, hasEnded: order.hasEnded)
  }
}
