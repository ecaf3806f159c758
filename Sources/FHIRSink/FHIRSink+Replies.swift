import CurlHTTP
import FHIRBundles
import MeterCore

extension FHIRSink {
  /// What came of sending a bundle, as the delivery engine takes it.
  func reply(_ exchange: FHIRServer.Exchange, to bundle: FHIRBundle) -> SinkReply {
    var reply = outcome(exchange, bundle)
    reply.clockSkewSeconds = exchange.clockSkewSeconds
    return reply
  }

  private func outcome(_ exchange: FHIRServer.Exchange, _ bundle: FHIRBundle) -> SinkReply {
    switch exchange.outcome {
    case .failed(let error): return SinkReply(.retry(), text: "\(error)")
    case .withoutToken(let failure): return reply(failure)
    case .answered(let response):
      let text = AnswerText(secrets: exchange.secrets, values: HiddenValues(bundle.json))
      let meaning = AnswerMeaning(response, entries: bundle.entryCount, main: bundle.mainEntry)
      if case .delivered(let id) = meaning { return SinkReply(.delivered(id: text.kept(id))) }
      var words = text.text(response, entries: bundle.entryCount, main: bundle.mainEntry)
      if meaning == .refused(reason: AnswerMeaning.ambiguous) { words += "; " + Self.twins(of: bundle) }
      return refusal(meaning, words, response.status)
    }
  }

  private func refusal(_ meaning: AnswerMeaning, _ text: String, _ status: Int) -> SinkReply {
    // What is asked for in a moment, or of who asks, says nothing of the reading; of the faults of servers 501 does.
    let isAboutItem = ![401, 407, 408, 425, 429].contains(status) && (status < 500 || status == 501)
    return switch meaning {
    case .delivered(let id): SinkReply(.delivered(id: id))
    case .retry(let asked): SinkReply(.retry(after: asked), text: text, isAboutItem: isAboutItem)
    case .refused(let reason): SinkReply(.refused(reason: reason), text: text, isAboutItem: true)
    case .unauthorized(true): SinkReply(.credentialRefused, text: text)
    case .unauthorized(false): SinkReply(.retry(), text: text)
    }
  }

  /// What is to be done about it, and by which search the server's operator finds it.
  private static func twins(of bundle: FHIRBundle) -> String {
    "the server has this reading, or its device, several times, and takes no more of it until its operator has removed what is double: "
      + "Observation?identifier=\(FHIRBundleMaker.identifierSystem)|\(bundle.mainIdentifier)"
  }

  private func reply(_ failure: TokenFailure) -> SinkReply {
    switch failure.kind {
    case .refused: SinkReply(.credentialRefused, text: failure.text)
    case .retry(let asked): SinkReply(.retry(after: asked), text: failure.text)
    }
  }
}
