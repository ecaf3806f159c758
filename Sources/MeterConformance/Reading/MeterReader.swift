import BluetoothWire
import DriverContract
import Foundation
import MeterBluetooth
import MeterCore
import MeterDrivers
import VirtualMeter

/// A host with an empty store that reads one virtual meter as often as is wanted: the host's own code from the first
/// advertisement to the last commit.
final class MeterReader: Sendable {
  /// What one read came to.
  struct Outcome: Sendable {
    var isComplete = false
    var error: BluetoothError?
    var summary = ReadSummary()
    var submitted: [CommitRecord] = []
    var provisional = 0
    var questions = 0

    /// Whether it ended because a key, a licence, a passkey or the person's number on the meter was not there.
    var needsPerson: Bool {
      switch error?.code {
      case .keyMissing, .licenceMissing, .ownerUnknown, .notPaired, .pairingFailure: true
      default: questions > 0 && !isComplete
      }
    }

    /// How it ended, in a few words.
    var words: String { isComplete ? "completed" : error.map { "failed: \($0.message)" } ?? "was given up" }
  }

  let meter: VirtualMeter
  private let subject: SubjectMeter
  private let store: MeterStore
  private let controller: PeripheralController
  private let folder: URL

  init(
    _ subject: SubjectMeter, of bench: Subject, sessions: any SessionOpener, faults: [MeterFault] = []
  ) throws(ConformanceError) {
    self.subject = subject
    meter = subject.make(faults: faults)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("mh-read-\(UUID().uuidString.prefix(12))")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      store = try MeterStore(folder: folder.appendingPathComponent("state"))
      _ = try store.startSession(
        SessionUser(userID: "conformance", organizationID: "conformance"), token: AccessToken("conformance"))
      try Self.enter(bench.keys, of: subject, into: store)
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw ConformanceError(.system, "a store for the virtual meter cannot be made: \(error)")
    }
    controller = PeripheralController(
      registry: bench.registry, bundles: BundleCatalog(registry: bench.registry), sessions: sessions, store: store,
      traffic: AirTraffic(BenchRadio(meter: meter)))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Reads to the end.
  func read() async throws(ConformanceError) -> Outcome {
    var outcome = Outcome()
    let events: AsyncStream<ReadEvent>
    do throws(BluetoothError) {
      events = try controller.read(peripheral: subject.peripheral.id, options: options)
    } catch {
      outcome.error = error
      return outcome
    }
    for await event in events {
      switch event {
      case .question(let question):
        outcome.questions += 1
        // The script knows what the person at its meter would say; a second time the answer is no better.
        if let answer = subject.answer, outcome.questions == 1 {
          controller.answer(question.id, answer)
        } else {
          controller.refuse(question.id)
        }
      case .shouldSubmit(let records): outcome.submitted += records
      case .provisional: outcome.provisional += 1
      case .completed(let summary):
        outcome.isComplete = true
        outcome.summary = summary
      case .cancelled(let summary): outcome.summary = summary
      case .failed(let error, let summary):
        outcome.error = error
        outcome.summary = summary
      default: break
      }
    }
    return outcome
  }

  /// What the store holds of the meter.
  func entries() throws(ConformanceError) -> [QueueEntry] {
    do { return try store.queueSnapshot() } catch {
      throw ConformanceError(.system, "the store of the virtual meter cannot be read: \(error.message)")
    }
  }

  private var options: ReadOptions {
    var options = ReadOptions()
    options.userSlot = subject.userSlot
    options.takesHistory = true
    options.clockTrust = .vouched
    options.answersQuestions = true
    // A virtual meter answers at once, or hangs up: these limits end what would never end, and a machine that is busy with
    // something else is no fault of a driver.
    options.connectionTimeout = .seconds(60)
    options.session.silence = .seconds(60)
    options.session.total = .seconds(900)
    // The radio says when a meter has fallen silent.
    options.session.holdOff = options.session.total
    return options
  }

  /// Enters the keys that the meter needs, as a person would.
  private static func enter(
    _ keys: [String: [UInt8]], of subject: SubjectMeter, into store: MeterStore
  ) throws(StoreError) {
    let identity = MeterIdentity(
      serial: subject.text(of: 0x2A25), model: subject.text(of: 0x2A24), systemID: nil,
      address: subject.script.address.description)
    for credential in subject.peripheral.credentials {
      guard let key = keys[credential.name] ?? subject.key else { continue }
      // The script's own key is the meter's; it is nobody's licence.
      guard keys[credential.name] != nil || credential.scope == .meter else { continue }
      let scope: CredentialScope =
        switch credential.scope {
        case .gateway: .gateway
        case .peripheral: .peripheral(subject.peripheral.id)
        case .meter: .meter(identity.peripheralUUID)
        }
      try store.setCredential(key, name: credential.name, scope: scope)
    }
  }
}
