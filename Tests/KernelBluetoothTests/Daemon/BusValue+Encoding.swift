import CBus

@testable import KernelBluetooth

extension BusValue {
  /// The signature of its type (D-Bus specification, "Type System").
  var signature: String {
    switch self {
    case .truth: "b"
    case .number: "u"
    case .text, .other: "s"
    case .path: "o"
    case .variant: "v"
    case .list(let values): "a\(values.first?.signature ?? "s")"
    case .dictionary(let entries): "a{s\(entries.values.first?.signature ?? "v")}"
    }
  }

  /// Appends it to a message.
  func append(to cursor: inout mh_bus_cursor) {
    let type = Int32(signature.utf8.first ?? 0)
    switch self {
    case .truth(let isTrue): _ = mh_bus_append_number(&cursor, type, isTrue ? 1 : 0)
    case .number(let number): _ = mh_bus_append_number(&cursor, type, number)
    case .text(let text), .path(let text): _ = mh_bus_append_text(&cursor, type, text)
    case .other: _ = mh_bus_append_text(&cursor, type, "")
    case .variant(let value):
      var inside = mh_bus_cursor()
      _ = mh_bus_append_open(&cursor, type, value.signature, &inside)
      value.append(to: &inside)
      _ = mh_bus_append_close(&cursor, &inside)
    case .list(let values):
      var inside = mh_bus_cursor()
      _ = mh_bus_append_open(&cursor, type, String(signature.dropFirst()), &inside)
      for value in values { value.append(to: &inside) }
      _ = mh_bus_append_close(&cursor, &inside)
    case .dictionary(let entries):
      var inside = mh_bus_cursor()
      _ = mh_bus_append_open(&cursor, type, String(signature.dropFirst()), &inside)
      for (key, value) in entries {
        var pair = mh_bus_cursor()
        _ = mh_bus_append_open(&inside, Int32(UInt8(ascii: "e")), nil, &pair)
        BusValue.text(key).append(to: &pair)
        value.append(to: &pair)
        _ = mh_bus_append_close(&inside, &pair)
      }
      _ = mh_bus_append_close(&cursor, &inside)
    }
  }
}

extension BusConnection {
  /// Answers a call with values of any type.
  func answer(_ call: OpaquePointer, with values: [BusValue]) throws {
    try send(mh_bus_new_answer(call), values)
  }

  /// Tells that an object's properties have changed; which, nobody reads.
  func tellChange(of path: String) throws {
    try send(mh_bus_new_signal(path, "org.freedesktop.DBus.Properties", "PropertiesChanged"), [.text("")])
  }

  private func send(_ message: OpaquePointer?, _ values: [BusValue]) throws {
    guard let message else { throw PrivateBus.Failure(reason: "no memory") }
    defer { mh_bus_free(message) }
    var cursor = mh_bus_cursor()
    mh_bus_append_to(message, &cursor)
    for value in values { value.append(to: &cursor) }
    _ = mh_bus_send(bus, message)
  }
}
