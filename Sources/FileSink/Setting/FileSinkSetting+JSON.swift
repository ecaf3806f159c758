import Foundation
import HostPrimitives
import StrictJSON

extension FileSinkSetting: Codable {
  private struct AnyMember: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Reads a setting; a member that is left out has its default.
  ///
  /// - Throws: ``FileSinkError``, which names the member.
  public init(from decoder: any Decoder) throws {
    let names: [String]
    let members: KeyedDecodingContainer<Member>
    do {
      names = try decoder.container(keyedBy: AnyMember.self).allKeys.map(\.stringValue)
      members = try decoder.container(keyedBy: Member.self)
    } catch {
      throw FileSinkError(.notJSON, "the setting is no JSON object; write it like {\"folder\": \"/srv/readings\"}.")
    }
    try Self.refuseUnknown(names)
    guard let folder = try Self.read(String.self, .folder, members, "a text") else {
      throw FileSinkError(
        .missingMember, member: Member.folder.rawValue,
        "folder is missing; give the absolute path of the folder for the files.")
    }
    self.init(folder: folder, format: try Self.readWord(.format, members) ?? .jsonLines)
    rotateBytes = try Self.read(Int.self, .rotateBytes, members, "a whole number of bytes") ?? rotateBytes
    rotate = try Self.readWord(.rotate, members) ?? rotate
    keep = try Self.read(Int.self, .keep, members, "a whole number of files")
    self = try validated()
  }

  /// Writes a setting; what has its default is left out.
  public func encode(to encoder: any Encoder) throws {
    let defaults = FileSinkSetting(folder: folder)
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(folder, forKey: .folder)
    try members.encode(format.rawValue, forKey: .format)
    if rotateBytes != defaults.rotateBytes { try members.encode(rotateBytes, forKey: .rotateBytes) }
    if rotate != defaults.rotate { try members.encode(rotate.rawValue, forKey: .rotate) }
    try members.encodeIfPresent(keep, forKey: .keep)
  }

  /// Reads a setting from JSON (RFC 8259) in which no member is there twice.
  public init(json: [UInt8]) throws(FileSinkError) {
    do {
      _ = try JSONDocument(json, rules: JSONRules(size: 64 << 10, depth: 4, allowsEscapedKeys: false, numbers: .exact))
      self = try JSONDecoder().decode(FileSinkSetting.self, from: Data(json))
    } catch let error as FileSinkError {
      throw error
    } catch let error as JSONSyntaxError {
      throw FileSinkError(.notJSON, "the setting is no JSON: \(error.description).")
    } catch {
      throw FileSinkError(.notJSON, "the setting cannot be read; write it like {\"folder\": \"/srv/readings\"}.")
    }
  }

  /// The setting as JSON: equal settings have equal bytes, so that the store can tell whether one has changed.
  public var json: [UInt8] {
    let defaults = FileSinkSetting(folder: folder)
    var json = JSONWriter()
    json.object { json in
      json.member(Member.folder.rawValue, folder)
      json.member(Member.format.rawValue, format.rawValue)
      if rotateBytes != defaults.rotateBytes {
        json.member(Member.rotateBytes.rawValue, integer: Int64(rotateBytes))
      }
      if rotate != defaults.rotate { json.member(Member.rotate.rawValue, rotate.rawValue) }
      if let keep { json.member(Member.keep.rawValue, integer: Int64(keep)) }
    }
    return json.bytes
  }

  // MARK: - Members

  private static func refuseUnknown(_ names: [String]) throws(FileSinkError) {
    let known = Member.allCases.map(\.rawValue)
    guard let name = names.sorted().first(where: { name in !known.contains { $0.isExactly(name) } }) else { return }
    let shown = name.oneLine(atMost: 40)
    throw FileSinkError(
      .unknownMember, member: shown, "\(shown): there is no such member; there are \(known.joined(separator: ", ")).")
  }

  private static func read<Value: Decodable>(
    _ type: Value.Type, _ member: Member, _ members: KeyedDecodingContainer<Member>, _ wanted: String
  ) throws(FileSinkError) -> Value? {
    guard members.contains(member) else { return nil }
    do { return try members.decode(type, forKey: member) } catch {
      throw FileSinkError(
        .wrongMember, member: member.rawValue,
        "\(member.rawValue) is not \(wanted); correct it, or leave the member out for its default.")
    }
  }

  private static func readWord<Word: RawRepresentable<String> & CaseIterable>(
    _ member: Member, _ members: KeyedDecodingContainer<Member>
  ) throws(FileSinkError) -> Word? {
    let words = Word.allCases.map(\.rawValue)
    let wanted = "one of \(words.joined(separator: ", "))"
    guard let text = try read(String.self, member, members, wanted) else { return nil }
    guard let word = Word.allCases.first(where: { $0.rawValue.isExactly(text) }) else {
      throw FileSinkError(
        .wrongMember, member: member.rawValue,
        "\(member.rawValue): \(text.oneLine(atMost: 40)) is not \(wanted); take one of these.")
    }
    return word
  }
}
