import CCurl

/// Drives the connections of a dialer; everything in it belongs to one thread.
///
/// A handle stays in the multi handle for as long as its connection is used: libcurl closes the connection of a `CONNECT_ONLY` handle
/// that is removed.
struct CurlStreamLoop {
  let mailbox: CurlStreamMailbox
  let settings: CurlTransport.Settings

  func run() {
    if let problem = CurlTransport.unavailability() {
      return mailbox.fail(ByteConnectionError(.unavailable, problem.message))
    }
    guard let multi = mh_curl_multi_new() else {
      return mailbox.fail(ByteConnectionError(.unavailable, "libcurl has no memory to start; free some."))
    }
    mailbox.attach(multi)
    var streams: [Int: CurlStream] = [:]
    while let post = mailbox.collect() {
      take(post, multi, &streams)
      _ = mh_curl_multi_perform(multi)
      noteConnected(multi, streams)
      for (number, stream) in streams {
        stream.work()
        guard stream.isBroken else { continue }
        finish(stream, multi, with: CurlStreamMailbox.closed)
        if !stream.hasConnected { streams[number] = nil }
      }
      wait(multi, streams)
    }
    for order in mailbox.shutDown() { order.finish(.failure(CurlStreamMailbox.closed)) }
    for number in Array(streams.keys) { end(number, multi, &streams, with: CurlStreamMailbox.closed) }
    mh_curl_multi_free(multi)
  }

  private func take(
    _ post: CurlStreamMailbox.Post, _ multi: UnsafeMutableRawPointer, _ streams: inout [Int: CurlStream]
  ) {
    for order in post.orders {
      if case .connect(let address) = order.action {
        start(order, address, multi, &streams)
      } else if let stream = streams[order.stream] {
        stream.add(order)
      } else {
        order.finish(.failure(CurlStreamMailbox.closed))
      }
    }
    if !post.cancelled.isEmpty { for stream in streams.values { stream.cancel(post.cancelled) } }
    for number in post.closedStreams { end(number, multi, &streams, with: CurlStreamMailbox.closed) }
  }

  private func start(
    _ order: CurlStreamOrder, _ address: ByteConnectionAddress, _ multi: UnsafeMutableRawPointer,
    _ streams: inout [Int: CurlStream]
  ) {
    guard let handle = mh_curl_new() else {
      order.finish(.failure(ByteConnectionError(.unavailable, "libcurl has no memory for a connection.")))
      return
    }
    let stream = CurlStream(handle: handle, address, settings, order)
    streams[order.stream] = stream
    guard stream.configure(), mh_curl_multi_add(multi, handle) == CURLM_OK else {
      let refusal = ByteConnectionError(.invalidAddress, "libcurl refuses the connection; check address and options.")
      return end(order.stream, multi, &streams, with: refusal)
    }
  }

  private func noteConnected(_ multi: UnsafeMutableRawPointer, _ streams: [Int: CurlStream]) {
    var done: UnsafeMutableRawPointer?
    var result = CURLE_OK
    while mh_curl_multi_next_done(multi, &done, &result) != 0, let handle = done {
      streams.values.first { $0.handle == handle }?.noteConnected(result)
    }
  }

  private func end(
    _ number: Int, _ multi: UnsafeMutableRawPointer, _ streams: inout [Int: CurlStream], with error: ByteConnectionError
  ) {
    if let stream = streams.removeValue(forKey: number) { finish(stream, multi, with: error) }
  }

  private func finish(_ stream: CurlStream, _ multi: UnsafeMutableRawPointer, with error: ByteConnectionError) {
    // Removing closes the connection, and only then may what is being sent be freed.
    if let handle = stream.handle { _ = mh_curl_multi_remove(multi, handle) }
    stream.finish(error)
  }

  private func wait(_ multi: UnsafeMutableRawPointer, _ streams: [Int: CurlStream]) {
    var descriptors = streams.values.compactMap(\.wish)
    // Woken by the mailbox; the time limit only covers a wake-up that the kernel refused, and what TLS may wait for besides.
    _ = descriptors.withUnsafeMutableBufferPointer {
      mh_curl_multi_poll_also(multi, $0.baseAddress, UInt32($0.count), 1000)
    }
  }
}
