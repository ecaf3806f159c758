import CCurl
internal import CLinux

/// Without TLS nothing says who has taken the connection, but within this machine the kernel knows. It is asked when the
/// connection stands and before anything is written to it.
extension CurlTransfer {
  /// Sets what judges the other end; the results of libcurl.
  func configureLocalPeer(_ handle: UnsafeMutableRawPointer, url: String, socket: ReceiverSocket?) -> [CURLcode] {
    guard !url.lowercased().hasPrefix("https://") else { return [] }
    let context = Unmanaged.passUnretained(self).toOpaque()
    var results = [mh_curl_set_before_request(handle, Self.beforeRequest, context)]
    if let socket {
      results.append(mh_curl_set_string(handle, CURLOPT_UNIX_SOCKET_PATH, socket.path))
      results.append(mh_curl_set_open_socket(handle, Self.openSocket, context))
    }
    return results
  }

  private static let openSocket: curl_opensocket_callback = { context, _, _ in
    guard let context else { return -1 }
    return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().openSocket()
  }

  private static let beforeRequest: curl_prereq_callback = { context, receiver, here, receiverPort, herePort in
    guard let context, let receiver, let here else { return CURL_PREREQFUNC_ABORT }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    transfer.refusal = transfer.judge(
      receiver: (String(cString: receiver), receiverPort), here: (String(cString: here), herePort))
    return transfer.refusal == nil ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
  }

  /// A socket for a new connection, or -1.
  private func openSocket() -> Int32 {
    guard let socket else { return -1 }
    refusal = rule.refusal(ofSocket: socket.path)
    guard refusal == nil else { return -1 }
    descriptor = clinux_open_stream()
    return descriptor ?? -1
  }

  private func judge(receiver: (String, Int32), here: (String, Int32)) -> TransportError? {
    if socket != nil {
      // One that an earlier request has opened was judged then: libcurl keeps none that was not.
      guard let descriptor else { return nil }
      var user: UInt32 = 0
      guard clinux_stream_peer(descriptor, &user) == 0 else {
        return TransportError(.interrupted, "the connection to the receiver's socket broke off.")
      }
      return rule.refusal(ofListener: user)
    }
    guard let receiver = LocalConnection.End(receiver.0, port: receiver.1),
      let here = LocalConnection.End(here.0, port: here.1)
    else { return rule.refusal(nil) }
    let connection = LocalConnection(here: here, receiver: receiver)
    return connection.isWithinThisMachine ? rule.refusal(connection) : nil
  }
}
