public import BluetoothWire

/// What a virtual meter is: its GATT database, its advertisement, its stored records, its behaviour and its faults.
///
/// Scripts are written in JSON; `SDK/meters/README.md` describes the format.
public struct MeterScript: Sendable {
  /// What the meter is called in listings.
  public var name: String
  /// Who makes it.
  public var manufacturer: String
  /// Where the script's bytes come from and what it is for.
  public var note: String
  /// The meter's Bluetooth address.
  public var address: BluetoothAddress
  /// What it advertises.
  public var advertisement: Advertisement
  /// The largest PDU that the meter takes, in bytes; it answers an Exchange MTU Request with it.
  public var mtu: Int
  /// Whether host and meter share a bond: the link is encrypted from its start and subscriptions outlive it.
  public var bonded: Bool
  /// How the meter pairs; nil: it does not.
  public var pairing: Pairing?
  /// The GATT services in the order of their handles.
  public var services: [Service]
  /// How the GATT database changes, and by what the meter tells; nil: it does neither.
  public var caching: Caching?
  /// What the meter does of its own.
  public var behaviour: Behaviour
  /// Whether it is never connected to: it sends a sequence of advertisements, and is silent then.
  public var isAdvertisementOnly: Bool { if case .advertise = behaviour { true } else { false } }
  /// The stored records, oldest first.
  public var records: [Record]
  /// What goes wrong.
  public var faults: [MeterFault]
  /// After how many milliseconds without a PDU the meter closes the link; nil: never.
  public var idleMilliseconds: Int?
  /// Whether the meter closes the link when its procedure is done, or when it has nothing to send.
  public var disconnectsAfterProcedure: Bool

  /// How a meter pairs.
  public struct Pairing: Sendable {
    /// The passkey that the meter shows and the person enters; nil: it pairs without ("just works").
    public var passkey: UInt32?
    /// Whether the meter is in its pairing mode.
    public var accepts: Bool
  }

  /// What a meter advertises.
  public struct Advertisement: Sendable {
    /// The advertising data.
    public var data: [UInt8]
    /// Milliseconds between two advertisements.
    public var intervalMilliseconds: Int
    /// The signal strength that the host sees, in dBm.
    public var rssi: Int8
    /// Whether the meter says that clients may connect.
    public var isConnectable: Bool
  }

  /// A GATT service.
  public struct Service: Sendable {
    /// The service's UUID.
    public var uuid: BluetoothUUID
    /// Its characteristics in the order of their handles.
    public var characteristics: [Characteristic]
  }

  /// A GATT characteristic. A CCCD is added where the properties hold notify or indicate.
  public struct Characteristic: Sendable {
    /// The characteristic's UUID.
    public var uuid: BluetoothUUID
    /// What the characteristic allows.
    public var properties: CharacteristicProperties
    /// The value at the start.
    public var value: [UInt8]
    /// What the link must be to read, write or subscribe.
    public var requires: Security
    /// Descriptors beside the CCCD.
    public var descriptors: [Descriptor]
  }

  /// A descriptor of a characteristic; it can be read.
  public struct Descriptor: Sendable {
    /// The descriptor's UUID.
    public var uuid: BluetoothUUID
    /// The bytes that a client reads there.
    public var value: [UInt8]
  }

  /// What the link must be.
  public enum Security: String, Sendable, CaseIterable {
    /// Anything.
    case none
    /// Encrypted; else error 0x0F, Insufficient Encryption.
    case encryption
    /// Encrypted with a bond; else error 0x05, Insufficient Authentication.
    case authentication
  }

  /// A stored record.
  public struct Record: Sendable {
    /// The bytes of the measurement characteristic.
    public var measurement: [UInt8]
    /// The bytes of the context characteristic, if the record has one.
    public var context: [UInt8]?
    /// Values of the intermediate characteristic that precede the measurement.
    public var intermediate: [[UInt8]]
    /// Packets of the body composition characteristic that follow the measurement.
    public var composition: [[UInt8]]
    /// The user that the record belongs to, if the meter has users.
    public var user: UInt8?
    /// The sequence number that the meter's filters use.
    public var sequence: UInt16
    /// Whether a host makes a reading of it; false for an error, a test with control solution, a filler.
    public var isReading = true
  }
}
