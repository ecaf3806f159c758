import BluetoothWire
import Foundation
import HostPrimitives
import LinuxSockets
import TestSupport
import Testing

@testable import MeterBluetooth

@Suite("The virtual radio", .timeLimit(.minutes(10)))
struct VirtualRadioTests {
  private static func report(_ number: UInt64) -> AdvertisingReport {
    AdvertisingReport(
      eventType: .connectable, address: BluetoothAddress(value: number), rssi: -50,
      data: AdvertisingData([.flags(6)]).encoded)
  }

  /// Somebody in the air who says one thing to each listener. The socket listens before it comes into the folder: who finds it can
  /// connect at once.
  private static func appear(_ number: UInt64, in air: VirtualAir) throws -> Task<Void, Never> {
    let place = try air.advertisingPath(of: BluetoothAddress(value: number))
    let listener = try PacketListener(path: place + "~")
    try FileManager.default.moveItem(atPath: place + "~", toPath: place)
    return Task {
      var audience: [PacketSocket] = []
      while let socket = try? await listener.accept() {
        _ = try? socket.trySend(report(number).encoded)
        audience.append(socket)
      }
      listener.close()
    }
  }

  @Test("hears who comes without looking again and again")
  func wakes() async throws {
    let folder = try TemporaryFolder()
    let (air, clock) = (VirtualAir(folder: folder.path), StoppedClock())
    // Who looks again and again does so by the clock.
    let moving = Task { while !Task.isCancelled { await clock.advanceToNextDeadline() } }
    defer { moving.cancel() }
    var meters = [try Self.appear(1, in: air)]
    defer { for meter in meters { meter.cancel() } }
    var heard: [BluetoothAddress] = []
    for try await report in VirtualRadio(air: air, clock: clock).advertisements() {
      heard.append(report.address)
      guard heard.count < 5 else { break }
      meters.append(try Self.appear(UInt64(heard.count + 1), in: air))
    }
    #expect(heard == (1...5).map { BluetoothAddress(value: $0) })
    #expect(clock.now == .boot, "\(clock.now - .boot)")
  }

  @Test("tries what is left of a meter that has gone less and less often")
  func leftBehind() {
    let set = ListeningSet()
    var now = HostInstant.boot
    var waits: [Duration] = []
    for _ in 0..<12 {
      #expect(set.insert("0A.adv", at: now) && !set.insert("0A.adv", at: now))
      #expect(set.nextTry == nil, "it is being tried")
      set.leave("0A.adv", at: now, hasHeard: false)
      let next = set.nextTry ?? now
      #expect(!set.insert("0A.adv", at: now))
      waits.append(next - now)
      now = next
    }
    #expect(waits.first == VirtualRadio.firstRetry && waits.last == VirtualRadio.longestRetry)
    set.keep([])
    #expect(set.nextTry == nil, "its file is gone")
  }
}
