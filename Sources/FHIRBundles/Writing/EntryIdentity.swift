import HostPrimitives
import MeterCore

/// The names of what a bundle has: by which a server finds it again, and by which the entries speak of each other.
struct EntryIdentity: Sendable {
  /// The system of `LOG_ID`, which the main observation has besides.
  static let logIDSystem = "https://meterhost.org/fhir/sid/log-id"

  private let record: Record
  /// The name of the record as a reading of this person.
  private let base: String

  /// - Parameter subject: Whose reading it is. Two people's readings may have one `LOG_ID`: the sums of two health stores of one day, what
  ///   a shared meter has measured. At a server the one must not take the place of the other.
  init(_ record: Record, of subject: FHIRSubject) {
    self.record = record
    base = Self.name("reading of \(subject.reference)", record.logID.description).description
  }

  /// The identifier of an observation.
  ///
  /// The main one has the name of the person's reading; the others, and all of a sum, which may get another main one as it grows, have
  /// the metric's behind it.
  func value(of observation: Observation, isMain: Bool) -> String {
    isMain && record.identityClass != .summary ? base : "\(base).\(observation.name)"
  }

  /// The identifier of the record's comparison of clocks.
  var clock: String { "\(base).clock" }

  /// Where an entry is within the bundle: the same each time, so that what is sent again is the same bytes.
  func url(_ identifier: String) -> String {
    "urn:uuid:" + (LogID(identifier) ?? Self.name("observation", identifier)).description
  }

  /// The place of a device.
  static func url(_ device: FHIRDeviceIdentifier) -> String {
    "urn:uuid:" + name("device", "\(device.system)|\(device.value)").description
  }

  /// The identifier of a gateway, whose id is a UUID.
  static func identifier(of gateway: FHIRGateway) -> FHIRDeviceIdentifier {
    let id = LogID(gateway.id) ?? name("gateway", gateway.id)
    return FHIRDeviceIdentifier(type: nil, system: "urn:ietf:rfc:3986", value: "urn:uuid:\(id)")
  }

  private static func name(_ kind: String, _ text: String) -> LogID {
    .imported(source: Array("fhir \(kind)".utf8), identity: Array(text.utf8))
  }
}

/// The implementation guide's own identifier of an observation, which stands beside ours and is searched for by nobody here.
///
/// `DEVICE-PATIENT-TYPE-TIME-SUPPLEMENTAL`: the System ID, the patient, the term of IEEE 11073-10101, and the time that the meter showed in
/// seconds since 2000-01-01, with its offset in quarters of an hour where the meter has said it, and the duration behind two points. The last part is
/// only there where one thing is measured in several ways.
/// Only what a meter with a System ID and a clock has measured can have one.
struct GuideIdentifier: Sendable {
  static let system = "http://hl7.org/fhir/uv/phd/StructureDefinition/PhdBaseObservation"
  private static let start: Int64 = 946_684_800

  private let device: String
  private let patient: String
  private let time: String

  init?(_ record: Record, _ meter: FHIRMeter, _ subject: FHIRSubject) {
    guard let systemID = meter.systemID, let time = Self.text(record.time) else { return nil }
    device = systemID.map { ([$0] as [UInt8]).hexadecimal.uppercased() }.joined()
    patient =
      switch subject {
      case .reference(let reference): reference.split(separator: "/").last.map(String.init) ?? reference
      case .identifier(let system, let value): "\(value)-\(system)"
      }
    self.time = time
  }

  /// The identifiers of a record's observations: nil for one without a term, and for one that the guide cannot tell from another
  /// one of the same moment.
  func values(of observations: [Observation]) -> [String?] {
    var known: Set<String> = []
    return observations.map { observation in
      guard let term = observation.term else { return nil }
      let value = ([device, patient, term, time] + observation.modalities).joined(separator: "-")
      return known.insert(value).inserted ? value : nil
    }
  }

  private static func text(_ time: RecordTime) -> String? {
    let shown: Int64
    switch time.kind {
    case .none: return nil
    case .utc: shown = time.startMicroseconds
    case .civil, .civilWithOffset:
      guard let civil = time.civilMicroseconds else { return nil }
      shown = civil
    }
    guard let moment = seconds(shown, since: start),
      let duration = seconds(time.endMicroseconds, since: 0, from: time.startMicroseconds)
    else { return nil }
    var text = moment
    if time.kind == .civilWithOffset, let offset = time.utcOffsetSeconds {
      text += "\(offset < 0 ? "-" : "+")\(offset.magnitude / 900)"
    }
    return time.endMicroseconds == time.startMicroseconds ? text : "\(text)..\(duration)"
  }

  /// Seconds with as many places as it takes; nil for what lies before the beginning.
  private static func seconds(_ microseconds: Int64, since start: Int64, from: Int64 = 0) -> String? {
    let (length, isTooLarge) = microseconds.subtractingReportingOverflow(from)
    let (value, isTooEarly) = length.subtractingReportingOverflow(start * 1_000_000)
    guard !isTooLarge, !isTooEarly, value >= 0 else { return nil }
    return ReportedNumber(mantissa: value, exponent: -6).trimmed
  }
}

extension ReportedNumber {
  /// Without zeros behind the point.
  fileprivate var trimmed: String {
    var text = description
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }
}
