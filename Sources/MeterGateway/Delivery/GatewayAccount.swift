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

  /// The longest id of a user or an organisation, in bytes.
  public static let maximumIDLength = 255

  /// Refuses ids that are empty, too long, or hold spaces around them or control characters.
  func check() throws(GatewayError) {
    for (name, id) in [("user", user.userID), ("organization", user.organizationID)] {
      let isPlain = id.unicodeScalars.allSatisfy { !CharacterSet.controlCharacters.contains($0) }
      guard !id.isEmpty, id.utf8.count <= Self.maximumIDLength, isPlain,
        id == id.trimmingCharacters(in: .whitespacesAndNewlines)
      else {
        throw GatewayError(
          .usage, code: "bad_user",
          "the \(name)'s id must have 1 to \(Self.maximumIDLength) bytes, no control characters and no spaces around it"
        )
      }
    }
  }
}

/// The receiver's address, kept beside the session in the state folder. It holds no secret.
public struct ReceiverSetting: Sendable, Hashable, Codable {
  /// The receiver's address.
  public var receiver: String

  private static let file = "receiver.json"

  /// A setting for a receiver's address.
  public init(receiver: String) { self.receiver = receiver }

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

  /// Forgets the setting; harmless where there is none.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_setting` when it stays.
  public static func remove(from folder: URL) throws(GatewayError) {
    let path = folder.appendingPathComponent(file)
    guard FileManager.default.fileExists(atPath: path.path) else { return }
    do {
      try FileManager.default.removeItem(at: path)
    } catch {
      throw GatewayError(
        .failed, code: "receiver_setting", "\(path.path) cannot be removed: \(error.localizedDescription)", cause: error
      )
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
        .failed, code: "receiver_setting",
        "the receiver's address cannot be written to \(folder.path): \(error.localizedDescription)", cause: error)
    }
  }
}
