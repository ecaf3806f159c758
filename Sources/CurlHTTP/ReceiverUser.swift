internal import Glibc

/// Which users of this machine may be the receiver behind a connection that TLS does not protect: a Unix socket, or plain
/// `http` on this machine.
///
/// A port of this machine belongs to whoever opens it first. While the receiver is down another user could take it, be sent
/// token and readings, and answer that they are stored.
public enum ReceiverUser: Sendable, Hashable {
  /// root, and the user that this process runs as.
  case own
  /// Those, and the user with this number.
  case also(UInt32)
  /// Every user: for receivers behind a forwarding of ports that hides whose they are.
  case anybody

  /// A user as settings write it: `own`, `any`, or a number. Nil when it is none of them.
  public init?(_ text: String) {
    if text == "own" {
      self = .own
    } else if text == "any" {
      self = .anybody
    } else if let number = UInt32(text), number != .max {
      self = .also(number)
    } else {
      return nil
    }
  }

  /// The form that ``init(_:)`` reads.
  public var text: String {
    switch self {
    case .own: "own"
    case .also(let number): String(number)
    case .anybody: "any"
    }
  }

  /// Whether such a user may be the receiver.
  ///
  /// - Parameter trusted: root, and who this process is.
  package func allows(_ user: UInt32, trusted: Set<UInt32>) -> Bool {
    switch self {
    case .own: trusted.contains(user)
    case .also(let number): user == number || trusted.contains(user)
    case .anybody: true
    }
  }
}

extension ReceiverUser: Codable {
  /// Reads its text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let user = ReceiverUser(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "“\(text)” is no user: own, any, or a number")
    }
    self = user
  }

  /// Writes its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// Judges who is at the other end of a connection within this machine, before anything secret is written to it.
package struct LocalPeerRule: Sendable {
  package let users: ReceiverUser
  package let trusted: Set<UInt32>

  /// Why nothing may be sent over a TCP connection within this machine; nil when it may.
  ///
  /// - Parameter connection: Nil when its ends are not known.
  package func refusal(_ connection: LocalConnection?) -> TransportError? {
    // Whose it is need not be asked for.
    if users == .anybody { return nil }
    return refusal(of: connection?.owner() ?? .unknown)
  }

  package func refusal(of owner: LocalPeerOwner) -> TransportError? {
    switch owner {
    case .user(let user): users.allows(user, trusted: trusted) ? nil : Self.foreign("port", of: user)
    case .unknown:
      TransportError(
        .foreignUser,
        "this machine does not tell whose the receiver's port is, as of one that is forwarded to a container; nothing was "
          + "sent. Give the receiver a Unix socket (http+unix://...) or https, or name --receiver-user any if you trust "
          + "every user of this machine.")
    }
  }

  /// Why nothing may be sent over a connection to a Unix socket; nil when it may.
  package func refusal(ofListener user: UInt32) -> TransportError? {
    users.allows(user, trusted: trusted) ? nil : Self.foreign("socket", of: user)
  }

  /// Why a Unix socket may not even be connected to; nil when it may. What is not there is for `connect` to tell.
  package func refusal(ofSocket path: String) -> TransportError? {
    if users == .anybody { return nil }
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    guard facts.st_mode & S_IFMT == S_IFSOCK else {
      return TransportError(.invalidRequest, "the receiver's address names a file that is no Unix socket; correct it.")
    }
    guard users.allows(facts.st_uid, trusted: trusted) else { return Self.foreign("socket", of: facts.st_uid) }
    return refusal(ofFoldersAbove: path)
  }

  /// Whoever can write to a folder on the way can put another socket in the place of the receiver's.
  private func refusal(ofFoldersAbove path: String) -> TransportError? {
    guard let whole = realpath(path, nil) else { return nil }
    defer { free(whole) }
    var folder = String(cString: whole)
    while let slash = folder.lastIndex(of: "/") {
      folder = String(folder[..<slash])
      var facts = stat()
      guard stat(folder.isEmpty ? "/" : folder, &facts) == 0 else { return nil }
      guard users.allows(facts.st_uid, trusted: trusted) else {
        return Self.foreign("socket's folder", of: facts.st_uid)
      }
      // In a sticky folder nobody takes away what is another user's.
      if facts.st_mode & (S_IWGRP | S_IWOTH) != 0, facts.st_mode & S_ISVTX == 0 {
        return TransportError(
          .foreignUser,
          "a folder above the receiver's socket can be written by other users; nothing was sent. "
            + "Take that right away (chmod go-w).")
      }
    }
    return nil
  }

  private static func foreign(_ what: String, of user: UInt32) -> TransportError {
    TransportError(
      .foreignUser,
      "the receiver's \(what) on this machine belongs to user \(user), who is neither root nor this user; nothing was sent. "
        + "Start the receiver, or see who has taken its place; give it a Unix socket (http+unix://...), whose folder only "
        + "it can write; if the receiver runs as that user, name it with --receiver-user.")
  }
}
