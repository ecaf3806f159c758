/// The imports of the session's user, or one of them.
public struct HealthReportRequest: ControlRequest {
  /// The newest first.
  public typealias Answer = [HealthImportDescription]

  /// Its name on the socket.
  public static let name = "health.report"
  /// It changes nothing.
  public static let onlyLooks = true
  /// One import by its number; nil for the last ones.
  public var number: Int64?
  /// At most so many.
  public var limit: Int

  /// Asks for imports.
  public init(number: Int64? = nil, limit: Int = 20) {
    self.number = number
    self.limit = limit
  }
}

extension HealthReportRequest {
  enum CodingKeys: String, CodingKey { case number, limit }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      number: try container.decodeIfPresent(Int64.self, forKey: .number),
      limit: try container.decode(.limit, else: 20))
  }
}
