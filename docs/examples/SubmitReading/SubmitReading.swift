// Hands two readings in that no meter has brought, as a diary or an import would: what docs/embed-the-library.md explains.
// Usage: example-submit-reading STATE GLUCOSE WEIGHT
// GLUCOSE is in mg/dL, WEIGHT in kg. A session that is there goes on. Where there is none RECEIVER_TOKEN begins one; without a
// token the readings are held. What no person has is refused as a glucose and held as a weight, so that both can be seen.
import Foundation
import HostErrors
import MeterCore

@main
struct SubmitReading {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4 else { return print("usage: example-submit-reading STATE GLUCOSE WEIGHT") }
    let status: Int32
    do {
      let store = try MeterStore(folder: URL(fileURLWithPath: arguments[1]))
      try beginSession(in: store)
      status = try await submit(glucose: arguments[2], weight: arguments[3], to: store)
    } catch let error as any HostError {
      status = tell("nothing", error)
    }
    exit(status)
  }

  /// - Returns: The exit status: that of the last reading that was refused, or 0.
  private static func submit(glucose: String, weight: String, to store: MeterStore) async throws -> Int32 {
    let source = RecordSource(
      peripheralID: 0, manufacturer: nil, model: nil, deviceID: "", driverID: "org.example.diary",
      driverVersion: "1.0.0")
    let now = RecordTime.utc(HostClockReading.now.utcMicroseconds, zone: .gateway, source: .gateway)
    var measured = RecordDraft(type: .diabetes, time: now, source: source)
    measured.values = [.init("blood_glucose", glucose, "mg/dL")]
    var weighed = RecordDraft(type: .weight, time: now, source: source)
    weighed.values = [.init("body_weight", weight, "kg")]
    var weighing = IntakeEntry.draft(weighed)
    weighing.holdsImplausible = true

    let intake = Intake(store)
    let generation = try store.currentSession().generation
    var status: Int32 = 0
    // In one call they would be kept together, or neither.
    for (name, entry) in [("glucose", IntakeEntry.draft(measured)), ("weight", weighing)] {
      do {
        for receipt in try await intake.take([entry], of: generation) { tell(name, receipt) }
      } catch let error as any HostError {
        status = tell(name, error)
      }
    }
    return status
  }

  /// A session that is there goes on, whoever's it is.
  private static func beginSession(in store: MeterStore) throws {
    guard try store.currentSession().user == nil,
      let token = ProcessInfo.processInfo.environment["RECEIVER_TOKEN"]
    else { return }
    let user = SessionUser(userID: "patient-1", organizationID: "clinic")
    _ = try store.startSession(user, token: AccessToken(token))
  }

  private static func tell(_ name: String, _ receipt: CommitReceipt) {
    for kept in receipt.new + receipt.revised + receipt.suspects {
      switch kept.disposition {
      case .pending: print("\(name) \(kept.record.logID): kept, and will be delivered")
      case .held(let reason): print("\(name) \(kept.record.logID): held (\(reason.rawValue))")
      case .excluded(let reason): print("\(name) \(kept.record.logID): never delivered (\(reason.rawValue))")
      }
    }
    // Only what has a name of its own can be known already.
    for known in receipt.duplicates { print("\(name) \(known): known already") }
  }

  /// - Returns: The exit status that the error's kind stands for.
  private static func tell(_ name: String, _ error: any HostError) -> Int32 {
    print("\(name): refused (\(error.codeText)): \(error.fullMessage)")
    if let hint = error.hint { print("  \(hint)") }
    return error.kind.exitStatus
  }
}
