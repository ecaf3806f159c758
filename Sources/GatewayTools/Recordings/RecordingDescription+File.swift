import GatewayAPI
import DriverContract
import DriverRuntime
import Foundation
import HostPrimitives
import MeterCore
import MeterDrivers

extension RecordingDescription {
  init(_ file: RecordingFile, head: RecordingHead?) {
    self.init(name: file.name, size: file.size, isKept: file.isKept, head: head)
  }

  init(name: String, size: Int, isKept: Bool, head: RecordingHead?) {
    self.init(name: name, size: size, kept: isKept)
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

extension RecordingContentDescription {
  init(_ recording: RecordingDescription, _ sealed: SealedRecording) {
    self.init(
      recording: recording, keys: sealed.holders.map { $0 == .vault ? "vault" : "support" },
      supportKeys: sealed.supportFingerprints, opened: false)
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
      case .asked(let kind, _, _): facts[kind, default: 0] += 1
      case .unitDigest, .answered, .closed, .full: break
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
