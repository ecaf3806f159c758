package import DriverContract

/// Asks a driver that holds a conversation, and believes nothing unchecked (rule R18).
package struct ConversationClient: Sendable {
  /// What is granted to conversations.
  package static var kind: ExtensionKind { ConversationServer.kind }

  private let driver: String
  private let limits: DriverLimits

  /// Asks this driver.
  package init(driver: String, limits: DriverLimits) {
    self.driver = driver
    self.limits = limits
  }

  package static func opening(_ opening: ConversationOpening) -> ExtensionPayload {
    ExtensionPayload { opening.encode(to: &$0) }
  }

  /// Opens a conversation in this process.
  package static func server(
    library: DriverLibrary, driver: String, opening: ExtensionPayload, limits: DriverLimits
  ) throws(DriverFault) -> any ExtensionServer {
    try ConversationServer(tables: library, driver: driver, opening: opening, limits: limits)
  }

  /// Why a driver may not be told this; nil when it may.
  package static func problem(in fact: ConversationFact) -> String? { fact.problem }

  /// Hands one event over to a worker and checks what comes back.
  ///
  /// - Parameter order: What has been told so far, with this event.
  package func tell(
    _ event: ConversationEvent, _ order: ConversationOrder, to worker: WorkerClient, within limit: Duration
  ) throws(WorkerFailure) -> ConversationUnit {
    let raw = try worker.call(Self.kind, question(event), within: limit) { reader throws(WireError) in
      try RawTalkUnit(from: &reader)
    }
    do throws(DriverFault) { return try check(order).check(raw) } catch { throw .fault(error) }
  }

  /// Hands one event over to a conversation in this process and checks what comes back.
  ///
  /// - Parameter order: What has been told so far, with this event.
  package func tell(
    _ event: ConversationEvent, _ order: ConversationOrder, to server: any ExtensionServer
  ) throws(DriverFault) -> ConversationUnit {
    let raw = try server.answer(question(event)).understood(Self.kind, driver) { reader throws(WireError) in
      try RawTalkUnit(from: &reader)
    }
    return try check(order).check(raw)
  }

  private func question(_ event: ConversationEvent) -> ExtensionPayload {
    ExtensionPayload { event.encode(to: &$0) }
  }

  private func check(_ order: ConversationOrder) -> ConversationCheck {
    ConversationCheck(driver: driver, hasEnded: order.hasEnded, mostRecords: Int(limits.recordsPerEvent))
  }
}
