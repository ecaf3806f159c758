/// What imports of health exports tell.
extension HostEvent {
  /// How many records of a type an import has put into the queue.
  public struct ProcessedRecords: Sendable, Hashable, Codable {
    /// What they are; nil of a type that only a later version knows.
    public var type: RecordType? { RecordType(rawValue: typeName) }
    /// The type's word.
    public let typeName: String
    /// How many are new or have changed.
    public let count: Int

    enum CodingKeys: String, CodingKey {
      case typeName = "type"
      case count
    }

    package init(type: RecordType, count: Int) {
      typeName = type.rawValue
      self.count = count
    }
  }
}
