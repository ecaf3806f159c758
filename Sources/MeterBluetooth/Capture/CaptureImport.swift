public import BluetoothWire
import DriverContract
import DriverRuntime
public import Foundation
import HostPrimitives
import MeterCore
public import MeterDrivers

/// A capture that was imported.
public struct ImportedCapture: Sendable {
  /// What a driver would have heard; there are no units to compare with.
  public var recording: Recording
  /// The meter's address; nil when the capture began while it was connected.
  public var address: String?
  /// Connections to the meter; the one in which it sent most was taken.
  public var connections: Int
  /// What is not in the recording, in words for people.
  public var notes: [String]
}

/// Makes a recording of a Bluetooth capture, so that a driver can be tried on what a meter once said to a phone.
public struct CaptureImport: Sendable {
  private let plan: ReadPlan

  /// Most bytes of a capture's file.
  public static let largestFile = BtsnoopFile.largestFile

  /// An import for a peripheral of the registry and its driver.
  public init(peripheral: Peripheral, driver: DriverEntry, bundle: VerifiedBundle) {
    plan = ReadPlan(peripheral: peripheral, driver: driver, bundle: bundle)
  }

  /// Reads a capture.
  ///
  /// - Parameters:
  ///   - bytes: A btsnoop file.
  ///   - address: The meter's; nil when the capture holds one that fits only.
  ///   - zone: Local time where the capture was made; nil takes the gateway's.
  /// - Throws: ``CaptureError``.
  public func importing(
    _ bytes: [UInt8], address: BluetoothAddress?, zone: TimeZone? = nil
  ) throws(CaptureError) -> ImportedCapture {
    let zone = zone ?? .gateway
    let file = try BtsnoopFile(bytes)
    let followed = CaptureFollower(file.packets)
    var notes: [String] = []
    if let cutOff = file.cutOff { notes.append("the capture is cut off at byte \(cutOff)") }
    if file.shortened > 0 { notes.append("\(file.shortened) packets were captured in part only and left out") }
    if followed.unreadable > 0 { notes.append("\(followed.unreadable) packets make no sense and were left out") }
    return plan.peripheral.connectionKind == .advertisement
      ? try advertised(followed, address, zone, notes) : try connected(followed, address, zone, notes)
  }

  private func connected(
    _ followed: CaptureFollower, _ address: BluetoothAddress?, _ zone: TimeZone, _ notes: [String]
  ) throws(CaptureError) -> ImportedCapture {
    let links = try chosen(followed.links, address)
    let most = links.map { (link: $0, values: $0.values) }
      .max { ($0.values, $0.link.pdus.count) < ($1.values, $1.link.pdus.count) }
    guard let link = most?.link else { throw nobody(address) }
    // Who knew the meter had looked for its services in an earlier connection.
    var captured = CapturedDatabase()
    for link in links {
      for exchange in link.exchanges { captured.learn(exchange.request, exchange.answer) }
    }
    let course = CapturedCourse(link, database: try captured.database(plan.requirements), captured: captured)
    let report = followed.heard.last { heard in
      heard.report.address == link.address && heard.unixMicroseconds <= link.beginMicroseconds
        && heard.report.eventType != .scanResponse
    }
    var information = DeviceInformation()
    information.manufacturer = DeviceInformation.text(captured.valuesByType[0x2A29])
    information.model = DeviceInformation.text(captured.valuesByType[0x2A24])
    information.serialNumber = DeviceInformation.text(captured.valuesByType[0x2A25])
    let shown = report?.report ?? unknownReport(link.address ?? address)
    return try imported(
      course.steps, shown, information, link.address ?? address, zone, isEncrypted: link.encryptedMicroseconds != nil,
      connections: links.count,
      notes + (course.others > 0 ? ["\(course.others) values of other characteristics were left out"] : [])
        + (report == nil ? ["no advertisement of the meter was captured before the connection"] : []))
  }

