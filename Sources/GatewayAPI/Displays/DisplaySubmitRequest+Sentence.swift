extension DisplaySubmitRequest.Answer {
  /// What has become of the reading, for a person. Of several receivers the one counts that is farthest from having it.
  public var sentence: String {
    if let file = records.lazy.compactMap(\.recoveryFile).first {
      return "The session has ended, and the reading is not delivered: it is kept in \(file). Do not submit it again; "
        + "`meterhost session recover` delivers it once there is a session."
    }
    let items = records.flatMap(\.deliveries)
    func first(_ state: String) -> QueueItem? { items.first { $0.state == state } }
    if let item = first("dead") {
      let why = item.reason ?? "refused"
      return "A receiver refuses the reading (\(why)); it is kept, and `meterhost queue list` shows it."
    }
    if let item = first("held") ?? first("excluded") {
      return "The reading is kept and not delivered (\(item.reason ?? item.state)); `meterhost queue list` shows it."
    }
    guard !items.isEmpty, items.allSatisfy({ $0.state == "delivered" }) else {
      return "Submitted: the reading is saved and will be delivered."
    }
    return "Submitted: the reading is delivered."
  }
}
