import Foundation
import GatewayAPI
import HostPrimitives
import MeterCore
import Synchronization

/// What the console remembers between requests. None of it outlives the process.
final class ConsoleState: Sendable {
  /// What belongs to a session.
  struct Kept: Sendable {
    var filter = ReadingFilter()
    /// What is searched among the meters.
    var search = ""
    var notice: PageNotice?
  }

  let clock: any HostClock
  private let kept = Mutex<[String: Kept]>([:])
  private let found = Mutex<[ConsoleFinding]>([])
  private let air = Mutex<[SightingDescription]?>(nil)
  private let offered = Mutex<DriverUpdateCheck?>(nil)
  private let kind = Mutex<UInt32?>(nil)
  /// What goes on between requests.
  let conversations = Conversations()
  private static let most = 64

  /// Whether displays are read on these pages.
  let hasView: Bool

  init(clock: any HostClock, hasView: Bool = false) { (self.clock, self.hasView) = (clock, hasView) }

  /// What belongs to a session, changed by a body.
  func with<Value: Sendable>(_ session: ConsoleSession, _ body: (inout Kept) -> Value) -> Value {
    kept.withLock { kept in
      // Sessions that have ended are forgotten all at once: what is lost with them is a choice of a list.
      if kept.count > Self.most { kept = [:] }
      return body(&kept[session.formToken, default: Kept()])
    }
  }

  /// The sentence that the next page shows, once.
  func takeNotice(_ session: ConsoleSession) -> PageNotice? {
    with(session) { kept in
      defer { kept.notice = nil }
      return kept.notice
    }
  }

  /// What the doctor has found when he last looked.
  var findings: [ConsoleFinding] {
    get { found.withLock(\.self) }
    set { found.withLock { $0 = newValue } }
  }

  /// What was heard when somebody last listened; nil: nobody has.
  var heard: [SightingDescription]? {
    get { air.withLock(\.self) }
    set { air.withLock { $0 = newValue } }
  }

  /// What looking for updates of drivers has found; nil: nobody has looked.
  var updates: DriverUpdateCheck? {
    get { offered.withLock(\.self) }
    set { offered.withLock { $0 = newValue } }
  }

  /// An offer was installed: it is none any more.
  func noteInstalled(_ package: String, _ version: String) {
    offered.withLock { offered in
      guard let place = offered?.offers.firstIndex(where: { $0.package == package && $0.version == version }),
        let source = offered?.offers[place].source
      else { return }
      offered?.offers[place] = DriverOfferDescription(
        package: package, installed: version, standing: "up_to_date", source: source)
    }
  }

  /// The catalogue's entry of the meter that is being paired, or was last.
  var pairing: UInt32? {
    get { kind.withLock(\.self) }
    set { kind.withLock { $0 = newValue } }
  }

  /// Times as the gateway's people read them, at this moment.
  var times: LocalTimes {
    let zone =
      switch GatewayZone.current() {
      case .known(let zone, _): zone
      case .unknown: TimeZone.gmt
      }
    return LocalTimes(zone: zone, now: clock.unixMicroseconds)
  }
}
