import DriverRuntime
import BluetoothWire
import Foundation
import TestSupport
import Testing

@testable import MeterBluetooth
@testable import MeterDrivers

/// A capture as phones make them: discovery by groups, requests in the phone's own order, other devices in between.
@Suite("A phone's capture", .jumpingTime, .timeLimit(.minutes(60)))
struct PhoneCaptureTests {
  private static let meter = BluetoothAddress(value: 0x546C_0E78_0001)
  private static let measurement: [UInt8] = [
    0x13, 0x1E, 0, 0xE2, 0x07, 9, 0x14, 5, 0x1B, 7, 0x5C, 0xFE, 0x6F, 0xB0, 0xF1,
  ]

  /// A glucose meter's service at handles 10 to 25.
  private func discover(_ writer: inout CaptureWriter, describes: Bool) {
    func exchange(_ request: ATTPDU, _ answer: ATTPDU) {
      writer.data(request.encoded, isReceived: false)
      writer.data(answer.encoded, isReceived: true)
    }
    exchange(.exchangeMTURequest(clientMTU: 517), .exchangeMTUResponse(serverMTU: 100))
    exchange(
      .readByGroupTypeRequest(range: .all, type: 0x2800),
      .readByGroupTypeResponse([
        ATTGroup(range: ATTHandleRange(first: 1, last: 9), value: [0, 0x18]),
        ATTGroup(range: ATTHandleRange(first: 10, last: 25), value: [8, 0x18]),
      ]))
    exchange(
      .readByGroupTypeRequest(range: ATTHandleRange(first: 26, last: 0xFFFF), type: 0x2800),
      .errorResponse(request: .readByGroupTypeRequest, handle: 26, code: .attributeNotFound))
    func characteristic(_ handle: UInt8, _ properties: UInt8, _ uuid: UInt8) -> ATTAttributeValue {
      ATTAttributeValue(handle: UInt16(handle), value: [properties, handle + 1, 0, uuid, 0x2A])
    }
    exchange(
      .readByTypeRequest(range: ATTHandleRange(first: 10, last: 25), type: 0x2803),
      .readByTypeResponse([characteristic(11, 0x10, 0x18), characteristic(14, 0x10, 0x34)]))
    exchange(
      .readByTypeRequest(range: ATTHandleRange(first: 15, last: 25), type: 0x2803),
      .readByTypeResponse([characteristic(17, 0x02, 0x51), characteristic(19, 0x28, 0x52)]))
    guard describes else { return }
    for handle in [13, 16, 21] as [UInt16] {
      exchange(
        .findInformationRequest(range: ATTHandleRange(first: handle, last: handle)),
        .findInformationResponse([ATTHandleInformation(handle: handle, type: 0x2902)]))
    }
  }

  /// The session: the phone subscribes, asks for all records, and is told one.
  private func read(_ writer: inout CaptureWriter) {
    func write(_ handle: UInt16, _ value: [UInt8]) {
      writer.data(ATTPDU.writeRequest(handle: handle, value: value).encoded, isReceived: false)
      writer.data(ATTPDU.writeResponse.encoded, isReceived: true)
    }
    write(21, [2, 0])
    write(13, [1, 0])
    write(16, [1, 0])
    write(20, [1, 1])
    writer.data(ATTPDU.handleValueNotification(handle: 12, value: Self.measurement).encoded, isReceived: true)
    writer.data(ATTPDU.handleValueNotification(handle: 15, value: [2, 0x1E, 0, 2]).encoded, isReceived: true)
    writer.data(ATTPDU.handleValueIndication(handle: 20, value: [6, 0, 1, 1]).encoded, isReceived: true)
    writer.data(ATTPDU.handleValueConfirmation.encoded, isReceived: false)
  }

  private func imported(_ bytes: [UInt8]) async throws -> (ImportedCapture, ReplayReport) {
    let staged = try StagedRegistry.shared.get()
    let entry = try #require(staged.registry.peripheral(id: 1000))
    let driver = try #require(staged.registry.driver(id: entry.driverID ?? ""))
    let bundle = try staged.bundles.bundle(for: driver)
    let capture = try CaptureImport(peripheral: entry, driver: driver, bundle: bundle).importing(
      bytes, address: Self.meter)
    let host = DriverHost(configuration: DriverHostConfiguration(isolation: .inProcess))
    return (capture, try await RecordingReplay(host: host).run(capture.recording, bundle: bundle))
  }

