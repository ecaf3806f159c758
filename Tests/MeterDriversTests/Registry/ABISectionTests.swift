import CMeterDriver
import Foundation
import Testing

@testable import MeterDrivers

/// The ABI section of registry.json is what the compiler of this host sees (rule R19).
@Suite("R2 R19 the ABI section") struct ABISectionTests {
  struct Field: Decodable {
    let name: String
    let offset: Int
  }
  struct Layout: Decodable {
    let name: String
    let size: Int
    let align: Int
    let fields: [Field]
  }
  struct ABI: Decodable {
    let structs: [Layout]
    let constants: [String: Int64]
  }
  struct File: Decodable { let abi: ABI }

  let abi: ABI

  init() throws {
    let file = try Data(contentsOf: URL(filePath: RegistryFixture.repositoryFile))
    abi = try JSONDecoder().decode(File.self, from: file).abi
  }

  private func check<Struct>(_ type: Struct.Type, _ fields: [(String, PartialKeyPath<Struct>)]) throws {
    let layout = try #require(abi.structs.first { $0.name == "\(type)" }, "\(type)")
    #expect(layout.size == MemoryLayout<Struct>.size, "\(type)")
    #expect(layout.size == MemoryLayout<Struct>.stride, "\(type)")
    #expect(layout.align == MemoryLayout<Struct>.alignment, "\(type)")
    #expect(layout.fields.map { String($0.name.prefix { $0 != "[" }) } == fields.map(\.0), "\(type)")
    for (field, (name, path)) in zip(layout.fields, fields) {
      #expect(field.offset == MemoryLayout<Struct>.offset(of: path), "\(type).\(name)")
    }
  }

