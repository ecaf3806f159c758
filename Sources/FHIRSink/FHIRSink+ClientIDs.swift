import CurlHTTP
import FHIRBundles
import MeterCore

extension FHIRSink {
  /// Sends a bundle in which observations have ids of this host. The first revision goes out only where none is: written under its id it
  /// would take the place of a later one, which another gateway may have brought.
  func deliver(_ bundle: FHIRBundle, of record: Record, _ secret: AccessToken?) async -> SinkReply {
    guard let id = ClientIDs.id(bundle.mainIdentifier),
      let written = ClientIDs(system: FHIRBundleMaker.identifierSystem).rewritten(bundle)
    else {
      return SinkReply(.retry(), text: "the bundle of the reading cannot be given ids")
    }
    if record.revision <= 1 {
      let reference = "Observation/\(id)"
      let exchange = await server.send("GET", "/\(reference)", secret: secret)
      guard case .answered(let response) = exchange.outcome else { return reply(exchange, to: bundle) }
      switch response.status {
      case 200 where FHIRResource(response.body)?.type == "Observation":
        return SinkReply(.delivered(id: reference), clockSkewSeconds: exchange.clockSkewSeconds)
      // Deleted there by somebody: it is written again, as it would be by a conditional create.
      case let status where [404, 410].contains(status) && OperationOutcome(response.body) != nil: break
      default:
        // Nothing was sent: whatever it says, it says nothing for good.
        var answer = reply(exchange, to: bundle)
        switch answer.outcome {
        case .delivered, .refused: answer.outcome = .retry()
        case .unconfirmed, .retry, .credentialRefused: break
        }
        return answer
      }
    }
    return reply(await server.send("POST", "", body: written, secret: secret), to: bundle)
  }
}