  /// The connections to the meter.
  private func chosen(
    _ links: [CapturedLink], _ address: BluetoothAddress?
  ) throws(CaptureError) -> [CapturedLink] {
    let used = links.filter { !$0.pdus.isEmpty }
    if let address {
      let exact = used.filter { $0.address?.value == address.value }
      // The capture may have begun while the meter was connected.
      let found = exact.isEmpty ? used.filter { $0.address == nil } : exact
      guard !found.isEmpty else { throw nobody(address) }
      return found
    }
    let addresses = Set(used.map(\.address))
    guard addresses.count <= 1 else {
      let names = addresses.map { $0?.description ?? "unknown" }.sorted().joined(separator: ", ")
      throw CaptureError(
        .ambiguous, "the capture holds connections to several devices: \(names); name the meter's address")
    }
    return used
  }

  private func advertised(
    _ followed: CaptureFollower, _ address: BluetoothAddress?, _ zone: TimeZone, _ notes: [String]
  ) throws(CaptureError) -> ImportedCapture {
    let fitting = address == nil ? followed.heard.filter { plan.isFrom($0.report) } : []
    let addresses = address.map { [$0.value] } ?? Set(fitting.map(\.report.address.value)).sorted()
    guard addresses.count <= 1 else {
      let names = addresses.map { "\(BluetoothAddress(value: $0))" }.joined(separator: ", ")
      throw CaptureError(.ambiguous, "the capture holds several such meters: \(names); name the meter's address")
    }
    let heard = followed.heard.filter { $0.report.address.value == addresses.first }
    guard let first = heard.first, let last = heard.last else { throw nobody(address) }
    var payloads: [Bool: [UInt8]] = [:]
    var steps: [CapturedStep] = []
    for one in heard {
      // A repeat is left out, as in a session.
      let isResponse = one.report.eventType == .scanResponse
      guard payloads[isResponse] != one.report.data else { continue }
      payloads[isResponse] = one.report.data
      let fact = DriverFact.advertisement(one.report.data, rssi: Int32(one.report.rssi))
      steps.append(CapturedStep(unixMicroseconds: one.unixMicroseconds, content: .fact(fact)))
    }
    // As of a meter that falls silent.
    let silent = CapturedStep(
      unixMicroseconds: min(last.unixMicroseconds + 5_000_000, RecordedTime.range.upperBound),
      content: .fact(.disconnected(reason: 0x08)))
    return try imported(
      steps + [silent], first.report, DeviceInformation(), first.report.address, zone, isEncrypted: false,
      connections: 0, notes)
  }

  private func imported(
    _ steps: [CapturedStep], _ report: AdvertisingReport, _ information: DeviceInformation,
    _ address: BluetoothAddress?, _ zone: TimeZone, isEncrypted: Bool, connections: Int, _ notes: [String]
  ) throws(CaptureError) -> ImportedCapture {
    guard steps.count <= Recording.mostSteps else {
      throw CaptureError(
        .tooLarge,
        "the meter's part of the capture has \(steps.count) steps, and \(Recording.mostSteps) fit into a recording: "
          + "capture again for one read only")
    }
    let meter = MeterDescription(
      address: report.address.description, name: report.advertisingData.localName, information: information)
    var options = ReadOptions()
    options.clockTrust = .vouched
    let opening = DriverOpening(
      plan: plan, purpose: .read, report: report, meter: meter, storage: [:], assignment: nil, zone: zone,
      security: isEncrypted ? 2 : 1, options: options,
      unixMicroseconds: steps.first?.unixMicroseconds ?? SystemClock().unixMicroseconds)
    let head = RecordingHead(
      capturedBy: plan.driver, bundle: plan.bundle, peripheral: plan.peripheral.id, steps: steps.count,
      now: MeterStore.wallClockMicroseconds)
    return ImportedCapture(
      recording: Recording(head: head, opening: opening, steps: steps.map { .captured($0) }),
      address: address?.description, connections: connections, notes: notes)
  }

  private func unknownReport(_ address: BluetoothAddress?) -> AdvertisingReport {
    AdvertisingReport(eventType: .connectable, address: address ?? BluetoothAddress(value: 0), rssi: 127, data: [])
  }

  private func nobody(_ address: BluetoothAddress?) -> CaptureError {
    CaptureError(
      .noMeter,
      "the capture holds nothing of \(address.map { "the meter \($0)" } ?? "such a meter"); check the address, "
        + "and that the capture was made while the meter was read")
  }
}
