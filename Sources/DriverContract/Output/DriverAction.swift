/// How a pairing is wanted (`MH_PAIR_*`).
public struct DriverPairing: OptionSet, Sendable, Hashable {
  /// The bits as they cross the contract.
  public let rawValue: UInt16

  /// Flags from their bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Keep the keys.
  public static let bond = DriverPairing(rawValue: 0x1)
  /// Protection against a man in the middle.
  public static let authenticated = DriverPairing(rawValue: 0x2)
}

/// What a person is asked for (`MH_ASK_*`).
public enum DriverPromptKind: Int32, Sendable, Hashable, CaseIterable {
  case passkey = 1
  case hexKey
  case qr
  case choice
}

/// A question to the person at the gateway.
public struct DriverPrompt: Sendable, Hashable {
  /// What is asked for.
  public var kind: DriverPromptKind
  /// The answer must not be shown or logged.
  public var isSecret: Bool
  /// Least length of the answer.
  public var minimumLength: UInt32
  /// Greatest length of the answer.
  public var maximumLength: UInt32
  /// The words to show.
  public var text: String
  /// The name under which the host keeps the answer instead of handing it over; nil: it is handed over.
  public var keepAs: String?

  /// Makes a prompt.
  public init(
    kind: DriverPromptKind, isSecret: Bool, minimumLength: UInt32, maximumLength: UInt32, text: String,
    keepAs: String? = nil
  ) {
    self.keepAs = keepAs
    self.kind = kind
    self.isSecret = isSecret
    self.minimumLength = minimumLength
    self.maximumLength = maximumLength
    self.text = text
  }
}

/// Why a driver gives up (`MH_FAIL_*`).
public enum DriverFailureCode: Int32, Sendable, Hashable, CaseIterable {
  case communication = 1
  case noReading
  case timeout
  case unsupportedMeter
  case keyMissing
  case keyWrong
  case meterError
  case pairing
  case licence
  case notPaired
  case refused
  case owner
}

/// What a driver asks of the host (`MH_DO_*`, rule R11). A token comes back in the event that answers.
public enum DriverAction: Sendable, Hashable {
  case subscribe(handle: UInt16, token: UInt64)
  case unsubscribe(handle: UInt16, token: UInt64)
  case read(handle: UInt16, token: UInt64)
  case write(handle: UInt16, [UInt8], token: UInt64)
  case writeNoResponse(handle: UInt16, [UInt8])
  case exchangeMTU(UInt16, token: UInt64)
  case pair(DriverPairing, token: UInt64)
  /// `nanoseconds` from the event's monotonic clock; replaces the timer of the same token.
  case timer(token: UInt64, nanoseconds: UInt64)
  case cancelTimer(token: UInt64)
  /// The moment to measure.
  case ready
  /// `total` 0: unknown.
  case progress(done: UInt64, total: UInt64)
  case askUser(DriverPrompt, token: UInt64)
  /// Everything wanted has been read.
  case finish
  case fail(DriverFailureCode, subcode: UInt64, text: String)
}
