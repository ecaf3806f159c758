import DriverContract
import Synchronization

/// Answers a replayed driver with what the recording holds, and with nothing else: no key is needed, and none is there.
final class ReplayServices: SessionServices {
  /// One request and its answer.
  struct Exchange: Sendable, Hashable {
    let request: ServiceRequest
    let answer: ServiceAnswer
  }

  private struct State {
    var answers: [Exchange] = []
    var next = 0
    var difference: String?
    /// The first difference is a request behind all that were recorded.
    var isBeyond = false
  }

  private let state = Mutex(State())

  /// The driver is opened, or handed the next event: these are the answers that it got then.
  func begin(_ answers: [Exchange]) { state.withLock { $0 = State(answers: answers) } }

  /// How the driver's requests differ from the recorded ones; nil when they do not.
  func end() -> String? {
    state.withLock { state in
      if let difference = state.difference { return difference }
      guard state.next < state.answers.count else { return nil }
      return "the driver did not ask for \(state.answers[state.next].request.words) this time"
    }
  }

  /// As ``end()``, of a call that was broken off when it was recorded: what the driver asks for beyond that is no difference.
  func contradiction() -> String? { state.withLock(\.isBeyond) ? nil : end() }

  func answer(_ request: ServiceRequest) -> ServiceAnswer {
    let request = request.withoutSecret
    return state.withLock { state in
      guard state.next < state.answers.count, state.answers[state.next].request == request else {
        if state.difference == nil {
          let recorded = state.next < state.answers.count ? state.answers[state.next].request.words : "nothing more"
          state.isBeyond = state.next >= state.answers.count
          state.difference = "the driver asked for \(request.words), and when it was recorded for \(recorded)"
        }
        return ServiceAnswer(status: KeyService.denied)
      }
      defer { state.next += 1 }
      return state.answers[state.next].answer
    }
  }
}

extension ServiceRequest {
  /// The request in words, without content.
  var words: String {
    switch self {
    case .value(let name): "the value of \(name)"
    case .put(let name, _): "keeping \(name)"
    case .cipher(let algorithm, let direction, _, let key, _, _, let input):
      "cipher \(algorithm) (direction \(direction)) of \(input.count) bytes with \(key)"
    case .mac(let algorithm, let key, let input): "code \(algorithm) of \(input.count) bytes with \(key)"
    case .sha256(let input): "SHA-256 of \(input.count) bytes"
    case .derive(let length, let key, _, _, let into): "\(length) bytes out of \(key) as \(into)"
    case .makeKeyPair(let into): "a key pair as \(into)"
    case .agree(let key, _, let into): "an agreement with \(key) as \(into)"
    case .random(let count): "\(count) random bytes"
    }
  }
}
