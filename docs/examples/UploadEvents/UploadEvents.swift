// The layer below GatewayEngine: a store and an uploader, without registry, drivers or radio. It delivers what waits in a state
// folder whose session has begun, and tells what comes of it.
// Usage: example-upload-events STATE RECEIVER
import Foundation
import MeterCore
import CurlHTTP
import InformSink

@main
struct UploadEvents {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { return print("usage: example-upload-events STATE RECEIVER") }
    try await deliver(from: URL(fileURLWithPath: arguments[1]), to: arguments[2])
  }

  static func deliver(from folder: URL, to receiver: String) async throws {
    let store = try MeterStore(folder: folder)
    let uploader = DeliveryEngine(store: store, endpoint: try ReceiverEndpoint(receiver), transport: CurlTransport())
    let events = await uploader.events()
    let running = Task { await uploader.run() }
    defer { running.cancel() }
    for await event in events {
      switch event {
      case .recordSubmitted(let logID, let revision, let receiverID, _):
        print(logID, revision, receiverID ?? "no id")
      case .recordSubmissionFailed(let logID, _, let record, let reason, _):
        print(logID, record.type, "is dead:", reason)
      case .retrying(let logID, let wait, let error, _): print(logID, "again in", wait, error)
      case .recordImageSubmitted(let logID, _, let mediaID, let url, _): print(logID, mediaID ?? "", url ?? "")
      case .recordImageSubmissionFailed(let logID, let image, let reason, _): print(logID, image, "is dead:", reason)
      case .imageRetrying(let logID, _, let wait, let error, _): print(logID, "its image again in", wait, error)
      case .sessionValidated: print("the receiver knows the token")
      case .sessionUnvalidated(_, let reason): print("not validated yet:", reason)
      case .sessionEnded(let ended): return print("the token was refused", ended.recoveryFile?.path ?? "")
      case .sinkRefused(let sink): print(sink, "refuses its token")
      case .clockSkew(let skew, let sink): print("the clock of", sink, "is ahead by", skew.seconds, "s")
      case .storeFailed(let error): print(error)
      case .missed(let count): print(count, "events came too fast; the event log has them")
      }
    }
  }
}
