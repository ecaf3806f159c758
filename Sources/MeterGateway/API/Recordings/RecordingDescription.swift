import DriverContract
import DriverRuntime
import Foundation
import HostPrimitives
import MeterCore
import MeterDrivers

/// A recording as `--json` shows it; nothing of what the meter sent.
public struct RecordingDescription: Sendable, Codable, Hashable {
  /// Its name, or the file's path when it is none of this gateway's.
  public var name: String
  /// Bytes of the file.
  public var size: Int
  /// Whether it stays until a person removes it.
  public var kept: Bool
  /// `session` or `capture`; nil, as all below, when the file cannot be read.
  public var origin: String?
  /// When it was written, UTC; nil when the gateway did not know the date.
  public var created: String?
  /// The driver's id.
  public var driver: String?
  /// The driver's version.
  public var version: String?
  /// The bundle's file name.
  public var bundle: String?
  /// SHA-256 of the bundle.
  public var sha256: String?
  /// The peripheral's number.
  public var peripheral: UInt32?
  /// The version of the MeterHost that wrote it.
  public var host: String?
  /// `orderly` or `fault`.
  public var end: String?
  /// The fault's code.
  public var fault: String?
  /// How many events the driver was handed.
  public var events: UInt32?
  /// Whether something was left out.
  public var truncated: Bool?

  init(_ file: RecordingFile, head: RecordingHead?) {
    self.init(name: file.name, size: file.size, isKept: file.isKept, head: head)
  }

  init(name: String, size: Int, isKept: Bool, head: RecordingHead?) {
    (self.name, self.size, kept) = (name, size, isKept)
    guard let head else { return }
    origin = head.origin == .session ? "session" : "capture"
    created = head.dateMicroseconds.map(CivilMoment.utcSeconds(microseconds:))
    driver = head.driver
    version = head.driverVersion
    bundle = head.bundleName
    sha256 = "\(head.bundleHash)"
    peripheral = head.peripheral
    host = head.hostVersion
    end = head.end == .orderly ? "orderly" : "fault"
    fault = head.fault.isEmpty ? nil : head.fault
    events = head.events
    truncated = head.isTruncated
  }
}

/// A recording that was opened, without what the meter sent.
public struct RecordingContentDescription: Sendable, Codable, Hashable {
  /// What stands in its head.
  public var recording: RecordingDescription
  /// Who can open it: `vault`, `support`.
  public var keys: [String]
  /// Fingerprints of the support keys that open it.
  public var supportKeys: [String]
  /// Whether it could be opened here.
  public var opened: Bool
  /// Why it could not be opened.
  public var problem: String?
  /// Events of each kind.
  public var facts: [String: Int]?
  /// Records that came out.
  public var records: Int?
  /// Answers that the driver got of its services.
  public var answers: Int?
  /// From the first event to the last, seconds.
  public var seconds: Double?
  /// The fault in words.
  public var fault: String?

  enum CodingKeys: String, CodingKey {
    case recording, keys, opened, problem, facts, records, answers, seconds, fault
    case supportKeys = "support_keys"
  }

  init(_ recording: RecordingDescription, _ sealed: SealedRecording) {
    self.recording = recording
    keys = sealed.holders.map { $0 == .vault ? "vault" : "support" }
    supportKeys = sealed.supportFingerprints
    opened = false
  }

  mutating func add(_ content: Recording) {
    opened = true
    var facts: [String: Int] = [:]
    var (records, answers) = (0, 0)
    var times: [Int64] = []
    for step in content.steps {
      switch step {
      case .event(let event):
        facts[event.fact.word, default: 0] += 1
        times.append(event.unixMicroseconds)
      case .captured(let step):
        facts[step.word, default: 0] += 1
        times.append(step.unixMicroseconds)
      case .unit(let unit): records += unit.records.count
      case .service: answers += 1
      case .fault(let found), .refusedOutput(let found), .closingFault(let found): fault = found.description
      case .unitDigest, .closed, .full: break
      }
    }
    (self.facts, self.records, self.answers) = (facts, records, answers)
    if let first = times.first, let last = times.last { seconds = (Double(last) - Double(first)) / 1_000_000 }
  }
}

extension DriverFact {
  fileprivate var word: String {
    switch self {
    case .connected: "connected"
    case .encrypted: "encrypted"
    case .services: "services"
    case .serviceChanged: "service_changed"
    case .mtu: "mtu"
    case .subscribed: "subscribed"
    case .notification: "notification"
    case .indication: "indication"
    case .read: "read"
    case .wrote: "wrote"
    case .timer: "timer"
    case .advertisement: "advertisement"
    case .userInput: "user_input"
    case .cancel: "cancel"
    case .disconnected: "disconnected"
    case .proceed: "continue"
    }
  }
}

extension CapturedStep {
  fileprivate var word: String {
    switch content {
    case .fact(let fact): fact.word
    case .subscribe: "subscribed"
    case .read: "read"
    case .write, .writeNoResponse: "wrote"
    case .mtu: "mtu"
    }
  }
}
