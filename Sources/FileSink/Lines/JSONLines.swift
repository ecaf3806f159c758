import MeterCore
import ReadingJSON
import StrictJSON

/// One JSON object a line.
struct JSONLines: LineForm {
  let heading: [UInt8] = []

  func lines(of record: Record, user: SessionUser) throws(FormatRefusal) -> [UInt8] {
    try ReadingJSON.bytes(of: record, user: user) + [UInt8(ascii: "\n")]
  }

  func line(of image: SinkImage, file: String, user: SessionUser) -> [UInt8] {
    var json = JSONWriter(capacity: 512)
    json.object { json in
      json.member("log_id", image.logID.description)
      json.member("image", image.image.checksum)
      json.member("file", file)
      json.member("content_type", image.image.contentType.rawValue)
      json.put(user)
    }
    return json.bytes + [UInt8(ascii: "\n")]
  }

  func mark(_ line: ArraySlice<UInt8>) -> LineMark? {
    var reader = MarkReader(line)
    guard reader.skip("{\"log_id\":\""), let logID = reader.logID(), reader.skip("\",\"") else { return nil }
    if reader.skip("revision\":") {
      guard let revision = reader.number(), reader.skip(",") else { return nil }
      return LineMark(.reading(logID, revision: revision))
    }
    guard reader.skip("image\":\""), let checksum = reader.checksum(), reader.skip("\"") else { return nil }
    return LineMark(.image(logID, checksum: checksum))
  }
}
