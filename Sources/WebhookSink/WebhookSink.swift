package import CurlHTTP
package import HostPrimitives
package import MeterCore
import ReadingJSON
import SinkHTTP

/// An address to which each reading is posted as JSON, signed with a secret that the receiver knows.
package struct WebhookSink: Sink {
  /// One reading a request.
  package let capabilities: SinkCapabilities

  private let setting: WebhookSinkSetting
  private let transport: any HTTPTransport
  private let clock: any HostClock

  /// A sink for an address.
  ///
  /// - Parameters:
  ///   - setting: As ``WebhookSinkSetting/checked(in:)`` gives it.
  ///   - transport: The way to it; nil for its own.
  ///   - clock: Whose date the signatures have.
  package init(
    _ setting: WebhookSinkSetting, transport: (any HTTPTransport)? = nil, clock: any HostClock = .system
  ) {
    capabilities = setting.capabilities
    self.setting = setting
    self.transport = transport ?? CurlTransport(settings: setting.reach.transportSettings)
    self.clock = clock
  }

  /// Whether something answers at the address. What it makes of the signature only a reading can tell.
  package func check(_ credential: SinkCredential) async -> CredentialReply {
    do throws(TransportError) {
      let response = try await transport.send(HTTPRequest(method: "GET", url: setting.address))
      let words =
        "the endpoint answers (HTTP \(response.status)); what it makes of the signature, the first reading tells"
      return CredentialReply(
        .cannotSay, text: words, reason: words, clockSkewSeconds: response.clockSkew(clock.unixMicroseconds))
    } catch {
      return CredentialReply(.outOfReach(), text: "\(error)", reason: error.message)
    }
  }

  /// Posts each reading.
  package func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply] {
    var replies: [SinkReply] = []
    for record in records { replies.append(await deliver(record, credential)) }
    return replies
  }

  private func deliver(_ record: Record, _ credential: SinkCredential) async -> SinkReply {
    guard let token = credential.token else {
      return SinkReply(.retry(), text: "there is no secret to sign with; give one: `meterhost sink add --help`")
    }
    let message: WebhookMessage
    do throws(FormatRefusal) { message = try WebhookMessage(record, of: credential.user) } catch {
      return SinkReply(.refused(reason: error.code.rawValue), text: error.message, isAboutItem: true)
    }
    let request: HTTPRequest
    do throws(SinkSettingError) { request = try self.request(message, WebhookSecret(token)) } catch {
      return SinkReply(.retry(), text: error.message)
    }
    do throws(TransportError) {
      let response = try await transport.send(request)
      var reply = WebhookAnswer.reply(response, to: message.id, setting.confirmation)
      reply.clockSkewSeconds = response.clockSkew(clock.unixMicroseconds)
      return reply
    } catch {
      return SinkReply(error)
    }
  }

  private func request(_ message: WebhookMessage, _ secret: WebhookSecret) throws(SinkSettingError) -> HTTPRequest {
    var fields = message.fields(signedWith: secret, at: clock.unixMicroseconds / 1_000_000)
    if let file = setting.authorizationFile { fields.append(("Authorization", try AuthorizationFile.read(file))) }
    return HTTPRequest(method: "POST", url: setting.address, headers: fields, body: message.body)
  }

  /// None is ever sent.
  package func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply {
    SinkReply(.refused(reason: "no_images"), text: "a webhook takes no pictures", isAboutItem: true)
  }
}
