import Foundation
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

@Suite("Delivery policy")
struct DeliveryPolicyTests {
  let policy = DeliveryPolicy(base: .seconds(2), cap: .seconds(60))

  @Test(
    "knows each status",
    arguments: [
      (200, .delivered), (201, .delivered), (202, .delivered), (204, .delivered), (401, .credentialRefused),
      (203, .retry(after: .seconds(2))), (205, .retry(after: .seconds(2))), (206, .retry(after: .seconds(2))),
      (207, .retry(after: .seconds(2))), (226, .retry(after: .seconds(2))), (299, .retry(after: .seconds(2))),
      (408, .retry(after: .seconds(2))), (425, .retry(after: .seconds(2))), (429, .retry(after: .seconds(2))),
      (500, .retry(after: .seconds(2))), (502, .retry(after: .seconds(2))), (503, .retry(after: .seconds(2))),
      (599, .retry(after: .seconds(2))), (301, .retry(after: .seconds(2))), (307, .retry(after: .seconds(2))),
      (400, .dead(reason: "http-400")), (404, .dead(reason: "http-404")),
      (402, .retry(after: .seconds(2))), (403, .retry(after: .seconds(2))), (405, .retry(after: .seconds(2))),
      (407, .retry(after: .seconds(2))), (415, .retry(after: .seconds(2))), (499, .retry(after: .seconds(2))),
      (409, .dead(reason: "http-409")), (413, .dead(reason: "http-413")), (422, .dead(reason: "http-422")),
      (0, .retry(after: .seconds(2))), (999, .retry(after: .seconds(2))),
    ] as [(Int, DeliveryDecision)])
  func statuses(status: Int, decision: DeliveryDecision) {
    #expect(policy.after(.answered(status: status, retryAfterSeconds: nil), failures: 1, jitter: 1) == decision)
  }

  @Test(
    "retries every transport error: none says anything about the reading",
    arguments: [
      .unreachable, .tls, .timeout, .interrupted, .responseTooLarge, .cancelled, .invalidRequest, .unavailable,
      .foreignAnswer, .foreignUser,
    ] as [TransportError.Code])
  func transport(code: TransportError.Code) {
    #expect(
      policy.after(.failed(TransportError(code, "")), failures: 1, jitter: 1) == .retry(after: .seconds(2)))
  }

  @Test("doubles its limit up to the cap, with full jitter below it")
  func backoff() {
    func wait(_ failures: Int, _ jitter: Double) -> DeliveryDecision {
      policy.after(.answered(status: 500, retryAfterSeconds: nil), failures: failures, jitter: jitter)
    }
    let limits = [0, 1, 2, 3, 4, 5, 6, 7, 1000, .max].map { wait($0, 1) }
    #expect(limits == [2, 2, 4, 8, 16, 32, 60, 60, 60, 60].map { .retry(after: .seconds($0)) })
    #expect(wait(3, 0) == .retry(after: .zero))
    #expect(wait(3, 0.5) == .retry(after: .seconds(4)))
    #expect(wait(3, .nan) == .retry(after: .seconds(8)))
  }

  @Test("lets images wait longer than anything else, and never less")
  func images() {
    let refused = ExchangeOutcome.answered(status: 403, retryAfterSeconds: nil)
    func wait(_ policy: DeliveryPolicy, _ failures: Int) -> DeliveryDecision {
      policy.after(refused, failures: failures, jitter: 1, cap: policy.longestImageWait)
    }
    #expect([5, 6, 14, 15].map { wait(policy, $0) } == [32, 64, 16_384, 21_600].map { .retry(after: .seconds($0)) })
    #expect(!policy.isRare(failures: 5) && policy.isRare(failures: 6))
    let patient = DeliveryPolicy(base: .seconds(2), cap: .seconds(86_400))
    #expect(wait(patient, 99) == .retry(after: .seconds(86_400)) && !patient.isRare(failures: 99))
  }

  @Test("honours Retry-After within bounds")
  func retryAfter() {
    func wait(_ seconds: Int, _ jitter: Double = 0) -> DeliveryDecision {
      policy.after(.answered(status: 503, retryAfterSeconds: seconds), failures: 9, jitter: jitter)
    }
    #expect(wait(120) == .retry(after: .seconds(120)))
    #expect(wait(120, 1) == .retry(after: .seconds(122)))
    #expect(wait(-5) == .retry(after: .zero))
    #expect(wait(.max) == .retry(after: .seconds(86_400)))
  }

  @Test(
    "reads Retry-After as seconds or as a date against the answer's own",
    arguments: [
      ("120", nil, 120), ("0", nil, 0), ("99999999999999999999", nil, .max), ("-1", nil, nil), ("soon", nil, nil),
      ("", nil, nil), ("Sun, 06 Nov 1994 08:49:37 GMT", nil, nil),
      ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:48:37 GMT", 60),
      ("Fri, 01 Mar 2024 00:00:00 GMT", "Wed, 28 Feb 2024 00:00:00 GMT", 172_800),
      ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 09:49:37 GMT", 0),
      ("Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 09:49:37 GMT", nil),
    ] as [(String, String?, Int?)])
  func retryAfterField(value: String, date: String?, seconds: Int?) {
    let headers = [("retry-after", value)] + (date.map { [("Date", $0)] } ?? [])
    #expect(RetryAfter.seconds(HTTPResponse(status: 503, headers: headers)) == seconds)
  }
}

extension DeliveryPolicy {
  /// What follows an exchange with a receiver of Inform's.
  fileprivate func after(
    _ exchange: ExchangeOutcome, failures: Int, jitter: Double, cap: Duration? = nil
  ) -> DeliveryDecision {
    decide(AnswerStatus.ofRecords.outcome(of: exchange), failures: failures, jitter: jitter, cap: cap)
  }
}
