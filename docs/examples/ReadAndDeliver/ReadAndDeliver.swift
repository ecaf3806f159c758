// Reads one meter and delivers its readings: what docs/embed-the-library.md explains.
// Usage: example-read-and-deliver INSTALLATION STATE AIR RECEIVER ADDRESS
// RECEIVER_TOKEN is the user's token; AIR is the folder of virtual meters.
import Foundation
import MeterBluetooth
import MeterCore
import GatewayEngine

@main
struct ReadAndDeliver {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 6 else {
      return print("usage: example-read-and-deliver INSTALLATION STATE AIR RECEIVER ADDRESS")
    }
    var settings = GatewayLocations.Settings()
    settings.registry = arguments[1] + "/lib/meterhost/registry.json"
    settings.worker = arguments[1] + "/libexec/meterhost/meterhost-worker"
    settings.state = arguments[2]
    let gateway = try Gateway(locations: GatewayLocations(settings: settings))

    // One process owns the state folder; a second one gets StoreError `busy`.
    let store = try gateway.openStore()
    let token = ProcessInfo.processInfo.environment["RECEIVER_TOKEN"] ?? ""
    let account = GatewayAccount(
      user: SessionUser(userID: "patient-1", organizationID: "clinic"), token: AccessToken(token),
      receiver: arguments[4])
    let start = try await GatewayDelivery.start(account, store: store)
    print(start.unvalidated.map { "the receiver will validate the token later: \($0)" } ?? "validated")
    if let file = start.ended?.recoveryFile { print("the session before left \(file.path)") }

    // Deliver in the background: after each commit, and again after a failure.
    let uploading = Task { await start.delivery.run() }
    defer { uploading.cancel() }

    let controller = gateway.controller(store: store, radio: VirtualRadio(air: try .of(arguments[3])))
    var options = ReadOptions()
    options.takesHistory = true
    options.allowList = [arguments[5]]
    options.connectionTimeout = .seconds(30)
    for await event in try controller.read(peripheral: 1000, options: options) {
      switch event {
      case .started(let text), .ready(let text): print(text)
      case .connected(let meter): print("connected to \(meter.address)")
      case .progress, .provisional, .meterFacts: break
      case .shouldSubmit(let records): for record in records { print(record.record.logID, record.disposition) }
      // Asked only with `options.answersQuestions`; answered with `controller.answer(_:_:)`.
      case .question(let question): controller.refuse(question.id)
      case .passkeyToEnter(let number): print("enter \(number) at the meter, as six digits")
      case .paired(let meter): print("paired with \(meter.uuid)")
      case .completed(let summary), .cancelled(let summary): print("\(summary.records.count) new")
      case .alreadyDelivered(let summary): print("\(summary.records.count) new, read passively before")
      case .failed(let error, _): print("\(error.code.rawValue): \(error.message)")
      }
    }
    let report = await start.delivery.drain()
    print("\(report.waiting) readings wait")
  }
}
