/// Finds the rows of a damaged database: by its trees where they are whole, and else by how the rows look.
///
/// Only live pages hold rows: `secure_delete` overwrites what is deleted.
final class Salvage {
  /// The tables of the schema as the damaged file describes them: name, root page and, of an index, its table.
  private struct Root {
    let name: String
    let page: Int
    let isIndex: Bool
  }

  let image: DatabaseImage
  let shapes: [TableShape]
  private var visited: Set<Int> = []

  /// Rows of pages that could be reached and that are no rows.
  private(set) var unreadableRows = 0
  /// Pages that a tree names and that are none of it.
  private(set) var unreadablePages: [Int] = []
  /// The highest number that a table with numbers of its own has given.
  private(set) var sequences: [String: Int64] = [:]
  /// The log_ids of records by their rows, from the index of names.
  private(set) var recordNames: [Int64: String] = [:]

  init(image: DatabaseImage, shapes: [TableShape]) {
    self.image = image
    self.shapes = shapes
  }

  /// The versions that the file says it has gone through; nil when that cannot be read.
  static func migrations(in image: DatabaseImage) -> [String]? {
    let salvage = Salvage(image: image, shapes: [])
    guard let root = salvage.roots().first(where: { $0.name == "grdb_migrations" }) else { return nil }
    var names: [String] = []
    salvage.walk(root.page) { row in
      guard case .text(let name)? = row.values.first else { return false }
      names.append(name)
      return true
    }
    return salvage.unreadablePages.isEmpty && salvage.unreadableRows == 0 ? names : nil
  }

  /// The first row of a table that the file itself names.
  func firstRow(of table: String) -> StoredRow? {
    guard let root = roots().first(where: { $0.name == table && !$0.isIndex }) else { return nil }
    var first: StoredRow?
    walk(root.page) { row in
      first = first ?? row
      return true
    }
    return first
  }

  /// Gives every row that can be read. `take` says whether the row belonged to that table: a row that could be of several
  /// is offered to each until one takes it.
  func forEachRow(_ take: (TableShape, StoredRow) throws -> Bool) throws {
    for root in roots() {
      switch shapes.first(where: { $0.name == root.name }) {
      case let shape?:
        try walk(root.page) { row in
          guard shape.fits(row) else { return false }
          _ = try take(shape, row)
          return true
        }
      case nil where root.name == "record_name": walk(root.page, name)
      case nil where root.name == "sqlite_sequence": walk(root.page, count)
      case nil: walk(root.page) { _ in true }
      }
    }
    try forEachOrphan(take)
  }

  /// Pages that no tree leads to: those above them are damaged.
  private func forEachOrphan(_ take: (TableShape, StoredRow) throws -> Bool) throws {
    guard image.pageCount > 1 else { return }
    for number in 2...image.pageCount where !visited.contains(number) {
      guard let page = TreePage(number, in: image) else { continue }
      for row in page.rows where !count(row) {
        for shape in shapes where shape.fits(row) {
          if try take(shape, row) { break }
        }
      }
    }
  }

  /// Takes the numbers that a table has given from a row of `sqlite_sequence`.
  private func count(_ row: StoredRow) -> Bool {
    guard row.rowid != nil, row.values.count == 2, case .text(let table) = row.values[0],
      case .integer(let number) = row.values[1], shapes.contains(where: { $0.name == table })
    else { return false }
    sequences[table] = max(sequences[table] ?? 0, number)
    return true
  }

  private func name(_ row: StoredRow) -> Bool {
    guard row.values.count == 3, case .text(let name) = row.values[1], case .integer(let number) = row.values[2] else {
      return false
    }
    recordNames[number] = name
    return true
  }

  private func roots() -> [Root] {
    var roots: [Root] = []
    walk(1) { row in
      guard row.values.count == 5, case .text(let type) = row.values[0], case .text(let name) = row.values[1],
        case .integer(let number) = row.values[3], let page = Int(exactly: number)
      else { return false }
      if page > 1 { roots.append(Root(name: name, page: page, isIndex: type == "index")) }
      return true
    }
    // A page that a damaged row names a second time belongs to whom the first says; tables come before their indexes.
    return roots.sorted { !$0.isIndex && $1.isIndex }
  }

  /// Gives the rows of a tree; `take` says whether a row is one of it.
  private func walk(_ root: Int, _ take: (StoredRow) throws -> Bool) rethrows {
    var next = [root]
    while let number = next.popLast() {
      guard visited.insert(number).inserted else { continue }
      let pages: [TreePage]
      if let page = TreePage(number, in: image) {
        pages = [page]
      } else {
        unreadablePages.append(number)
        // A page may have lost its kind only.
        pages = [.tableLeaf, .indexLeaf].compactMap { TreePage(number, as: $0, in: image) }
      }
      for page in pages {
        next += page.children
        for row in page.rows {
          if try !take(row), pages.count == 1 { unreadableRows += 1 }
        }
        if pages.count == 1 { unreadableRows += page.unreadable }
      }
    }
  }
}
