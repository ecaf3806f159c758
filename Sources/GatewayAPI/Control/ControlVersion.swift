/// The version of the control interface: what requests, answers and events look like on the socket.
///
/// Within a major version the interface only grows. A request may get members that have a default, an answer and an event may
/// get members, and both may get words. So either side may be the older one, as long as it reads over what it does not know.
///
/// ```swift
/// ControlVersion("1.7").map { ControlVersion.current.serves($0) }  // true: both are of major version 1
/// ```
public struct ControlVersion: Sendable, Hashable, CustomStringConvertible {
  /// What this program speaks. A member or a word that is added raises the minor version; one that is taken away, or
  /// means something else, the major one.
  public static let current = ControlVersion(major: 1, minor: 0)
  /// The header field of every request that names a version, and of every response.
  public static let headerName = "Meterhost-Control"

  /// Programs of another major version are refused.
  public let major: Int
  /// Grows with what is added.
  public let minor: Int

  /// A version from its numbers.
  public init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Reads `MAJOR.MINOR`; nil for anything else.
  public init?(_ text: String) {
    guard let match = text.wholeMatch(of: /([0-9]{1,6})\.([0-9]{1,6})/), let major = Int(match.1),
      let minor = Int(match.2)
    else { return nil }
    self.init(major: major, minor: minor)
  }

  /// As the header has it.
  public var description: String { "\(major).\(minor)" }

  /// Whether a program of another version is understood.
  public func serves(_ other: ControlVersion) -> Bool { other.major == major }

  /// Why a request is refused that names a version; nil when it is served.
  ///
  /// - Parameters:
  ///   - header: What the header says; nil: the request has none, and is served.
  ///   - program: The version of the program that serves.
  package static func refusal(_ header: String?, by program: String) -> GatewayError? {
    guard let header else { return nil }
    if let spoken = ControlVersion(header), current.serves(spoken) { return nil }
    return GatewayError(
      .failed, code: "control_version",
      "the caller speaks version \(header.prefix(32)) of the control interface, and the running service (MeterHost \(program)) "
        + "version \(current)",
      hint: "restart the service after an update, so that it is of the command's version; "
        + "a program of your own has to speak version \(current.major)")
  }
}
