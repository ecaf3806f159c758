import BluetoothWire
import HostPrimitives

/// By what a server tells that its database is another than the one that was discovered (Core Specification, Vol 3 Part G
/// 2.5.2).
struct DatabaseMarks: Sendable, Hashable, Codable {
  /// The Database Hash, 16 bytes (7.3); nil: the server has none.
  var hash: [UInt8]?
  /// Handle of the value of Service Changed (7.1), where the server has one and a bond lets a subscription to it last.
  var serviceChanged: UInt16?
}

extension GATTClient {
  /// Bytes of a Database Hash.
  private static let hashLength = 16

  /// Reads the Database Hash: one request, which is allowed before anything else is known of the server (7.3.1).
  ///
  /// - Returns: nil when the server has none, or something else in its place.
  /// - Throws: ``GATTError`` when the link breaks.
  func databaseHash() async throws(GATTError) -> [UInt8]? {
    do throws(GATTError) {
      let request = ATTPDU.readByTypeRequest(range: .all, type: .databaseHash)
      guard case .readByTypeResponse(let attributes) = try await att.request(request), attributes.count == 1 else {
        return nil
      }
      return attributes[0].value.count == Self.hashLength ? attributes[0].value : nil
    } catch {
      guard case .attribute = error.code else { throw error }
      return nil
    }
  }

  /// Looks for the marks, and subscribes to Service Changed where that lasts: with a bond (2.5.2). What a server lacks, hides
  /// or lies about is no mark; a read does not fail for it.
  ///
  /// - Parameter hash: What the server has just said, when it has been asked.
  /// - Throws: ``GATTError`` when the link breaks.
  func marks(isBonded: Bool, hash: [UInt8]? = nil) async throws(GATTError) -> DatabaseMarks {
    guard isBonded else { return DatabaseMarks(hash: try await known(hash), serviceChanged: nil) }
    let service: GATTDatabase
    do throws(GATTError) {
      service = try await discover([.genericAttribute])
    } catch {
      switch error.code {
      // A link that was dropped for it says so at the next request.
      case .attribute, .malformed, .missing: return DatabaseMarks(hash: hash)
      default: throw error
      }
    }
    var marks = DatabaseMarks()
    if service.characteristics.contains(where: { $0.uuid == .databaseHash }) { marks.hash = try await known(hash) }
    guard let changed = service.characteristics.first(where: { $0.uuid == .serviceChanged }) else { return marks }
    await att.watchServiceChanged(at: changed.valueHandle)
    marks.serviceChanged = changed.valueHandle
    do throws(GATTError) {
      try await subscribe(to: changed, enable: true)
    } catch {
      switch error.code {
      case .attribute, .missing: break
      default: throw error
      }
    }
    return marks
  }

  private func known(_ hash: [UInt8]?) async throws(GATTError) -> [UInt8]? {
    if let hash { return hash }
    return try await databaseHash()
  }
}

extension GATTRequirement {
  /// The service in which a server tells of itself (Core Specification, Vol 3 Part G 7).
  fileprivate static let genericAttribute = GATTRequirement(
    service: .genericAttribute, isRequired: false,
    characteristics: [
      Characteristic(uuid: .serviceChanged, isRequired: false), Characteristic(uuid: .databaseHash, isRequired: false),
    ])
}

extension ATTHandleRange {
  /// What a Service Changed indication says: first and last handle (7.1). One that says something else, or nothing that
  /// can be, may mean every handle.
  init(serviceChanged value: [UInt8]) {
    guard value.count == 4 else { self = .all; return }
    let (first, last) = (UInt16(littleEndianBytes: value[..<2]), UInt16(littleEndianBytes: value[2...3]))
    self = first <= last ? ATTHandleRange(first: first, last: last) : .all
  }

  /// Whether two ranges have a handle in common.
  func overlaps(_ other: ATTHandleRange) -> Bool { first <= other.last && other.first <= last }
}

extension GATTDatabase {
  /// Whether a change within these handles may concern the driver's services.
  func isTouched(by range: ATTHandleRange) -> Bool {
    services.contains { range.overlaps(ATTHandleRange(first: $0.firstHandle, last: $0.lastHandle)) }
  }
}
