import BluetoothWire

/// Discovery (Core Vol 3 Part F 3.4.3 and 3.4.4.9, Part G 4.4 to 4.7).
extension ATTServer {
  func findInformation(_ range: ATTHandleRange) -> ATTPDU {
    guard range.isValid else { return error(.findInformationRequest, .invalidHandle, handle: range.first) }
    var list: [ATTHandleInformation] = []
    var size = 0
    for (handle, attribute) in database.attributes(in: range) {
      // One response holds types of one length only.
      let entry = attribute.type.littleEndianBytes.count + 2
      guard size == 0 || size == entry, 2 + (list.count + 1) * entry <= mtu else { break }
      size = entry
      list.append(ATTHandleInformation(handle: handle, type: attribute.type))
    }
    return list.isEmpty
      ? error(.findInformationRequest, .attributeNotFound, handle: range.first) : .findInformationResponse(list)
  }

  func findByTypeValue(_ range: ATTHandleRange, _ type: BluetoothUUID, _ value: [UInt8]) -> ATTPDU {
    guard range.isValid else { return error(.findByTypeValueRequest, .invalidHandle, handle: range.first) }
    var ranges: [ATTHandleRange] = []
    for (handle, attribute) in database.attributes(in: range)
    where attribute.type == type && attribute.value == value && readRefusal(attribute) == nil {
      guard 1 + (ranges.count + 1) * 4 <= mtu else { break }
      var last = handle
      if case .service(let end) = attribute.role { last = end }
      ranges.append(ATTHandleRange(first: handle, last: last))
    }
    return ranges.isEmpty
      ? error(.findByTypeValueRequest, .attributeNotFound, handle: range.first) : .findByTypeValueResponse(ranges)
  }

  func readByGroupType(_ range: ATTHandleRange, _ type: BluetoothUUID) -> ATTPDU {
    guard range.isValid else { return error(.readByGroupTypeRequest, .invalidHandle, handle: range.first) }
    guard type == .primaryService || type == .secondaryService else {
      return error(.readByGroupTypeRequest, .unsupportedGroupType, handle: range.first)
    }
    var groups: [ATTGroup] = []
    for (handle, attribute) in database.attributes(in: range) where attribute.type == type {
      guard case .service(let end) = attribute.role else { continue }
      let size = groups.first?.value.count ?? attribute.value.count
      guard attribute.value.count == size, 2 + (groups.count + 1) * (size + 4) <= mtu else { break }
      groups.append(ATTGroup(range: ATTHandleRange(first: handle, last: end), value: attribute.value))
    }
    return groups.isEmpty
      ? error(.readByGroupTypeRequest, .attributeNotFound, handle: range.first) : .readByGroupTypeResponse(groups)
  }
}
