import FileSink
import Glibc
import MeterCore

// Writes readings into a folder of files and says so after each batch: a program for tests that kill it.
//
// Usage: file-sink-probe FOLDER jsonl|csv FIRST LAST SIZE
// Batch N holds the readings (N-1)*SIZE+1 to N*SIZE, every seventh of them with a long note. A line `acknowledged N` stands for
// what must never be lost.

private func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

private func reading(_ number: Int) -> Record {
  let moment = 1_772_348_400_000_000 + Int64(number) * 60_000_000
  let time = RecordTime(
    startMicroseconds: moment, endMicroseconds: moment, civilMicroseconds: nil, utcOffsetSeconds: nil, zoneSource: nil,
    kind: .utc)
  let value = RecordValue(metric: 1, unit: 2, number: ReportedNumber(mantissa: Int64(80 + number % 100), exponent: 0))
  let meal = RecordValue(metric: 100, unit: 1, number: ReportedNumber(mantissa: 1, exponent: 0))
  let note = RecordNote(field: 304, text: String(repeating: "a note, ", count: number.isMultiple(of: 7) ? 2_000 : 1))
  let source = RecordSource(
    peripheralID: 1000, manufacturer: "Acme", model: "Gluco", deviceID: "GM-0042", driverID: "org.example.probe",
    driverVersion: "1.0.0")
  return Record(
    logID: .imported(source: [1], identity: Array("\(number)".utf8)), identityClass: .stored, type: .diabetes,
    time: time, deviceSequence: UInt64(number), values: [value, meal], notes: [note], source: source)
}

let arguments = CommandLine.arguments
guard arguments.count == 6, let format = FileSinkSetting.Format(rawValue: arguments[2]), let first = Int(arguments[3]),
  let last = Int(arguments[4]), let size = Int(arguments[5]), first >= 1, first <= last, size >= 1
else {
  say("usage: file-sink-probe FOLDER jsonl|csv FIRST LAST SIZE")
  exit(64)
}
var setting = FileSinkSetting(folder: arguments[1], format: format)
setting.rotateBytes = FileSinkSetting.rotateBytesRange.lowerBound * 4
let sink = FileSink(setting)
let credential = SinkCredential(
  user: SessionUser(userID: "ada", organizationID: "clinic"), token: AccessToken("sesame-opens-0815"))
for batch in first...last {
  let readings = (((batch - 1) * size + 1)...(batch * size)).map(reading)
  let replies = await sink.deliver(readings, with: credential)
  for reply in replies {
    guard case .delivered = reply.outcome else {
      say("failed \(reply.text)")
      exit(1)
    }
  }
  say("acknowledged \(batch)")
}
