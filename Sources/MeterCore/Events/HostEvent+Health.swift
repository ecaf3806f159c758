/// What imports of health exports tell.
extension HostEvent {
  /// How many records of a type an import has put into the queue.
  public struct ProcessedRecords: Sendable, Hashable, Codable {
    /// What they are.
    public let type: RecordType
    /// How many are new or have changed.
    public let count: Int

    package init(type: RecordType, count: Int) {
      self.type = type
      self.count = count
    }
  }
}