  @Test func everyStructIsChecked() {
    #expect(
      abi.structs.map(\.name) == [
        "mh_action", "mh_bluetooth", "mh_bytes", "mh_characteristic", "mh_cipher", "mh_crypto", "mh_derivation",
        "mh_driver", "mh_event",
        "mh_extension_function", "mh_host", "mh_note", "mh_open", "mh_param", "mh_record", "mh_service", "mh_sink",
        "mh_slice", "mh_str", "mh_text", "mh_uuid", "mh_value",
      ])
  }

  @Test func constantsAreWhatSwiftImports() {
    #expect(abi.constants["MH_ABI_MAJOR"] == Int64(MH_ABI_MAJOR))
    #expect(abi.constants["MH_ABI_MINOR"] == Int64(MH_ABI_MINOR))
    #expect(abi.constants["MH_PARAM_CONTEXT_DECIDES"] == Int64(MH_PARAM_CONTEXT_DECIDES))
    #expect(abi.constants["MH_PARAM_NO_CLOCK"] == Int64(MH_PARAM_NO_CLOCK))
    #expect(abi.constants["MH_E_NO_VALUE"] == Int64(MH_E_NO_VALUE))
    #expect(abi.constants["MH_ACTIONS_MAX"] == Int64(MH_ACTIONS_MAX))
    #expect(Int64(DriverEntry.Limits.greatest.recordsPerEvent) == abi.constants["MH_RECORDS_MAX"])
  }

  @Test func actionLayout() throws {
    try check(
      mh_action.self,
      [
        ("struct_size", \.struct_size), ("kind", \.kind), ("token", \.token), ("arg", \.arg), ("arg2", \.arg2),
        ("handle", \.handle), ("flags", \.flags), ("code", \.code), ("value", \.value), ("text", \.text),
      ])
  }

  @Test func bluetoothLayout() throws {
    try check(
      mh_bluetooth.self,
      [
        ("struct_size", \.struct_size), ("reserved", \.reserved), ("open", \.open), ("event", \.event),
        ("close", \.close), ("decode", \.decode),
      ])
  }

  @Test func bytesLayout() throws {
    try check(
      mh_bytes.self,
      [
        ("p", \.p), ("n", \.n),
      ])
  }

  @Test func characteristicLayout() throws {
    try check(
      mh_characteristic.self,
      [
        ("handle", \.handle), ("properties", \.properties), ("service_index", \.service_index), ("uuid", \.uuid),
      ])
  }

  @Test func cipherLayout() throws {
    try check(
      mh_cipher.self,
      [
        ("struct_size", \.struct_size), ("algorithm", \.algorithm), ("direction", \.direction),
        ("tag_length", \.tag_length), ("reserved", \.reserved), ("key", \.key), ("nonce", \.nonce),
        ("associated", \.associated), ("input", \.input),
      ])
  }

  @Test func cryptoLayout() throws {
    try check(
      mh_crypto.self,
      [
        ("struct_size", \.struct_size), ("reserved", \.reserved), ("ctx", \.ctx), ("cipher", \.cipher),
        ("mac", \.mac), ("sha256", \.sha256), ("derive", \.derive), ("make_key_pair", \.make_key_pair),
        ("agree", \.agree),
      ])
  }

  @Test func derivationLayout() throws {
    try check(
      mh_derivation.self,
      [
        ("struct_size", \.struct_size), ("length", \.length), ("key", \.key), ("salt", \.salt), ("info", \.info),
        ("into", \.into),
      ])
  }

  @Test func driverLayout() throws {
    try check(
      mh_driver.self,
      [
        ("struct_size", \.struct_size), ("abi_major", \.abi_major), ("abi_minor", \.abi_minor),
        ("layout_hash", \.layout_hash), ("capabilities", \.capabilities), ("id", \.id), ("version", \.version),
        ("vendor", \.vendor), ("bluetooth", \.bluetooth), ("functions", \.functions), ("n_functions", \.n_functions),
        ("extension", \.extension),
      ])
  }

  @Test func eventLayout() throws {
    try check(
      mh_event.self,
      [
        ("struct_size", \.struct_size), ("kind", \.kind), ("seq", \.seq), ("token", \.token), ("mono_ns", \.mono_ns),
        ("unix_us", \.unix_us), ("status", \.status), ("handle", \.handle), ("mtu", \.mtu), ("value", \.value),
        ("services", \.services), ("characteristics", \.characteristics), ("n_services", \.n_services),
        ("n_characteristics", \.n_characteristics),
      ])
  }

  @Test func extensionFunctionLayout() throws {
    try check(
      mh_extension_function.self,
      [
        ("name", \.name), ("signature", \.signature), ("function", \.function),
      ])
  }

  @Test func hostLayout() throws {
    try check(
      mh_host.self,
      [
        ("struct_size", \.struct_size), ("abi_major", \.abi_major), ("abi_minor", \.abi_minor), ("ctx", \.ctx),
        ("log", \.log), ("random", \.random), ("kv_get", \.kv_get), ("kv_set", \.kv_set), ("asset", \.asset),
        ("extension", \.extension),
      ])
  }

  @Test func noteLayout() throws {
    try check(
      mh_note.self,
      [
        ("owner_size", \.owner_size), ("description_size", \.description_size), ("type", \.type), ("owner", \.owner),
        ("abi_major", \.abi_major), ("abi_minor", \.abi_minor), ("layout_hash_low", \.layout_hash_low),
        ("layout_hash_high", \.layout_hash_high),
      ])
  }

  @Test func openLayout() throws {
    try check(
      mh_open.self,
      [
        ("struct_size", \.struct_size), ("peripheral_id", \.peripheral_id), ("purpose", \.purpose),
        ("clock_trust", \.clock_trust), ("peer", \.peer), ("unix_us", \.unix_us), ("since_us", \.since_us),
        ("until_us", \.until_us), ("utc_offset_s", \.utc_offset_s), ("limit", \.limit), ("address", \.address),
        ("address_type", \.address_type), ("security", \.security), ("n_params", \.n_params), ("reserved", \.reserved),
        ("manufacturer", \.manufacturer), ("model", \.model), ("name", \.name), ("advertised_name", \.advertised_name),
        ("advertisement", \.advertisement), ("params", \.params),
      ])
  }

  @Test func paramLayout() throws {
    try check(
      mh_param.self,
      [
        ("name", \.name), ("type", \.type), ("reserved", \.reserved), ("i", \.i), ("f", \.f), ("b", \.b),
      ])
  }

  @Test func recordLayout() throws {
    try check(
      mh_record.self,
      [
        ("kind", \.kind), ("flags", \.flags), ("n_values", \.n_values), ("n_texts", \.n_texts),
        ("device_user", \.device_user), ("time_kind", \.time_kind), ("t_us", \.t_us), ("end_us", \.end_us),
        ("device_seq", \.device_seq), ("utc_offset_s", \.utc_offset_s), ("first_value", \.first_value),
        ("first_text", \.first_text), ("group", \.group), ("ident_off", \.ident_off), ("ident_len", \.ident_len),
        ("ident_class", \.ident_class),
      ])
  }

  @Test func serviceLayout() throws {
    try check(
      mh_service.self,
      [
        ("first_handle", \.first_handle), ("last_handle", \.last_handle), ("reserved", \.reserved), ("uuid", \.uuid),
      ])
  }

  @Test func sinkLayout() throws {
    try check(
      mh_sink.self,
      [
        ("struct_size", \.struct_size), ("reserved", \.reserved), ("records", \.records), ("n_records", \.n_records),
        ("cap_records", \.cap_records), ("values", \.values), ("n_values", \.n_values), ("cap_values", \.cap_values),
        ("texts", \.texts), ("n_texts", \.n_texts), ("cap_texts", \.cap_texts), ("arena", \.arena),
        ("n_arena", \.n_arena), ("cap_arena", \.cap_arena), ("act", \.act), ("ctx", \.ctx),
      ])
  }

  @Test func sliceLayout() throws {
    try check(
      mh_slice.self,
      [
        ("off", \.off), ("len", \.len), ("t_us", \.t_us), ("characteristic", \.characteristic), ("flags", \.flags),
        ("status", \.status), ("first_record", \.first_record), ("n_records", \.n_records),
      ])
  }

  @Test func strLayout() throws {
    try check(
      mh_str.self,
      [
        ("p", \.p), ("n", \.n),
      ])
  }

  @Test func textLayout() throws {
    try check(
      mh_text.self,
      [
        ("field", \.field), ("flags", \.flags), ("off", \.off), ("len", \.len),
      ])
  }

  @Test func uuidLayout() throws {
    try check(
      mh_uuid.self,
      [
        ("b", \.b)
      ])
  }

  @Test func valueLayout() throws {
    try check(
      mh_value.self,
      [
        ("metric", \.metric), ("unit", \.unit), ("exp10", \.exp10), ("qualifier", \.qualifier), ("flags", \.flags),
        ("value", \.value), ("raw", \.raw),
      ])
  }
}
