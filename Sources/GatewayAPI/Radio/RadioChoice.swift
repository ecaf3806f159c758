/// Which radio a command or a service uses.
public struct RadioChoice: Codable, Sendable, Hashable {
  /// The folder of the virtual air; nil takes the environment's, and without one the machine's adapters.
  public var air: String?
  /// The machine's adapters, by name or address; empty means all.
  public var adapters: [String]

  /// A choice; by default the machine's adapters, unless the environment names an air.
  public init(air: String? = nil, adapters: [String] = []) {
    self.air = air
    self.adapters = adapters
  }

  /// Whether somebody has chosen.
  package var isMade: Bool { air != nil || !adapters.isEmpty }
}

extension RadioChoice {
  enum CodingKeys: String, CodingKey { case air, adapters }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      air: try container.decodeIfPresent(String.self, forKey: .air), adapters: try container.decode(.adapters, else: [])
    )
  }
}
