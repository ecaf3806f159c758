public import MeterCore
public import CurlHTTP

extension MeterStore {
  /// A client for the session's user at one of its receivers, with the token that is kept for that.
  ///
  /// - Parameters:
  ///   - sink: Which receiver; by default the session's own.
  ///   - endpoint: Where it listens.
  ///   - format: Its wire format.
  ///   - transport: The way to it.
  /// - Returns: Nil without a session, while it ends, and for a receiver that has no token or refuses it.
  public func receiverClient(
    sink: String = defaultSink, endpoint: ReceiverEndpoint, format: WireFormat, transport: any HTTPTransport
  ) throws(StoreError) -> ReceiverClient? {
    try credential(sink: sink).flatMap { credential in
      credential.token.map {
        ReceiverClient(endpoint: endpoint, format: format, user: credential.user, token: $0, transport: transport)
      }
    }
  }
}
