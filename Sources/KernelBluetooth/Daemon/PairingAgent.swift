/// What bluetoothd asks the agent of a pairing (BlueZ, doc/agent-api.txt).
enum AgentRequest: Sendable, Hashable {
  static let path = "/org/meterhost/agent"
  static let interface = "org.bluez.Agent1"

  /// The digits that the meter shows.
  case passkey(String)
  /// Whether the meter shows this number, too.
  case confirmation(String, UInt32)
  /// Show what to type at the meter.
  case display(String, UInt32)
  /// Whether a pairing without numbers is wanted.
  case authorization(String)
  /// What was asked is asked no more.
  case cancel
  /// The agent is not used any more.
  case release
  /// Anything else, as the questions of Bluetooth Classic, and what has other arguments than it should.
  case unknown

  /// The meter that it is about.
  var path: String? {
    switch self {
    case .passkey(let path), .confirmation(let path, _), .display(let path, _), .authorization(let path): path
    case .cancel, .release, .unknown: nil
    }
  }

  /// The request of a call; nil for a call of another object.
  init?(_ message: BusMessage) {
    guard message.kind == .call, message.path == Self.path else { return nil }
    guard message.interface == Self.interface, let arguments = message.arguments else {
      self = .unknown
      return
    }
    switch (message.member, arguments.first, arguments.dropFirst().first) {
    case ("RequestPasskey", .path(let path)?, nil): self = .passkey(path)
    case ("RequestConfirmation", .path(let path)?, .number(let number)?) where number <= 999_999:
      self = .confirmation(path, UInt32(number))
    case ("DisplayPasskey", .path(let path)?, .number(let number)?) where number <= 999_999:
      self = .display(path, UInt32(number))
    case ("RequestAuthorization", .path(let path)?, nil): self = .authorization(path)
    case ("Cancel", nil, nil): self = .cancel
    case ("Release", nil, nil): self = .release
    default: self = .unknown
    }
  }
}

/// What the agent answers.
enum AgentReply: Sendable, Hashable {
  /// Yes, or it is done.
  case done
  /// The digits.
  case number(UInt32)
  /// No.
  case rejected

  /// The answer as it goes over the bus.
  var content: Result<[BusValue], BusRefusal> {
    switch self {
    case .done: .success([])
    case .number(let number): .success([.number(UInt64(number))])
    case .rejected: .failure(BusRefusal(name: "org.bluez.Error.Rejected"))
    }
  }
}

/// The person who takes part in a pairing through bluetoothd (Core Specification, Vol 3 Part H 2.3.5).
package struct DaemonPairingPerson: Sendable {
  /// Asks for the six digits that the meter shows; nil when they refuse.
  package var passkey: @Sendable () async -> UInt32?
  /// Asks whether the meter shows this number, too.
  package var confirms: @Sendable (UInt32) async -> Bool
  /// Shows the number that is to be entered at the meter.
  package var show: @Sendable (UInt32) async -> Void

  /// A person who can be asked.
  package init(
    passkey: @escaping @Sendable () async -> UInt32?, confirms: @escaping @Sendable (UInt32) async -> Bool,
    show: @escaping @Sendable (UInt32) async -> Void
  ) {
    self.passkey = passkey
    self.confirms = confirms
    self.show = show
  }
}
