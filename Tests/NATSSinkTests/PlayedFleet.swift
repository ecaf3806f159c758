import CurlHTTP
import Foundation
import HostPrimitives
import MeterCore
import NATSClient
import NATSSupport
import RecordSupport
import Synchronization
import TestSupport

@testable import NATSSink

/// A stream behind a played server, and a receiver behind that which stores each reading once.
final class PlayedFleet: Sendable {
  /// What goes wrong.
  struct Faults: Sendable {
    /// Whether a receiver is there.
    var isReceiverThere = true
    /// What a receiver says; nil for what it has stored.
    var confirmation: (@Sendable (ReadingName) -> String)?
    /// Whether it is quicker than the stream's own answer.
    var confirmsFirst = false
    /// Connections are cut behind these messages, whose answers are lost.
    var cutsAfter: @Sendable (PlayedNATS.Published) -> Bool = { _ in false }
    /// What the stream answers in place of taking a message.
    var answer: (@Sendable (PlayedNATS.Published) -> PlayedNATS.Reaction)?
  }

  let stream = PlayedStream()
  /// What the receiver has, by the names of messages, and how often each came.
  let database = Mutex<[String: Int]>([:])
  let faults = Mutex(Faults())
  private let played: PlayedNATS

  init(_ faults: Faults = Faults(), change: (inout PlayedNATS.Script) -> Void = { _ in }) throws {
    self.faults.withLock { $0 = faults }
    var script = PlayedNATS.Script()
    change(&script)
    script.published = { [place] message in place.fleet.withLock(\.self)?.take(message) ?? [] }
    played = try PlayedNATS(script)
    place.fleet.withLock { $0 = self }
  }

  /// Where the server finds it, until it stops.
  private final class Place: Sendable {
    let fleet = Mutex<PlayedFleet?>(nil)
  }

  private let place = Place()

  var server: PlayedNATS { played }
  var stored: [String: Int] { database.withLock(\.self) }

  func stop() {
    played.stop()
    place.fleet.withLock { $0 = nil }
  }

  private func take(_ message: PlayedNATS.Published) -> [PlayedNATS.Reaction] {
    let faults = faults.withLock(\.self)
    if let answer = faults.answer { return [answer(message)] }
    let before = stream.messages.count
    let kept = stream.take(message)
    var confirmations: [PlayedNATS.Reaction] = []
    if faults.isReceiverThere, stream.messages.count > before, let text = message.headers["Nats-Msg-Id"] {
      database.withLock { $0[text, default: 0] += 1 }
      if let subject = message.headers["Meterhost-Confirm"], let name = ReadingName(text) {
        confirmations = [.publish(subject, faults.confirmation?(name) ?? Self.created(name))]
      }
    }
    if faults.cutsAfter(message) { return [.close] }
    return faults.confirmsFirst ? confirmations + [kept] : [kept] + confirmations
  }

  static func created(_ name: ReadingName) -> String {
    #"{"msg_id":"\#(name)","outcome":"created","id":"42","log_id":"\#(name.logID)","revision":\#(name.revision)}"#
  }

  func setting() -> NATSSinkSetting {
    NATSSinkSetting(servers: played.address, organization: "clinic", gateway: "gw0001")
  }

  func sink(_ clock: any HostClock = .ofTest, _ change: (inout NATSSinkSetting) -> Void = { _ in }) throws -> NATSSink {
    var setting = setting()
    change(&setting)
    return try NATSSink(setting, dialer: CurlDialer(settings: setting.transportSettings), clock: clock)
  }
}

extension Fixture {
  static let credential = SinkCredential(user: user, token: token)

  static func readings(_ numbers: ClosedRange<UInt64>) -> [Record] { numbers.map { glucose($0) } }
}

extension PlayedFleet {
  /// What a stream whose window is over and its receiver make of a message that is there: the receiver says that nothing changes.
  func repeated(_ message: PlayedNATS.Published) -> PlayedNATS.Reaction {
    guard let text = message.headers["Nats-Msg-Id"], let subject = message.headers["Meterhost-Confirm"] else {
      return .raw("")
    }
    return .publish(subject, #"{"msg_id":"\#(text)","outcome":"unchanged","id":"42"}"#)
  }
}
