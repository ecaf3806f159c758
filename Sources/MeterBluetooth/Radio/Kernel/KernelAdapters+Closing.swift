import HostPrimitives
import KernelBluetooth
import Synchronization

extension KernelAdapters {
  /// How long putting away may take: nobody waits long for a program that ends.
  private static let patienceForClosing = Duration.seconds(2)

  /// Ends the radios and takes back what the kernel would go on doing for them: its monitors outlast the process. Call it
  /// last, when nobody reads any more.
  public func close() async {
    let radios = current
    let (end, post) = AsyncStream<Void>.makeStream()
    let work = Task {
      for radio in radios { await radio.putAway() }
      post.finish()
    }
    let alarm = Task { [clock] in
      try? await clock.sleep(for: Self.patienceForClosing)
      post.finish()
    }
    for await _ in end {}
    work.cancel()
    alarm.cancel()
  }
}

extension KernelRadio {
  fileprivate func putAway() async {
    let discovers = state.withLock { $0.discovers }
    end(BluetoothError(.cancelled, "\(name) is not used any more; the program ends"))
    await monitor?.follow { false }
    // Another program's would be stopped as well as one's own.
    guard discovers else { return }
    _ = try? await client.perform(.stopDiscovery, index: index, adapter: name, patience: .seconds(1))
  }
}
