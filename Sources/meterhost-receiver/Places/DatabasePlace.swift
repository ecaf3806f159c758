import ArgumentParser
import Foundation
import HostErrors
import MeterReceiver

/// Which database a command works on.
struct DatabaseOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The SQLite file, or postgres://USER@HOST:PORT/NAME.", valueName: "database"))
  var database: String?
  @Option(
    help: ArgumentHelp("A file with that one line, for an address with a password in it.", valueName: "file"),
    completion: .file())
  var databaseFile: String?

  func validate() throws {
    guard database == nil || databaseFile == nil else {
      throw ValidationError("--database and --database-file name the same thing; give one of them.")
    }
  }

  /// The database of this process, with a warning where its password can be seen.
  ///
  /// - Throws: ``ProgramError``, or `ValidationError` where nothing names a database.
  func place(_ environment: Environment = Environment()) throws -> String {
    if let database {
      if ReceiverConfiguration.showsPassword(database) {
        Terminal().error(
          "warning: the password stands in the command line, which other users of this machine can see; put it into "
            + "~/.pgpass, or the address into a file (--database-file)")
      }
      return database
    }
    let named = databaseFile ?? (environment.text("database") == nil ? environment.text("database-file") : nil)
    if let file = named { return try Self.read(file) }
    if let database = environment.text("database") { return database }
    if let credential = environment.credential("meterhost-receiver.database") { return try Self.read(credential) }
    if let folder = Self.stateFolder(environment) { return "\(folder)/receiver.sqlite" }
    throw ValidationError("Missing expected argument '--database <database>'")
  }

  /// Opens the database for a command beside the receiver.
  ///
  /// - Parameter isNew: Whether it may be made. A command that looks must not leave an empty file at a path with a typing mistake.
  /// - Throws: ``ProgramError``, `ReceiverError`, or `ValidationError` where nothing names a database.
  func open(isNew: Bool = false) throws -> ReceiverStore {
    let place = try place()
    if !ReceiverConfiguration.isPostgres(place), !FileManager.default.fileExists(atPath: place) {
      guard isNew else {
        throw ProgramError(
          .usage, code: "no_database", "there is no database \(place)",
          hint: "`meterhost-receiver organization add` makes it, and so does `serve`; --database names another one")
      }
      try FileOwner.requireOwn(folderOf: place)
    }
    return try ReceiverStore(path: place)
  }

  /// The folder of the service: of the unit that runs this, else where the package's unit has it.
  private static func stateFolder(_ environment: Environment) -> String? {
    if let folder = environment.variables["STATE_DIRECTORY"], !folder.isEmpty { return folder }
    let folder = "/var/lib/meterhost-receiver"
    return FileManager.default.fileExists(atPath: folder) ? folder : nil
  }

  private static func read(_ path: String) throws(ProgramError) -> String {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw ProgramError(.usage, code: "database_file", "the file \(path) with the database's address cannot be read")
    }
    PrivateFile.warn(path)
    let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    guard lines.count == 1, let line = lines.first else {
      throw ProgramError(
        .usage, code: "database_file", "\(path) must have one line, the address of the database; # begins a comment")
    }
    return line
  }
}
