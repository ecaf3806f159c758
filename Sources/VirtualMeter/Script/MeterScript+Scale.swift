extension MeterScript {
  /// How a weight scale behaves (Weight Scale Service 1.0, Body Composition Service 1.0, User Data Service 1.0).
  public struct Scale: Sendable {
    /// The users that the scale knows; without any it asks for no consent and sends everything.
    public var slots: [Slot]
    /// Whether a record is removed from the memory when the client confirms its last packet.
    public var deletesOnConfirmation: Bool

    /// A user of the scale (User Data Service 1.0, 3.2).
    public struct Slot: Sendable {
      /// The user index, 0 to 254.
      public var index: UInt8
      /// The consent code, 0 to 9999.
      public var consent: UInt16
    }
  }
}

extension MeterScript.Scale.Slot: Decodable {
  /// Decodes an object under `slots`.
  public init(from decoder: any Decoder) throws {
    let object = try ScriptObject(decoder, allowed: ["index", "consent"])
    index = UInt8(try object.int("index", in: 0...254) ?? 1)
    consent = UInt16(try object.int("consent", in: 0...9999) ?? 0)
  }
}
