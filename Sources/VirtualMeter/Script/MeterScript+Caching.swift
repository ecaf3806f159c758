import BluetoothWire

extension MeterScript {
  /// By what the meter tells that its GATT database has changed, and when it changes (Core Specification, Vol 3 Part G 2.5.2).
  public struct Caching: Sendable {
    /// Whether the meter has a Database Hash, 2B2A.
    public var hasHash: Bool
    /// Whether the meter has Service Changed, 2A05, and indicates it to who has subscribed.
    public var hasServiceChanged: Bool
    /// When the database changes.
    public var moves: [Move]

    /// A change: new services in front of those of the script, whose handles all move behind them.
    public struct Move: Sendable {
      /// In which connection of the meter's life, counted from 1.
      public var connection: Int
      /// After how many PDUs of that connection; 0: before it begins.
      public var afterPDUs: Int
      /// The new services; none: the meter says that its database has changed, and it has not.
      public var services: [Service]
    }

    /// The service in which the meter tells of itself; it stands first, and never moves (7.1).
    var service: Service? {
      guard hasHash || hasServiceChanged else { return nil }
      var characteristics: [Characteristic] = []
      if hasServiceChanged {
        characteristics.append(
          Characteristic(
            uuid: .serviceChanged, properties: .indicate, value: [], requires: .none, descriptors: []))
      }
      if hasHash {
        characteristics.append(
          Characteristic(uuid: .databaseHash, properties: .read, value: [], requires: .none, descriptors: []))
      }
      return Service(uuid: .genericAttribute, characteristics: characteristics)
    }
  }
}

extension MeterScript.Caching: Decodable {
  /// Decodes the object under `caching`.
  public init(from decoder: any Decoder) throws {
    let object = try ScriptObject(decoder, allowed: ["hash", "service_changed", "moves"])
    hasHash = try object.optional("hash") ?? false
    hasServiceChanged = try object.optional("service_changed") ?? false
    moves = try object.list("moves")
  }
}

extension MeterScript.Caching.Move: Decodable {
  /// Decodes an object under `moves`.
  public init(from decoder: any Decoder) throws {
    let object = try ScriptObject(decoder, allowed: ["connection", "after_pdus", "services"])
    let _: Int = try object.required("connection")
    connection = try object.int("connection", in: 1...1_000_000) ?? 1
    afterPDUs = try object.int("after_pdus", in: 0...1_000_000) ?? 0
    services = try object.required("services")
  }
}
