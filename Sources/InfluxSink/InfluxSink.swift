package import CurlHTTP
package import HostPrimitives
package import MeterCore
import ReadingJSON
import SinkHTTP

/// A series database that takes InfluxDB's line protocol over HTTP: InfluxDB 1, 2 and 3, and what speaks as they do.
package struct InfluxSink: Sink {
  /// How many readings are written together.
  static let batchSize = 100
  /// How many bytes of lines a request has, unless one reading has more.
  static let requestSize = 1 << 20

  /// Many readings a request.
  package let capabilities: SinkCapabilities

  private let setting: InfluxSinkSetting
  private let calls: InfluxCalls
  private let transport: any HTTPTransport
  private let clock: any HostClock

  /// A reading, and its place among those that are delivered together.
  private struct Item: Sendable {
    let place: Int
    let lines: [UInt8]
  }

  /// A sink for a database.
  ///
  /// - Parameters:
  ///   - setting: As ``InfluxSinkSetting/checked(in:)`` gives it.
  ///   - transport: The way to it; nil for its own.
  ///   - clock: To compare its date with the database's.
  package init(
    _ setting: InfluxSinkSetting, transport: (any HTTPTransport)? = nil, clock: any HostClock = .system
  ) {
    capabilities = setting.capabilities
    self.setting = setting
    calls = InfluxCalls(setting)
    self.transport = transport ?? CurlTransport(settings: setting.reach.transportSettings)
    self.clock = clock
  }

  /// Whether a database answers. Whether the token may write, only a reading tells.
  package func check(_ credential: SinkCredential) async -> CredentialReply {
    do throws(TransportError) {
      let response = try await transport.send(calls.ping)
      guard !response.isPage else {
        let words =
          "what answers there is no database (HTTP \(response.status) with a page for people); check the address"
        return CredentialReply(.unclear, text: words, reason: words)
      }
      let words = "the database answers; whether it lets this host write, the first reading tells"
      return CredentialReply(
        .cannotSay, text: words, reason: words, clockSkewSeconds: response.clockSkew(clock.unixMicroseconds))
    } catch {
      return CredentialReply(.outOfReach(), text: "\(error)", reason: error.message)
    }
  }

  /// Writes readings together, and apart where the database refuses some of them.
  package func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply] {
    let form = RecordLines(identity: setting.identity, subject: setting.subject ?? credential.user.pseudonym)
    var replies: [Int: SinkReply] = [:]
    var items: [Item] = []
    for (place, record) in records.enumerated() {
      do throws(RecordLines.Refusal) {
        items.append(Item(place: place, lines: try form.bytes(of: record)))
      } catch {
        replies[place] = Self.refusal(error)
      }
    }
    for part in Self.parts(items) {
      replies.merge(await write(part, credential.token)) { _, new in new }
    }
    return records.indices.map { replies[$0] ?? SinkReply(.retry(), text: "nothing is known of it") }
  }

  /// Writes some readings; where they are refused together, each half for itself, so that one is refused for what it is.
  private func write(_ items: ArraySlice<Item>, _ token: AccessToken?) async -> [Int: SinkReply] {
    let (answer, skew) = await send(items, token)
    if case .success(.refused) = answer, items.count > 1 {
      let middle = items.startIndex + items.count / 2
      let first = await write(items[..<middle], token)
      return first.merging(await write(items[middle...], token)) { _, new in new }
    }
    var reply: SinkReply
    switch answer {
    case .success(let answer): reply = answer.reply
    case .failure(let error): reply = SinkReply(error)
    }
    reply.clockSkewSeconds = skew
    return Dictionary(items.map { ($0.place, reply) }) { first, _ in first }
  }

  private func send(
    _ items: ArraySlice<Item>, _ token: AccessToken?
  ) async -> (answer: Result<InfluxAnswer, TransportError>, skew: Int?) {
    do throws(TransportError) {
      let response = try await transport.send(calls.write(items.flatMap(\.lines), token))
      return (.success(InfluxAnswer(response, hasCredential: token != nil)), response.clockSkew(clock.unixMicroseconds))
    } catch {
      return (.failure(error), nil)
    }
  }

  /// Readings in their order, as many together as a request has room for.
  private static func parts(_ items: [Item]) -> [ArraySlice<Item>] {
    var (parts, start, size): ([ArraySlice<Item>], Int, Int) = ([], 0, 0)
    for (index, item) in items.enumerated() {
      if index > start, size + item.lines.count > requestSize {
        parts.append(items[start..<index])
        (start, size) = (index, 0)
      }
      size += item.lines.count
    }
    if start < items.count { parts.append(items[start...]) }
    return parts
  }

  private static func refusal(_ refusal: RecordLines.Refusal) -> SinkReply {
    switch refusal {
    case .format(let refusal):
      SinkReply(.refused(reason: refusal.code.rawValue), text: refusal.message, isAboutItem: true)
    case .time:
      SinkReply(
        .refused(reason: "time"), text: "its time is before 1677 or after 2262, for which the database has no room",
        isAboutItem: true)
    }
  }

  /// None is ever sent.
  package func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply {
    SinkReply(.refused(reason: "no_images"), text: "a series database takes no pictures", isAboutItem: true)
  }
}
