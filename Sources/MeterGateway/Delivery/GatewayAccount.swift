public import Foundation
public import MeterCore

/// Whose readings are delivered where.
public struct GatewayAccount: Sendable, Hashable {
  /// The session's user.
  public var user: SessionUser
  /// The receiver's access token for that user.
  public var token: AccessToken
  /// The receiver's address, such as `https://receiver.example`.
  public var receiver: String

  /// An account at a receiver.
  public init(user: SessionUser, token: AccessToken, receiver: String) {
    self.user = user
    self.token = token
    self.receiver = receiver
  }
}

/// The receiver's address, kept beside the session in the state folder. It holds no secret.
public struct ReceiverSetting: Sendable, Hashable, Codable {
  /// The receiver's address.
  public var receiver: String

  private static let file = "receiver.json"

  /// The setting in a state folder; nil when none was made.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_setting` when the file is damaged.
  public static func load(from folder: URL) throws(GatewayError) -> ReceiverSetting? {
    let path = folder.appendingPathComponent(file)
    guard FileManager.default.fileExists(atPath: path.path) else { return nil }
    do {
      return try JSONDecoder().decode(ReceiverSetting.self, from: Data(contentsOf: path))
    } catch {
      throw GatewayError(
        .failed, code: "receiver_setting", "\(path.path) is damaged",
        hint: "start the session again: `meterhost session start --receiver URL ...`", cause: error)
    }
  }

  /// Writes the setting.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_setting` when it cannot be written.
  public func save(to folder: URL) throws(GatewayError) {
    do {
      let data = try JSONEncoder().encode(self)
      try data.write(to: folder.appendingPathComponent(Self.file), options: .atomic)
    } catch {
      throw GatewayError(
        .failed, code: "receiver_setting", "the receiver's address cannot be written to \(folder.path)", cause: error)
    }
  }
}
