/// Each telling is one object, and its member `event` says which.
extension ScanTelling: Codable {
  private enum CodingKeys: String, CodingKey { case event, device, others }

  /// What a telling is called.
  private struct Name: RawRepresentable, Hashable, Codable, CaseIterable {
    static let listening = Name(rawValue: "listening")
    static let heard = Name(rawValue: "heard")
    static let found = Name(rawValue: "found")
    static let over = Name(rawValue: "over")
    static let allCases = [listening, heard, found, over]
    let rawValue: String
  }

  /// Reads a telling by its name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(Name.self, forKey: .event)
    self =
      switch name {
      case .listening: .listening
      case .heard: .heard(try container.decode(SightingDescription.self, forKey: .device))
      case .found: .found(try container.decode(SightingDescription.self, forKey: .device))
      case .over: .over(others: try container.decode(Int.self, forKey: .others))
      default: .unknown(name.rawValue)
      }
  }

  /// Writes the name and what belongs to it into one object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .listening: try container.encode(Name.listening, forKey: .event)
    case .heard(let device):
      try container.encode(Name.heard, forKey: .event)
      try container.encode(device, forKey: .device)
    case .found(let device):
      try container.encode(Name.found, forKey: .event)
      try container.encode(device, forKey: .device)
    case .over(let others):
      try container.encode(Name.over, forKey: .event)
      try container.encode(others, forKey: .others)
    case .unknown(let name): try container.encode(name, forKey: .event)
    }
  }
}
