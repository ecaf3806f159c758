public import HostErrors

/// The folder that stands for the air between virtual meters and the host.
///
/// A running virtual meter with address `AA:BB:CC:DD:EE:FF` binds two `SOCK_SEQPACKET` Unix sockets in it:
///
/// - `AABBCCDDEEFF.adv`: each client receives one encoded ``AdvertisingReport`` a packet while the meter advertises, the
///   first at once and then one each advertising interval.
/// - `AABBCCDDEEFF.att`: a client that connects holds the meter's one ATT link; each packet is one ``ATTPDU``. While
///   it is connected the meter does not advertise, and a second client's connection is closed at once.
public struct VirtualAir: Hashable, Sendable {
  /// The folder's path.
  public let folder: String

  /// The air in this folder.
  public init(folder: String) { self.folder = folder }

  /// The air that the environment names: `METERHOST_AIR`, else `meterhost/air` in `XDG_RUNTIME_DIR`, in
  /// `XDG_STATE_HOME`, or in `.local/state` of `HOME`; empty variables count as absent.
  ///
  /// - Throws: ``VirtualAirError`` with code `no_folder` if none of them is set, `relative_folder` if the path is
  ///   not absolute.
  public init(environment: [String: String]) throws(VirtualAirError) {
    let value = { (name: String) in environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let folder =
      value("METERHOST_AIR") ?? value("XDG_RUNTIME_DIR").map { $0 + "/meterhost/air" }
      ?? value("XDG_STATE_HOME").map { $0 + "/meterhost/air" }
      ?? value("HOME").map { $0 + "/.local/state/meterhost/air" }
    guard let folder else {
      throw VirtualAirError(
        .noFolder, message: "no folder for the virtual radio; set METERHOST_AIR to a folder of yours")
    }
    guard folder.hasPrefix("/") else {
      throw VirtualAirError(
        .relativeFolder,
        message: "the virtual radio's folder “\(folder)” must be an absolute path; correct METERHOST_AIR")
    }
    self.init(folder: folder)
  }

  /// The socket that a meter's advertisements come from.
  ///
  /// - Throws: ``VirtualAirError`` with code `path_too_long`.
  public func advertisingPath(of address: BluetoothAddress) throws(VirtualAirError) -> String {
    try path(address.digits + Self.advertisingSuffix)
  }

  /// The socket that carries a meter's ATT link.
  ///
  /// - Throws: ``VirtualAirError`` with code `path_too_long`.
  public func attPath(of address: BluetoothAddress) throws(VirtualAirError) -> String {
    try path(address.digits + Self.attSuffix)
  }

  /// The address of the meter whose advertising socket has this file name; nil if it is no such name.
  ///
  /// The kind of address does not stand in the name but in the meter's ``AdvertisingReport``.
  public static func address(ofAdvertisingSocket name: String) -> BluetoothAddress? {
    guard name.hasSuffix(advertisingSuffix) else { return nil }
    let digits = name.dropLast(advertisingSuffix.count)
    guard digits.utf8.count == 12, let address = BluetoothAddress(String(digits)), address.digits == digits else {
      return nil
    }
    return address
  }

  /// The most bytes of a Unix socket's path: `sun_path` has 108 with the final zero (unix(7)).
  public static let maximumPathLength = 107

  private static let advertisingSuffix = ".adv"
  private static let attSuffix = ".att"

  private func path(_ name: String) throws(VirtualAirError) -> String {
    let path = "\(folder)/\(name)"
    guard path.utf8.count <= Self.maximumPathLength else {
      throw VirtualAirError(
        .pathTooLong,
        message: "“\(path)” has \(path.utf8.count) bytes; a socket's path has at most \(Self.maximumPathLength). "
          + "Set METERHOST_AIR to a shorter folder")
    }
    return path
  }
}

/// Why there is no virtual radio.
public struct VirtualAirError: HostError, Hashable {
  /// The kinds of failure.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The environment names no folder.
    case noFolder = "no_folder"
    /// The folder is not given as an absolute path.
    case relativeFolder = "relative_folder"
    /// A socket's path would not fit `sun_path`.
    case pathTooLong = "path_too_long"
  }

  /// What is wrong, for programs.
  public let code: Code
  /// What is wrong and what to do, for people.
  public let message: String

  /// An error about the virtual radio.
  public init(_ code: Code, message: String) {
    (self.code, self.message) = (code, message)
  }

  /// There is no folder to use.
  public var kind: HostErrorKind { .unavailable }
}
