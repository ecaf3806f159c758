import CMeterDriver
@testable import DriverTestBench
import Foundation
import Testing

/// What the loader checks before it maps a bundle: exports, needed libraries and the contract's note (R1, R20).
@Suite struct BundleFileTests {
  @Test(arguments: Plugin.all)
  func exportsTheEntryPointAndNeedsLibcOnly(plugin: Plugin) throws {
    let file = try ElfFile(bundleFolder().appendingPathComponent("libmh-\(plugin.bundle).so"))
    #expect(file.exports == ["mh_driver_entry"])
    #expect(file.needed == ["libc.so.6"])
  }

  @Test(arguments: Plugin.all)
  func carriesTheNoteOfThisContract(plugin: Plugin) throws {
    let file = try ElfFile(bundleFolder().appendingPathComponent("libmh-\(plugin.bundle).so"))
    let note = try #require(file.section(".note.meterhost"))
    let hash = mh_layout_hash()
    #expect(note.count == 36 && Array(note[12..<21]) == Array("MeterHost".utf8))
    #expect(file.number(note, 24, 2) == UInt64(mh_abi_major()) && file.number(note, 26, 2) == UInt64(mh_abi_minor()))
    #expect(file.number(note, 28, 8) == hash)
    let host = try TestHost(bundle: plugin.bundle)
    #expect(host.driver.layout_hash == hash && text(host.driver.id) == "org.meterhost.\(plugin.bundle)")
  }
}

/// As much of an ELF file as the tests look at (System V ABI, 64-bit little-endian).
struct ElfFile {
  private let bytes: [UInt8]
  private var sections: [(name: String, type: UInt64, offset: Int, size: Int, link: Int)] = []

  init(_ file: URL) throws {
    bytes = Array(try Data(contentsOf: file))
    guard bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1]) else { throw TestFailure("not ELF: \(file.path)") }
    let (table, size, count, names) = (Int(at(40, 8)), Int(at(58, 2)), Int(at(60, 2)), Int(at(62, 2)))
    let nameOffset = Int(at(table + names * size + 24, 8))
    for index in 0..<count {
      let head = table + index * size
      sections.append(
        (
          string(nameOffset + Int(at(head, 4))), at(head + 4, 4), Int(at(head + 24, 8)), Int(at(head + 32, 8)),
          Int(at(head + 40, 4))
        ))
    }
  }

  func number(_ slice: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(slice[offset + $1]) << UInt64(8 * $1) }
  }

  private func at(_ offset: Int, _ count: Int) -> UInt64 { number(bytes, offset, count) }

  private func string(_ offset: Int) -> String {
    String(decoding: bytes[offset...].prefix { $0 != 0 }, as: UTF8.self)
  }

  func section(_ name: String) -> [UInt8]? {
    sections.first { $0.name == name && $0.type != 8 }.map { Array(bytes[$0.offset..<$0.offset + $0.size]) }
  }

  /// Defined dynamic symbols that other objects can bind to.
  var exports: [String] {
    guard let table = sections.first(where: { $0.type == 11 }) else { return [] }
    return stride(from: table.offset, to: table.offset + table.size, by: 24).compactMap { symbol in
      guard at(symbol + 6, 2) != 0, at(symbol + 4, 1) >> 4 != 0 else { return nil }
      return string(sections[table.link].offset + Int(at(symbol, 4)))
    }
  }

  var needed: [String] {
    guard let table = sections.first(where: { $0.type == 6 }) else { return [] }
    return stride(from: table.offset, to: table.offset + table.size, by: 16).compactMap { entry in
      at(entry, 8) == 1 ? string(sections[table.link].offset + Int(at(entry + 8, 8))) : nil
    }
  }
}
