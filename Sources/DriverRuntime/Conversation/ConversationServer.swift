import DriverContract

/// Serves a conversation in a worker.
final class ConversationServer: ExtensionServer {
  static let kind = ExtensionKind(.conversation)

  private let driver: String
  private let conversation: LocalConversation

  init(
    tables: any ExtensionTables, driver: String, opening: ExtensionPayload, limits: DriverLimits
  ) throws(DriverFault) {
    let opening = try opening.understood(Self.kind, driver) { reader throws(WireError) in
      try ConversationOpening(from: &reader)
    }
    self.driver = driver
    conversation = try LocalConversation(tables: tables, driver: driver, opening: opening, limits: limits)
  }

  func answer(_ question: ExtensionPayload) throws(DriverFault) -> ExtensionPayload {
    let event = try question.understood(Self.kind, driver) { reader throws(WireError) in
      try ConversationEvent(from: &reader)
    }
    let unit = try conversation.rawUnit(event)
    return ExtensionPayload { unit.encode(to: &$0) }
  }

  func close() { conversation.close() }
}