  private func expectReading(_ report: ReplayReport) {
    let readings = report.records.filter { $0.kind == .measurement }
    #expect(readings.map(\.deviceSequence) == [30], "\(report)")
  }

  @Test("gives its reading, with and without a look at the descriptors", arguments: [true, false])
  func reading(describes: Bool) async throws {
    var writer = CaptureWriter(.uart)
    writer.add(.connected(Self.meter))
    discover(&writer, describes: describes)
    read(&writer)
    writer.add(.disconnected(0x13))
    let (capture, report) = try await imported(writer.bytes)
    expectReading(report)
    #expect(capture.notes == ["no advertisement of the meter was captured before the connection"])
    let subscribed = capture.recording.steps.filter { step in
      if case .captured(let step) = step, case .subscribe = step.content { true } else { false }
    }
    #expect(subscribed.count == 3)
  }

  @Test("with other devices, other channels and repeated connections gives the meter's reading only")
  func others() async throws {
    var writer = CaptureWriter(.monitor)
    writer.add(.connected(Self.meter))
    discover(&writer, describes: true)
    writer.add(.disconnected(0x08))
    // A connection in which this machine is the peripheral, and one whose beginning was not seen.
    writer.event(0x3E, [0x01, 0, 0x41, 0, 1, 0, 9, 9, 9, 9, 9, 9, 24, 0, 0, 0, 72, 0, 5])
    let foreign: [UInt8] = [7, 0, 4, 0, 0x1B, 12, 0, 1, 2, 3, 4]
    writer.packet(2, [0x41, 0x20, UInt8(foreign.count), 0] + foreign, isReceived: true)
    writer.packet(2, [0x42, 0x10, 2, 0, 1, 2], isReceived: true)
    // Enhanced Connection Complete, with the resolved address' kind.
    writer.event(
      0x3E,
      [0x0A, 0, 0x40, 0, 0, 2] + Self.meter.littleEndianBytes + [UInt8](repeating: 0, count: 12)
        + [24, 0, 0, 0, 72, 0, 5])
    writer.data([0x0B, 1, 2, 3], isReceived: true, channel: 6)
    writer.add(.encrypted)
    read(&writer)
    let (capture, report) = try await imported(writer.bytes)
    expectReading(report)
    #expect(capture.connections == 2 && capture.address == "\(Self.meter)")
    #expect(capture.recording.opening.security == 2)
  }

  @Test("that began while the meter was connected is taken for the address that is named")
  func begun() async throws {
    var writer = CaptureWriter(.hci)
    discover(&writer, describes: true)
    read(&writer)
    let (capture, report) = try await imported(writer.bytes)
    expectReading(report)
    #expect(capture.address == "\(Self.meter)")
  }

  @Test("hears extended advertisements, too")
  func extended() throws {
    var writer = CaptureWriter(.uart)
    let data: [UInt8] = [2, 1, 6, 3, 3, 8, 0x18]
    writer.event(
      0x3E,
      [0x0D, 1, 0x13, 0, 0] + Self.meter.littleEndianBytes + [1, 0, 0xFF, 0x7F, 0xC4, 0, 0, 0]
        + [UInt8](repeating: 0, count: 6) + [UInt8(data.count)] + data)
    let heard = CaptureFollower(try BtsnoopFile(writer.bytes).packets).heard
    #expect(heard.map(\.report.data) == [data])
    #expect(heard.first?.report.address == Self.meter && heard.first?.report.rssi == -60)
    #expect(heard.first?.report.eventType == .connectable)
  }

  @Test("of which packets were kept in part says so")
  func shortened() async throws {
    var writer = CaptureWriter(.uart)
    writer.add(.connected(Self.meter))
    discover(&writer, describes: true)
    writer.packet(2, [0x40, 0x20, 30, 0, 26, 0, 4, 0, 0x1B], isReceived: true, original: 34)
    read(&writer)
    let (capture, report) = try await imported(writer.bytes)
    expectReading(report)
    #expect(capture.notes.contains { $0.contains("1 packets were captured in part") })
  }
}
