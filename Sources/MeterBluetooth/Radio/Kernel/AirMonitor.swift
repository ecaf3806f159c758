import BluetoothWire
import HostPrimitives
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
  private var work: Task<Void, Never>?
  private var handle: UInt16?
  /// The kernel, or the controller, has none.
  private var isImpossible = false

  init(index: UInt16, client: ManagementClient) {
    self.index = index
    self.client = client
  }

  /// Takes away what an earlier process has left: monitors outlast the process that has asked for them.
  func removeLeftOvers() async { _ = try? await perform(.removeMonitor(0)) }

  /// Has a monitor or has none, as it is wanted when this returns.
  ///
  /// - Parameter isWanted: Asked before each step, because what is wanted may change meanwhile; nil: nothing may be done any
  ///   more.
  func follow(_ isWanted: @escaping @Sendable () -> Bool?) async {
    while let work { await work.value }
    let work = Task { await self.settle(isWanted) }
    self.work = work
    await work.value
  }

  private func settle(_ isWanted: @Sendable () -> Bool?) async {
    defer { work = nil }
    while let wanted = isWanted(), wanted != (handle != nil), !isImpossible {
      do throws(KernelBluetoothError) {
        if let handle {
          self.handle = nil
          try await perform(.removeMonitor(handle))
        } else {
          let answer = try await perform(.addMonitor([Self.flags]))
          guard answer.count >= 2 else { return isImpossible = true }
          handle = UInt16(littleEndianBytes: answer[..<2])
        }
      } catch {
        isImpossible = error.status == .unknownCommand || error.status == .notSupported
        // Whatever else it was, it is tried again when somebody begins to listen.
        return
      }
    }
  }

  /// Flags as a meter that is LE only sends them: general discoverable, no BR/EDR.
  private static let flags = AdvertisementPattern(type: 0x01, bytes: [0x06])

  @discardableResult
  private func perform(_ command: ManagementCommand) async throws(KernelBluetoothError) -> [UInt8] {
    try await client.perform(command, index: index, adapter: KernelRadio.name(of: index))
  }
}

extension ConnectionParameters {
  /// For a session that is short and should be over soon; the kernel's own let a link die of 0.4 s of silence.
  static func forMeter(_ peer: BluetoothAddress) -> ConnectionParameters {
    ConnectionParameters(peer: peer, interval: 12...24, latency: 0, supervisionTimeout: 400)
  }
}
