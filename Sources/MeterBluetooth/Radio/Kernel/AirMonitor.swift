import BluetoothWire
import KernelBluetooth

/// The kernel's advertisement monitor of an adapter, by which every advertisement is heard.
///
/// A discovery lets the controller leave repeats out, and many controllers take an advertisement of an address that they have
/// heard for a repeat whatever it says: a scale whose weight is in its advertisement would be heard once. While there is a
/// monitor, the kernel asks the controller for all of them, and listens between discoveries as well. What the monitor looks
/// for does not matter: a monitor that the kernel carries out itself reports everything.
actor AirMonitor {
  private let index: UInt16
  private let client: ManagementClient
  private var isWanted = false
  private var isWorking = false
  private var handle: UInt16?
  /// The kernel, or the controller, has none.
  private var isImpossible = false

  init(index: UInt16, client: ManagementClient) {
    self.index = index
    self.client = client
  }

  /// Takes away what an earlier process has left: monitors outlast the process that has asked for them.
  func removeLeftOvers() async { _ = await perform(.removeMonitor(0)) }

  /// Whether there is to be a monitor from now on.
  func want(_ isWanted: Bool) async {
    self.isWanted = isWanted
    guard !isWorking else { return }
    isWorking = true
    defer { isWorking = false }
    while self.isWanted != (handle != nil), !isImpossible {
      if let handle {
        self.handle = nil
        _ = await perform(.removeMonitor(handle))
      } else if let answer = await perform(.addMonitor([Self.flags])), answer.count >= 2 {
        handle = UInt16(answer[0]) | UInt16(answer[1]) << 8
      } else {
        isImpossible = true
      }
    }
  }

  /// Flags as a meter that is LE only sends them: general discoverable, no BR/EDR.
  private static let flags = AdvertisementPattern(type: 0x01, bytes: [0x06])

  private func perform(_ command: ManagementCommand) async -> [UInt8]? {
    try? await client.perform(command, index: index, adapter: KernelRadio.name(of: index))
  }
}

extension ConnectionParameters {
  /// For a session that is short and should be over soon; the kernel's own let a link die of 0.4 s of silence.
  static func forMeter(_ peer: BluetoothAddress) -> ConnectionParameters {
    ConnectionParameters(peer: peer, interval: 12...24, latency: 0, supervisionTimeout: 400)
  }
}
