/// A page of a table or an index (SQLite file format, section 1.6), with every row of it that can be read.
struct TreePage {
  enum Kind: UInt8 {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13
  }

  let kind: Kind
  /// The rows that stand in this page. Those of a table's interior pages stand in its leaves only.
  let rows: [StoredRow]
  /// Cells that are no row.
  let unreadable: Int
  let children: [Int]

  /// Nil for a page of another kind.
  init?(_ number: Int, in image: DatabaseImage) {
    guard let page = image.page(number) else { return nil }
    let header = number == 1 ? 100 : 0
    guard header < page.count, let kind = Kind(rawValue: page[header]) else { return nil }
    self.init(number, page, kind, in: image)
  }

  /// The page read as one of that kind, whatever it says itself.
  init?(_ number: Int, as kind: Kind, in image: DatabaseImage) {
    guard let page = image.page(number) else { return nil }
    self.init(number, page, kind, in: image)
  }

  /// A page, but the first, from its bytes; nil for a page of another kind.
  init?(content page: [UInt8], in image: DatabaseImage) {
    guard let kind = page.first.flatMap(Kind.init) else { return nil }
    self.init(2, page, kind, in: image)
  }

  private init?(_ number: Int, _ page: [UInt8], _ kind: Kind, in image: DatabaseImage) {
    self.kind = kind
    let header = number == 1 ? 100 : 0
    let isInterior = kind == .indexInterior || kind == .tableInterior
    let pointers = header + (isInterior ? 12 : 8)
    guard let stated = page.number(at: header + 3, count: 2) else { return nil }
    let room = (page.count - pointers) / 2
    var (rows, children, unreadable): ([StoredRow], [Int], Int) = ([], [], 0)
    for index in 0..<min(stated, room) {
      // SQLite numbers bytes from the beginning of the page, also in the first one.
      guard let cell = page.number(at: pointers + 2 * index, count: 2), cell >= pointers, cell < page.count else {
        unreadable += 1
        continue
      }
      if isInterior, let child = page.number(at: cell, count: 4) { children.append(child) }
      guard kind != .tableInterior else { continue }
      guard let row = Self.row(page, cell, kind, image) else {
        unreadable += 1
        continue
      }
      rows.append(row)
    }
    if isInterior, let last = page.number(at: header + 8, count: 4) { children.append(last) }
    self.rows = rows
    self.children = children.filter { $0 > 1 && $0 <= image.pageCount }
    self.unreadable = unreadable + max(0, stated - room)
  }

  private static func row(_ page: [UInt8], _ cell: Int, _ kind: Kind, _ image: DatabaseImage) -> StoredRow? {
    var position = cell + (kind == .indexInterior ? 4 : 0)
    guard let length = page.variableNumber(at: position), length.value > 0,
      length.value <= Int64(image.pageCount) * Int64(image.pageSize)
    else { return nil }
    position += length.count
    var rowid: Int64?
    if kind == .tableLeaf {
      guard let number = page.variableNumber(at: position) else { return nil }
      rowid = number.value
      position += number.count
    }
    return payload(page, position, Int(length.value), isTable: kind == .tableLeaf, image)
      .flatMap { StoredRow(rowid: rowid, payload: $0) }
  }

  /// The bytes of a row, of which long ones go on in a chain of pages.
  private static func payload(
    _ page: [UInt8], _ start: Int, _ length: Int, isTable: Bool, _ image: DatabaseImage
  ) -> [UInt8]? {
    let size = image.pageSize
    let most = isTable ? size - 35 : (size - 12) * 64 / 255 - 23
    guard length > most else { return start + length <= page.count ? Array(page[start..<(start + length)]) : nil }
    let least = (size - 12) * 32 / 255 - 23
    let local = least + (length - least) % (size - 4)
    let here = local <= most ? local : least
    guard start + here + 4 <= page.count, var next = page.number(at: start + here, count: 4) else { return nil }
    var bytes = Array(page[start..<(start + here)])
    while bytes.count < length {
      guard let more = image.page(next), let following = more.number(at: 0, count: 4) else { return nil }
      bytes += more[4..<min(size, 4 + length - bytes.count)]
      next = following
    }
    return bytes
  }
}
