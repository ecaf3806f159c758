package import GatewayAPI
package import Foundation
import HostPrimitives
package import MeterCore
import StrictJSON

/// Records that a person or a program wrote down: one JSON object, an array of them, or one object a line.
///
/// ```json
/// {"type": "diabetes", "time": "2026-03-29T07:00:00+02:00",
///  "values": [{"metric": "blood_glucose", "value": 112, "unit": "mg/dL"}]}
/// ```
///
/// Every member is checked and unknown ones are refused: a mistyped name must not lose a value. docs/reference/records.md
/// has all members.
package struct RecordDocument: Sendable, Hashable {
  /// One record of a document.
  package struct Entry: Sendable, Hashable {
    /// What it says.
    package var draft: RecordDraft
    /// What it is named by.
    package var name: RecordName
    /// The receiver's id, for calls that change a record there.
    package var receiverID: String?
    /// Where it stands in its document, such as `records.json:3:1`.
    package var place: String

    /// The record.
    ///
    /// - Throws: ``GatewayError`` with the draft's code, which names the document and the place in it; with code `implausible` for
    ///   a systolic pressure that is not above the diastolic one, too.
    package func record() throws(GatewayError) -> Record {
      do { return try draft.record(named: name) } catch { throw GatewayError(error, at: place) }
    }
  }

  /// The records in the document's order.
  package let entries: [Entry]

  /// The largest document in bytes.
  package static let greatestSize = SubmitRequest.Document.greatestSize
  /// The most records in one document.
  package static let greatestCount = 10_000

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - bytes: The text, UTF-8.
  ///   - name: What messages call it, such as a file's path.
  ///   - zone: The zone of times that are written without one.
  ///   - source: Whose zone that is.
  /// - Throws: ``GatewayError`` with code `record_document`, naming line and member.
  package init(
    _ bytes: [UInt8], name: String, zone: TimeZone = .gateway, source: RecordTime.ZoneSource = .gateway
  ) throws(GatewayError) {
    guard bytes.count <= Self.greatestSize else {
      throw Self.fault("\(name) is longer than \(Self.greatestSize) bytes", hint: "split it")
    }
    var entries: [Entry] = []
    for text in try Self.texts(of: bytes, name) {
      let objects = text.root.kind == .array ? text.root.elements : [text.root]
      guard entries.count + objects.count <= Self.greatestCount else {
        throw Self.fault("\(name) has more than \(Self.greatestCount) records", hint: "split it")
      }
      for object in objects {
        entries.append(try RecordMembers(object, name: text.name, zone: zone, source: source).entry())
      }
    }
    guard !entries.isEmpty else { throw Self.fault("\(name) has no records") }
    self.entries = entries
  }

  /// Refuses times that are still to come, and any while the clock was never set, for records that go past the store.
  ///
  /// - Throws: ``GatewayError`` with code `future_time`, naming document and place, or `clock_unknown`.
  func checkTimes(_ clock: HostClockReading = .now) throws(GatewayError) {
    do { try clock.checkKnown() } catch { throw GatewayError(error) }
    for entry in entries {
      do { try entry.draft.time.checkPast(clock) } catch { throw GatewayError(error, at: entry.place) }
    }
  }

  /// The document as one JSON text, or its lines, when the first line is whole by itself.
  private static func texts(of bytes: [UInt8], _ name: String) throws(GatewayError) -> [JSONDocument] {
    let whole: JSONSyntaxError
    do { return [try JSONDocument(bytes, name: name, rules: rules)] } catch { whole = error }
    var documents: [JSONDocument] = []
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      guard line.contains(where: { $0 > 0x20 }) else { continue }
      do {
        documents.append(try JSONDocument(Array(line), name: "\(name):\(index + 1)", rules: rules))
      } catch {
        // A text over many lines ends its first one in the middle: what is wrong with the whole says more then.
        throw documents.isEmpty ? fault("\(name):\(whole)") : fault("\(name): line \(index + 1), \(error)")
      }
    }
    return documents
  }

  private static let rules = JSONRules(size: greatestSize, depth: 16, allowsEscapedKeys: false)

  static func fault(_ message: String, hint: String? = nil) -> GatewayError {
    GatewayError(
      .usage, code: "record_document", message, hint: hint ?? "docs/reference/records.md shows how a record is written")
  }
}
