/// A rule of the driver contract, R1 to R27.
public struct Rule: RawRepresentable, Sendable, Hashable, Comparable, Codable, CaseIterable, CustomStringConvertible {
  /// The number.
  public let rawValue: Int

  /// A rule by its number; nil when there is none.
  public init?(rawValue: Int) {
    guard (1...27).contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  /// A rule as people write it: `R7`, also `r7` and `7`.
  public init?(_ text: String) {
    let digits = text.hasPrefix("R") || text.hasPrefix("r") ? text.dropFirst() : text[...]
    guard let number = Int(digits), let rule = Rule(rawValue: number) else { return nil }
    self = rule
  }

  private init(_ number: Int) { rawValue = number }

  /// All rules in their order.
  public static let allCases: [Rule] = (1...27).map { Rule($0) }

  /// By number.
  public static func < (left: Rule, right: Rule) -> Bool { left.rawValue < right.rawValue }

  /// As the rules are cited everywhere, such as `R7`.
  public var description: String { "R\(rawValue)" }

  /// Decodes "R7".
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let rule = Rule(text) else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "\(text) is no rule"))
    }
    self = rule
  }

  /// Encodes "R7".
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Why a suite for bundles has nothing to check; nil: it has.
  public var hostsOwn: String? {
    switch rawValue {
    case 15: "resuming a live link is a draft and no part of contract 1.0"
    case 27: "the host keeps held records; a driver has no part in it"
    default: nil
    }
  }
}

extension Rule {
  static let r1 = Rule(1)
  static let r2 = Rule(2)
  static let r3 = Rule(3)
  static let r4 = Rule(4)
  static let r5 = Rule(5)
  static let r6 = Rule(6)
  static let r7 = Rule(7)
  static let r8 = Rule(8)
  static let r9 = Rule(9)
  static let r10 = Rule(10)
  static let r11 = Rule(11)
  static let r12 = Rule(12)
  static let r13 = Rule(13)
  static let r14 = Rule(14)
  static let r16 = Rule(16)
  static let r17 = Rule(17)
  static let r18 = Rule(18)
  static let r19 = Rule(19)
  static let r20 = Rule(20)
  static let r21 = Rule(21)
  static let r22 = Rule(22)
  static let r23 = Rule(23)
  static let r24 = Rule(24)
  static let r25 = Rule(25)
  static let r26 = Rule(26)
}
