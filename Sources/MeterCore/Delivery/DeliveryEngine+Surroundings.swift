// What sinks are told that keep a connection.
extension DeliveryEngine {
  /// Lets the sink work beside deliveries; returns at once when it wants nothing, else when the task is cancelled.
  func serveReceiver() async {
    guard receiver.capabilities.wantsSurroundings else { return }
    let (changes, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let storeChanges = store.changes()
    let forwarder = Task { for await _ in storeChanges { signal.yield() } }
    defer { forwarder.cancel() }
    surroundingsChanged = signal
    signal.yield()
    let (store, sink, target) = (store, sink, target)
    await receiver.serve(
      SinkSurroundings(
        changes: changes,
        credential: {
          guard let credential = try? store.credential(sink: sink, target: target) else { return nil }
          return SinkCredential(user: credential.user, token: credential.token)
        },
        status: { try? store.sinkStatus(sink) }))
  }
}
