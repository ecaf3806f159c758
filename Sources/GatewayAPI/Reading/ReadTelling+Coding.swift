/// Each telling is one object, and its member `event` says which.
extension ReadTelling: Codable {
  private enum CodingKeys: String, CodingKey { case event, text, held }

  /// What a telling is called.
  private struct Name: RawRepresentable, Hashable, Codable, CaseIterable {
    static let warning = Name(rawValue: "warning")
    static let delivery = Name(rawValue: "delivery")
    static var allCases: [Name] {
      [warning, delivery] + ReadEventDescription.Kind.allCases.map { Name(rawValue: $0.rawValue) }
    }
    let rawValue: String
  }

  /// Reads a telling by its name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(Name.self, forKey: .event) {
    case .warning: self = .warning(try container.decode(String.self, forKey: .text))
    case .delivery:
      self = .delivery(try DeliveryDescription(from: decoder), held: try container.decode(Int.self, forKey: .held))
    default: self = .read(try ReadEventDescription(from: decoder))
    }
  }

  /// Writes the name and what belongs to it into one object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .warning(let text):
      try container.encode(Name.warning, forKey: .event)
      try container.encode(text, forKey: .text)
    case .read(let event): try event.encode(to: encoder)
    case .delivery(let report, let held):
      try report.encode(to: encoder)
      try container.encode(held, forKey: .held)
    }
  }
}
