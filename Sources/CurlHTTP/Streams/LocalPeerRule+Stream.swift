import CCurl

/// Who may be at the other end of a connection without TLS that stays within this machine.
extension LocalPeerRule {
  init(_ settings: CurlTransport.Settings) { self.init(users: settings.receiverUser, trusted: settings.trustedUsers) }

  /// Why nothing may be sent over the connection of a handle; nil when it may.
  func refusal(ofConnection handle: UnsafeMutableRawPointer) -> ByteConnectionError? {
    var ends = mh_curl_ends()
    guard mh_curl_connection_ends(handle, &ends) == CURLE_OK, let peer = ends.peer, let here = ends.here,
      let receiver = LocalConnection.End(String(cString: peer), port: Int32(clamping: ends.peer_port)),
      let own = LocalConnection.End(String(cString: here), port: Int32(clamping: ends.here_port))
    else { return refusal(ofOwner: .unknown) }
    let connection = LocalConnection(here: own, receiver: receiver)
    return connection.isWithinThisMachine && users != .anybody ? refusal(ofOwner: connection.owner()) : nil
  }

  private func refusal(ofOwner owner: LocalPeerOwner) -> ByteConnectionError? {
    let cure = "Use TLS, or name the user whose server it is with --receiver-user (a number, or any)."
    switch owner {
    case .user(let user) where users.allows(user, trusted: trusted): return nil
    case .user(let user):
      return ByteConnectionError(
        .foreignUser,
        "the server's port on this machine belongs to user \(user), who is neither root nor this user; nothing was sent. "
          + cure)
    case .unknown:
      if users == .anybody { return nil }
      return ByteConnectionError(
        .foreignUser, "this machine does not tell whose the server's port is; nothing was sent. " + cure)
    }
  }
}
