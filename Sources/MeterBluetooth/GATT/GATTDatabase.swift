public import BluetoothWire

/// The part of a meter's GATT database that its driver uses: what discovery found, and what is cached per meter, so that a
/// later read starts without discovery.
public struct GATTDatabase: Sendable, Hashable, Codable {
  /// A primary service.
  public struct Service: Sendable, Hashable, Codable {
    /// The service's UUID.
    public var uuid: BluetoothUUID
    /// First handle of the service.
    public var firstHandle: UInt16
    /// Last handle of the service.
    public var lastHandle: UInt16
  }

  /// Where discovery found a characteristic that the driver uses, and what it allows.
  public struct Characteristic: Sendable, Hashable, Codable {
    /// Index of its service in ``GATTDatabase/services``.
    public var serviceIndex: Int
    /// The characteristic's UUID.
    public var uuid: BluetoothUUID
    /// The attribute that is read, written and notified (Core Specification, Vol 3 Part G 3.3.2).
    public var valueHandle: UInt16
    /// What may be done with the value (Core Specification, Vol 3 Part G 3.3.1.1).
    public var properties: UInt8
    /// Handle of the Client Characteristic Configuration descriptor.
    public var configurationHandle: UInt16?
  }

  /// Services in the order of their handles.
  public var services: [Service] = []
  /// Characteristics in the order of their handles.
  public var characteristics: [Characteristic] = []

  /// The characteristic whose value has this handle.
  public func characteristic(valueHandle: UInt16) -> Characteristic? {
    characteristics.first { $0.valueHandle == valueHandle }
  }
}

/// What a driver's registry entry says about one service: discovery looks for nothing else.
public struct GATTRequirement: Sendable, Hashable {
  /// One characteristic of the service.
  public struct Characteristic: Sendable, Hashable {
    /// The characteristic's UUID.
    public var uuid: BluetoothUUID
    /// Whether the driver cannot work without it.
    public var isRequired: Bool

    /// A characteristic that the driver uses.
    public init(uuid: BluetoothUUID, isRequired: Bool) {
      self.uuid = uuid
      self.isRequired = isRequired
    }
  }

  /// The service's UUID.
  public var service: BluetoothUUID
  /// Whether the driver cannot work without the service.
  public var isRequired: Bool
  /// The characteristics that the driver uses.
  public var characteristics: [Characteristic]

  /// A service that the driver uses.
  public init(service: BluetoothUUID, isRequired: Bool, characteristics: [Characteristic]) {
    self.service = service
    self.isRequired = isRequired
    self.characteristics = characteristics
  }
}
