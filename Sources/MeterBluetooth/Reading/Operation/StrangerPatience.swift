import HostPrimitives
import MeterCore
import MeterDrivers
import Synchronization

/// How long an unknown meter may take, while no person waits for it, to say something and to say what it is. Any device can say that
/// it is a meter, take the link and keep it.
final class StrangerPatience: Sendable {
  /// How long it may take until its first word; a meter answers within a second.
  static let firstAnswer = Duration.seconds(5)
  /// How long until its services and its Device Information are known.
  static let recognition = Duration.seconds(30)
  /// How long its session may take. What came until then makes it a known one, which has its whole time.
  static let session = Duration.seconds(300)

  private let hasGivenUp = Mutex(false)
  private let watch = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter heard: How many PDUs had come before it was asked anything.
  init(with att: ATTClient, heard: Int, _ ledger: ReadLedger, clock: any HostClock) {
    let watching = Task { [weak self] in
      guard await clock.elapsed(Self.firstAnswer) else { return }
      if await att.receivedPDUs > heard {
        guard await clock.elapsed(Self.recognition - Self.firstAnswer) else { return }
      }
      guard let self, ledger.reached.isEmpty, !Task.isCancelled else { return }
      self.hasGivenUp.withLock { $0 = true }
      await att.close()
    }
    watch.withLock { $0 = watching }
  }

  /// Whether the link was closed because its time was over.
  var isOver: Bool { hasGivenUp.withLock(\.self) }

  /// The attempt is over.
  func end() { watch.withLock(\.self)?.cancel() }
}

extension ReadOperation {
  /// From now on the meter is one that nobody knows.
  mutating func limitForStranger() {
    isWithStranger = true
    options.session.total = min(options.session.total, StrangerPatience.session)
  }

  /// An unknown meter has not said in time what it is.
  func strangerGivenUp(cause: BluetoothError) -> BluetoothError {
    BluetoothError(
      .readingTimeout,
      "a device that says it is \(plan.peripheral.name) does not say in \(StrangerPatience.recognition) what it is, or says nothing "
        + "for \(StrangerPatience.firstAnswer). If it is yours, read it with `meterhost read \(plan.peripheral.id)`: a person's read "
        + "has more patience, and so has every later one",
      cause: cause)
  }
}
