public import BluetoothWire

/// GATT procedures on one link: discovery bounded by what the driver uses, subscriptions by property, reads to their end.
public struct GATTClient: Sendable {
  /// The link.
  public let att: ATTClient
  /// Who raises the link's security; nil: nobody.
  private let security: LinkSecurity?

  /// Most reads that one long value may cost.
  private static let maximumValueLength = ATTPDU.maximumValueLength

  /// Procedures on this link.
  public init(att: ATTClient) { self.init(att: att, security: nil) }

  /// Procedures on this link, whose requests are repeated behind a pairing when the meter wants one.
  init(att: ATTClient, security: LinkSecurity?) {
    self.att = att
    self.security = security
  }

  /// Finds what the driver uses.
  ///
  /// - Throws: ``GATTError``: `missing` names what the meter lacks.
  public func discover(_ requirements: [GATTRequirement]) async throws(GATTError) -> GATTDatabase {
    var discovery = GATTDiscovery(client: self)
    return try await discovery.discover(requirements)
  }

  /// Writes the configuration descriptor: 0002 where the characteristic indicates, else 0001 where it notifies, 0000 to
  /// stop (Core Specification, Vol 3 Part G 3.3.3.3).
  ///
  /// - Throws: ``GATTError``: `missing` when the characteristic cannot be subscribed to.
  public func subscribe(
    to characteristic: GATTDatabase.Characteristic, enable: Bool
  ) async throws(GATTError) {
    let properties = CharacteristicProperties(rawValue: characteristic.properties)
    guard let handle = characteristic.configurationHandle, !properties.isDisjoint(with: [.notify, .indicate]) else {
      throw GATTError(.missing, "characteristic \(characteristic.uuid) can be neither notified nor indicated")
    }
    let bits: UInt8 = !enable ? 0 : properties.contains(.indicate) ? 2 : 1
    _ = try await ask(.writeRequest(handle: handle, value: [bits, 0]))
  }

  /// Reads a value to its end (Core Specification, Vol 3 Part G 4.8.3); 512 bytes at most.
  ///
  /// - Throws: ``GATTError``.
  public func read(handle: UInt16) async throws(GATTError) -> [UInt8] {
    guard case .readResponse(let first) = try await ask(.readRequest(handle: handle)) else {
      throw GATTError(.unexpectedResponse, "the meter answered a read with something else")
    }
    return try await readRest(of: handle, from: first, full: await att.mtu - 1)
  }

  /// Reads the value of the first attribute of a type in the whole database (4.8.2): one request, no discovery.
  ///
  /// - Parameter isIdentity: Whether the value is a part of the meter's name: what is refused for want of a pairing is not
  ///   absent then, as the meter would be another one without it.
  /// - Returns: nil when the meter has no such attribute or does not let it be read.
  /// - Throws: ``GATTError`` when the link breaks, or when the meter wants a pairing that is not to be had.
  public func read(type: BluetoothUUID, isIdentity: Bool = false) async throws(GATTError) -> [UInt8]? {
    do throws(GATTError) {
      return try await readOnce(type: type)
    } catch {
      switch error.code {
      case .attribute(.attributeNotFound), .attribute(.readNotPermitted), .attribute(.requestNotSupported): return nil
      case .attribute(let code) where code.asksForSecurity:
        guard let security else { return nil }
        if isIdentity { throw error }
        if await security.isRefused { throw error }
        return nil
      // It does not say that the value is missing. A serial number that is taken for absent in one read makes the meter another
      // one, all of whose readings are new.
      case .attribute: return try await readAgain(type: type, isIdentity: isIdentity)
      default: throw error
      }
    }
  }

  private func readOnce(type: BluetoothUUID) async throws(GATTError) -> [UInt8] {
    guard
      case .readByTypeResponse(let attributes) = try await ask(.readByTypeRequest(range: .all, type: type)),
      let found = attributes.first, found.handle != 0
    else { throw GATTError(.unexpectedResponse, "the meter answered a read by type with something else") }
    return try await readRest(of: found.handle, from: found.value, full: min(await att.mtu - 4, 253))
  }

  private func readAgain(type: BluetoothUUID, isIdentity: Bool) async throws(GATTError) -> [UInt8]? {
    do throws(GATTError) {
      return try await readOnce(type: type)
    } catch {
      switch error.code {
      // What passes by itself is no answer.
      case .attribute(.insufficientResources) where isIdentity, .attribute(.databaseOutOfSync) where isIdentity:
        throw error
      case .attribute: return nil
      default: throw error
      }
    }
  }

  /// Writes a value: in one request where it fits, else queued (4.9.3 and 4.9.4).
  ///
  /// - Throws: ``GATTError``.
  public func write(_ value: [UInt8], to handle: UInt16) async throws(GATTError) {
    let room = await att.mtu - 3
    guard value.count > room else {
      _ = try await ask(.writeRequest(handle: handle, value: value))
      return
    }
    guard value.count <= Self.maximumValueLength else {
      throw GATTError(.attribute(.invalidAttributeValueLength), "a value has at most 512 bytes")
    }
    var offset = 0
    while offset < value.count {
      let part = Array(value[offset..<min(offset + room - 2, value.count)])
      let prepare = ATTPDU.prepareWriteRequest(handle: handle, offset: UInt16(offset), value: part)
      do throws(GATTError) {
        guard case .prepareWriteResponse(handle, UInt16(offset), part) = try await ask(prepare) else {
          throw GATTError(.malformed, "the meter queued something else than was written to handle \(handle)")
        }
      } catch {
        // What is queued already must not be carried out by a later write.
        if offset > 0 || error.code == .malformed { _ = try? await ask(.executeWriteRequest(commit: false)) }
        throw error
      }
      offset += part.count
    }
    _ = try await ask(.executeWriteRequest(commit: true))
  }

  /// Sends a request. When the meter refuses it for want of security, the link's is raised and the request sent once more;
  /// whoever asked hears of the second answer only.
  ///
  /// - Throws: ``GATTError``.
  func ask(_ pdu: ATTPDU) async throws(GATTError) -> ATTPDU {
    do throws(GATTError) {
      return try await att.request(pdu)
    } catch {
      guard let security, error.asksForSecurity else { throw error }
      // A person may be asked meanwhile; what the meter sends is not kept back until then.
      await att.pauseProcedure()
      guard await security.raise() else { throw error }
    }
    do throws(GATTError) {
      return try await att.request(pdu)
    } catch {
      if error.asksForSecurity { await security?.noteRefusal() }
      throw error
    }
  }

  private func readRest(of handle: UInt16, from first: [UInt8], full: Int) async throws(GATTError) -> [UInt8] {
    var value = first
    var page = first.count
    var room = full
    while page == room, value.count < Self.maximumValueLength {
      let next: ATTPDU
      do {
        next = try await ask(.readBlobRequest(handle: handle, offset: UInt16(value.count)))
      } catch {
        // A value that is exactly as long as one PDU: nothing follows.
        guard case .attribute(let code) = error.code, code == .attributeNotLong || code == .invalidOffset else {
          throw error
        }
        break
      }
      guard case .readBlobResponse(let part) = next else {
        throw GATTError(.unexpectedResponse, "the meter answered a long read with something else")
      }
      value += part
      page = part.count
      room = await att.mtu - 1
    }
    return Array(value.prefix(Self.maximumValueLength))
  }
}

extension GATTError {
  /// Whether pairing or encrypting the link may cure it.
  fileprivate var asksForSecurity: Bool {
    if case .attribute(let code) = code { code.asksForSecurity } else { false }
  }
}
