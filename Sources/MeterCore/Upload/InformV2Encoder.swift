/// Writes a record in the measurement form of Validic Inform v2, `version` "1.0".
///
/// Numbers are written with exactly the digits that the meter reported, in the unit that it reported. Beyond Inform there
/// is one member of ours, `revision`, by which a receiver tells a late context from a repetition.
public struct InformV2Encoder: Sendable {
  /// Makes an encoder.
  public init() {}

  /// One measurement as a JSON object in UTF-8.
  ///
  /// - Throws: ``EncodingRefusal`` when the record has no value that Inform has a name for, or one twice.
  public func encode(_ record: Record) throws(EncodingRefusal) -> [UInt8] {
    guard !record.flags.contains(.control) else {
      throw EncodingRefusal(message: "control solution is never delivered")
    }
    let metrics = try metrics(record)
    var json = JSONText()
    json.object { json in
      json.member("log_id", record.logID.description)
      json.member("revision", integer: record.revision)
      json.member("type", "measurement")
      json.member("version", "1.0")
      json.member("start_time", UTCText.string(record.time.startMicroseconds))
      json.member("end_time", UTCText.string(record.time.endMicroseconds))
      writeOffset(record.time, &json)
      json.array("metrics") { json in for metric in metrics { write(metric, record.origin, &json) } }
      json.array("tags") { json in
        for (name, value) in tags(record) {
          json.object { json in
            json.member("name", name)
            json.member("value", value)
          }
        }
      }
      json.array("user_notes") { json in
        for note in record.notes where Metric.withCode(note.field)?.name == "note" {
          json.object { json in
            json.member("type", "note")
            json.member("value", note.text)
          }
        }
      }
      writeSource(record.source, &json)
    }
    return Array(json.text.utf8)
  }

  private func metrics(_ record: Record) throws(EncodingRefusal) -> [(name: String, value: RecordValue)] {
    var result: [(name: String, value: RecordValue)] = []
    for value in record.values {
      guard let metric = Metric.withCode(value.metric), metric.isPrimary, let name = metric.inform else { continue }
      guard !result.contains(where: { $0.name == name }) else {
        throw EncodingRefusal(message: "\(name) is there twice; which value is right cannot be told")
      }
      result.append((name, value))
    }
    guard !result.isEmpty else { throw EncodingRefusal(message: "Inform v2 has a name for none of the values") }
    return result
  }

  private func write(_ metric: (name: String, value: RecordValue), _ origin: ValueOrigin, _ json: inout JSONText) {
    json.object { json in
      json.member("type", metric.name)
      json.member("origin", origin.rawValue)
      json.member("unit", metric.value.ucum)
      json.member("value", number: metric.value.number)
    }
  }

  /// What stands beside the values: coded facts by their words, amounts with their units, marks.
  private func tags(_ record: Record) -> [(String, String)] {
    var result: [(String, String)] = []
    for value in record.values {
      guard let metric = Metric.withCode(value.metric) else { continue }
      if metric.isPrimary {
        if let range = value.outOfRange { result.append(("out_of_range", range.rawValue)) }
      } else if metric.kind == .code {
        result.append((metric.name, value.word ?? value.number.description))
      } else {
        result.append((metric.name, "\(value.number) \(value.ucum)"))
      }
    }
    if record.flags.contains(.clockSuspect) { result.append(("clock_suspect", "true")) }
    return result
  }

  private func writeOffset(_ time: RecordTime, _ json: inout JSONText) {
    guard let offset = time.utcOffsetSeconds, let source = time.zoneSource else {
      json.null("utc_offset")
      json.null("offset_origin")
      return
    }
    let origin =
      switch source {
      case .meter: "source"
      // The gateway's zone is a setting of the place, the nearest that Inform has.
      case .gateway: "profile"
      case .user: "user_defined"
      }
    json.member("utc_offset", integer: offset)
    json.member("offset_origin", origin)
  }

  private func writeSource(_ source: RecordSource, _ json: inout JSONText) {
    json.object("source") { json in
      json.member("type", "device")
      json.object("device") { json in
        json.member("id", source.deviceID)
        json.member("model", source.model ?? "")
        json.member("manufacturer", source.manufacturer ?? "")
      }
    }
  }
}

/// Why a record cannot be written in a wire format.
public struct EncodingRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong with the record.
  public let message: String
  /// The message.
  public var description: String { message }
}
