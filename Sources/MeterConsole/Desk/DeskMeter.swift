/// A meter whose display can be read.
public struct DeskMeter: Sendable, Hashable {
  /// Its id among the meters that are read with a camera.
  public let id: UInt32
  /// Its name, with the maker's where that tells it apart.
  public let name: String
  /// What kind of meter it is, such as `Blood pressure monitors`: the heading that it stands under.
  public let kind: String
  /// The units in which it can show its value, the usual one first; more than one where the person has to say which.
  public let units: [DeskUnit]
  /// Whether the person has to say in which unit the display is, because no unit is usual enough.
  public let needsUnit: Bool

  /// A meter with these properties.
  public init(id: UInt32, name: String, kind: String, units: [DeskUnit], needsUnit: Bool = false) {
    self.needsUnit = needsUnit
    self.id = id
    self.name = name
    self.kind = kind
    self.units = units
  }
}

/// A unit that a person can choose.
public struct DeskUnit: Sendable, Hashable {
  /// What ``ReadingDesk/start(meter:unit:)`` calls it.
  public let code: String
  /// As people write it, such as `mg/dL`.
  public let title: String

  /// A unit with this code, which is its title unless another is given.
  public init(_ code: String, title: String? = nil) {
    self.code = code
    self.title = if let title { title } else { code }
  }
}
