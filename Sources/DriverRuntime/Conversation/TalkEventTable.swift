import CMeterDriver
import DriverContract

extension ConversationEvent {
  /// Lends the event in the form that the contract wants; fields that an event does not name are zero.
  ///
  /// - Parameter isContinued: The sink has room again, and the driver goes on with this event.
  func withTable(isContinued: Bool, _ body: (UnsafePointer<mh_talk_event>) -> Int32) -> Int32 {
    var table = mh_talk_event()
    table.struct_size = UInt32(MemoryLayout<mh_talk_event>.size)
    table.seq = sequence
    table.mono_ns = monotonicNanoseconds
    table.unix_us = unixMicroseconds
    guard !isContinued else {
      table.kind = MH_TALK_CONTINUE
      return withUnsafePointer(to: table, body)
    }
    table.kind = fact.kind
    var content: [UInt8] = []
    switch fact {
    case .started, .ended: break
    case .bytes(let bytes, let offset, let isLast, let token):
      content = bytes
      (table.number, table.token, table.flags) = (offset, token, isLast ? MH_TALK_LAST : 0)
    case .timer(let token): table.token = token
    case .answer(let status, let token): (table.status, table.token) = (status, token)
    case .value(let value, let token):
      content = value ?? []
      (table.status, table.token) = (value == nil ? MH_E_NOT_FOUND : MH_OK, token)
    case .committed(let sequence): table.number = sequence
    }
    return content.withUnsafeBufferPointer { bytes in
      table.value = mh_bytes(p: bytes.baseAddress, n: UInt64(bytes.count))
      return withUnsafePointer(to: table, body)
    }
  }
}

extension ConversationFact {
  /// `MH_TALK_*`.
  var kind: UInt32 {
    switch self {
    case .started: MH_TALK_STARTED
    case .bytes: MH_TALK_BYTES
    case .timer: MH_TALK_TIMER
    case .answer: MH_TALK_ANSWER
    case .value: MH_TALK_VALUE
    case .committed: MH_TALK_COMMITTED
    case .ended: MH_TALK_ENDED
    }
  }
}
