package import CurlHTTP
import FHIRBundles
package import HostPrimitives
package import MeterCore

/// A FHIR R4 server that gets one transaction bundle for each reading (docs/send-to-fhir.md).
package struct FHIRSink: Sink {
  /// One reading a bundle; pictures have no place there.
  package let capabilities: SinkCapabilities

  let server: FHIRServer
  private let patient: String
  private let gateway: SinkGateway
  private let watch: PatientWatch
  private let ids: FHIRSinkSetting.IDs
  private let hasSecret: Bool

  /// A sink for a server.
  ///
  /// - Parameters:
  ///   - setting: With the patient whom a person has confirmed.
  ///   - gateway: Which gateway sends.
  /// - Throws: ``FHIRSinkError`` with code `fhir_not_confirmed`.
  package init(
    _ setting: FHIRSinkSetting, of gateway: SinkGateway, transport: any HTTPTransport, clock: any HostClock = .system
  ) throws(FHIRSinkError) {
    guard let patient = setting.patient, let confirmed = setting.confirmedPatient else {
      throw FHIRSinkError(
        .notConfirmed, "nobody has confirmed whose readings the FHIR server gets",
        hint: "add the receiver with `meterhost sink add`, which shows the patient and asks")
    }
    let tokens = TokenSource(setting, transport: transport, clock: clock)
    server = FHIRServer(address: setting.address, transport: transport, tokens: tokens, clock: clock)
    (self.patient, self.gateway) = (patient, gateway)
    // The id that was found counts from now on: an identifier that is given to somebody else, or changes, changes nothing.
    var found = setting
    found.patientIdentifier = nil
    watch = PatientWatch(PatientDesk(setting: found, server: server), confirmed: confirmed, clock: clock)
    ids = setting.ids
    hasSecret = setting.authorization.hasSecret
    capabilities = setting.capabilities
  }

  /// Asks the server what it can do and who the patient is.
  package func check(_ credential: SinkCredential) async -> CredentialReply {
    switch await watch.look(credential.token, asksAgain: true) {
    case .same: return CredentialReply(.accepted)
    case .other: return CredentialReply(.otherUser, text: PatientWatch.other, reason: PatientWatch.other)
    case .unknown(let error):
      let verdict: CredentialReply.Verdict =
        switch error.code {
        case .refused: hasSecret ? .refused : .unclear
        case .unreachable: .outOfReach()
        default: .unclear
        }
      return CredentialReply(verdict, text: error.message, reason: error.message)
    }
  }

  /// Sends each reading as a bundle of its own.
  package func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply] {
    var replies: [SinkReply] = []
    for record in records { replies.append(lasting(await deliver(record, credential.token))) }
    return replies
  }

  /// A refusal of who this host is stops a sink until another secret is given. Where none is kept (a key in a file, a client certificate),
  /// there is none to give: what was mended shows when it is tried again.
  private func lasting(_ reply: SinkReply) -> SinkReply {
    guard !hasSecret, reply.outcome == .credentialRefused else { return reply }
    var reply = reply
    reply.outcome = .retry()
    return reply
  }

  /// Pictures have no place there.
  package func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply {
    SinkReply(.refused(reason: Self.notEncodable), text: "a FHIR server gets no pictures", isAboutItem: true)
  }

  /// The reason under which the dead-letter table keeps what has no form in FHIR.
  private static let notEncodable = "not_encodable"

  /// What writes bundles. Whether a time source keeps this machine's clock right is told as it is at the moment.
  private var maker: FHIRBundleMaker {
    FHIRBundleMaker(
      subject: .reference(patient),
      gateway: FHIRGateway(id: gateway.id, clock: HostClockTrust.kernel.isSynchronized ? .network : .unknown))
  }

  private func deliver(_ record: Record, _ secret: AccessToken?) async -> SinkReply {
    let bundle: FHIRBundle
    do { bundle = try maker.bundle(for: record) } catch {
      return SinkReply(
        .refused(reason: Self.notEncodable), text: "\(error.code.rawValue): \(error.message)", isAboutItem: true)
    }
    switch await watch.look(secret) {
    case .same: break
    case .other: return SinkReply(.retry(), text: PatientWatch.other)
    case .unknown(let error):
      return SinkReply(
        error.code == .refused ? .credentialRefused : .retry(), text: "\(error.code.rawValue): \(error.message)")
    }
    switch ids {
    case .server: return reply(await server.send("POST", "", body: bundle.json, secret: secret), to: bundle)
    case .client: return await deliver(bundle, of: record, secret)
    }
  }
}
