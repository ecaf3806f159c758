import GatewayAPI

extension [QueueItem] {
  /// Where each delivery of a reading stands: `pending`, and with several receivers `inform pending, archive held: awaiting_confirmation`.
  var states: [String] {
    let hasSeveral = Set(map(\.sink)).count > 1
    return map { item in
      let state = item.reason.map { "\(item.state): \($0)" } ?? item.state
      return hasSeveral ? "\(item.sink) \(state)" : state
    }
  }
}
