/// Asks whether drivers may be used for the display of a meter (rule R24).
public struct DisplayVerdictRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "quarantine.display"
  /// Asking changes nothing.
  public static let isRepeatable = true
  /// The SHA-256 of each bundle in hexadecimal: of the one that reads the display, and of the one that decodes
  /// pictures.
  public var bundles: [String]
  /// The id of the catalogue's entry, of the kind `ocr`.
  public var peripheral: UInt32

  /// What stands in the way.
  public struct Answer: Sendable, Codable, Hashable {
    /// For people; nil when nothing does.
    public var words: String?

    package init(words: String? = nil) {
      self.words = words
    }
  }

  package init(bundles: [String], peripheral: UInt32) {
    self.bundles = bundles
    self.peripheral = peripheral
  }
}

/// A driver has failed while a display was read, or before anything was read.
public struct DisplayFaultRequest: ControlRequest {
  /// What is noted against the driver now.
  public typealias Answer = [OffenceDescription]

  /// Its name on the socket.
  public static let name = "quarantine.display-fault"
  /// The driver's id.
  public var driver: String
  /// The SHA-256 in hexadecimal of the bundle that ran: another one may be installed by now.
  public var bundle: String
  /// The id of the entry, of the kind `ocr`, whose display was looked at; nil: no picture had a part in it.
  public var peripheral: UInt32?
  /// The fault's code, rule and words.
  package var code: String
  package var rule: String?
  package var message: String

  package init(
    driver: String, bundle: String, peripheral: UInt32? = nil, code: String, rule: String? = nil, message: String
  ) {
    self.driver = driver
    self.bundle = bundle
    self.peripheral = peripheral
    self.code = code
    self.rule = rule
    self.message = message
  }
}
