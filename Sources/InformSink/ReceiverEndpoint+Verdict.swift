public import CurlHTTP
package import HostPrimitives
public import MeterCore

extension ReceiverEndpoint {
  /// Asks the receiver about a token. Nothing is stored, so that a mistyped token costs nobody their session.
  public func verdict(
    on token: AccessToken, of owner: SessionUser, transport: any HTTPTransport
  ) async -> TokenVerdict {
    await answer(on: token, of: owner, transport: transport).verdict
  }

  /// Asks the receiver about a token, as ``verdict(on:of:transport:)`` does, with what the next question depends on.
  package func answer(
    on token: AccessToken, of owner: SessionUser, transport: any HTTPTransport,
    policy: DeliveryPolicy = DeliveryPolicy(), clock: any HostClock = .system, jitter: Double = .random(in: 0...1)
  ) async -> TokenAnswer {
    await InformSink(self, transport: transport, clock: clock)
      .answer(on: SinkCredential(user: owner, token: token), policy: policy, clock: clock, jitter: jitter)
  }
}
