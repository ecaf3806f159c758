import Glibc

/// A parsed text: its bytes, and its values in the order of the text.
///
/// Parsing makes no string and no tree; both are made of what a caller asks for, and every value knows its place.
public final class JSONDocument: Sendable {
  /// What the caller calls the text, such as the path of a file.
  public let name: String
  let bytes: [UInt8]
  @usableFromInline let nodes: [JSONNode]

  /// Parses one complete text: RFC 8259, UTF-8 without byte order mark, and the rules.
  public init(_ bytes: [UInt8], name: String = "", rules: JSONRules) throws(JSONSyntaxError) {
    var parser = JSONParser(bytes, rules)
    nodes = try parser.parse()
    self.name = name
    self.bytes = bytes
  }

  /// Another object over the same bytes and values.
  init(sharing document: JSONDocument) {
    name = document.name
    bytes = document.bytes
    nodes = document.nodes
  }

  /// The value of the text.
  public var root: JSONElement { JSONElement(document: self, index: 0) }

  /// A string with its escapes resolved, or a number or word as it is written.
  func text(of node: JSONNode) -> String {
    node.form == .escaped
      ? String(decoding: JSONEscapes.resolved(node.range, of: bytes), as: UTF8.self)
      : bytes.withUnsafeBufferPointer { String(decoding: UnsafeBufferPointer(rebasing: $0[node.range]), as: UTF8.self) }
  }

  /// The value of a key and where the search for the next key should start; looks from `hint` to the end, then round.
  @usableFromInline
  func member(_ key: String, of object: Int, from hint: Int) -> (value: Int, next: Int)? {
    let first = object + 1
    let end = Int(nodes[object].end)
    var index = hint < end ? hint : first
    var key = key
    return key.withUTF8 { key in
      for _ in 0..<nodes[object].length {
        let following = Int(nodes[index + 1].end)
        if isKey(nodes[index], key) { return (index + 1, following) }
        index = following < end ? following : first
      }
      return nil
    }
  }

  private func isKey(_ node: JSONNode, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
    if node.form == .escaped { return JSONEscapes.resolved(node.range, of: bytes).elementsEqual(key) }
    guard Int(node.length) == key.count else { return false }
    return bytes.withUnsafeBytes { bytes in
      guard let start = UnsafeRawBufferPointer(rebasing: bytes[node.range]).baseAddress, let other = key.baseAddress
      else { return true }
      return memcmp(start, other, key.count) == 0
    }
  }

  /// The path of a node, found by walking down from the root: errors are rare, paths need not be carried along.
  func path(of target: Int) -> String {
    var path = "$"
    var index = 0
    while index != target {
      let node = nodes[index]
      var child = index + 1
      var position = 0
      var next: Int?
      while child < Int(node.end) {
        let value = node.kind == .object ? child + 1 : child
        if target < Int(nodes[value].end) {
          path += node.kind == .object ? "." + shown(text(of: nodes[child]), limit: 40) : "[\(position)]"
          next = target == child ? target : value
          break
        }
        child = Int(nodes[value].end)
        position += 1
      }
      guard let next else { return path }
      index = next
    }
    return path
  }
}
