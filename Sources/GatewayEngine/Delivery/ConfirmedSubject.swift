import GatewayAPI
import MeterCore

extension MeterStore {
  /// This gateway, as receivers know it that keep gateways apart.
  func gateway() throws(StoreError) -> SinkGateway { SinkGateway(id: try gatewayID()) }
}

extension SinkSetting {
  /// The setting with whose readings they are, where the receiver says that. It is asked again: what it says now has to be what a person
  /// has confirmed.
  ///
  /// - Parameter digest: What a person has confirmed (``SinkSubject/digest``).
  /// - Throws: ``GatewayError`` with code `not_confirmed` or `subject_changed`; what the receiver says.
  func confirmed(
    by digest: String?, _ credential: SinkCredential, of gateway: SinkGateway
  ) async throws -> any SinkSetting {
    guard let subject = try await subject(with: credential, of: gateway) else { return self }
    guard let digest else {
      throw GatewayError(
        .failed, code: "not_confirmed",
        "nobody has confirmed whose readings the receiver would get; nothing was changed",
        hint:
          "`meterhost sink add` shows the person and asks; a program asks `sink.subject`, and says what was confirmed")
    }
    guard digest == subject.digest else {
      throw GatewayError(
        .failed, code: "subject_changed",
        "what the receiver says of the person is not what was confirmed; nothing was changed",
        hint: "look again at who it is, and confirm it again")
    }
    return confirmed(subject)
  }
}
