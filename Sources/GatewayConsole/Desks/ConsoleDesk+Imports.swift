import GatewayAPI
import MeterCore

extension ConsoleDesk {
  /// The longest file that can be handed in by a browser.
  static let uploadLimit = 2 << 30

  /// The page of imports.
  func imports() async throws -> DeskAnswer {
    let reports = try await host.perform(HealthReportRequest(limit: 10))
    return .page(
      ImportsPage(reports, current: state.conversations[.importing], limit: Self.uploadLimit, times: times))
  }

  /// Ends the import that is under way.
  func actOnImports(_ name: String, _ action: String) throws -> DeskAnswer {
    guard name == "current", action == "cancel" else { throw NoSuchPage() }
    state.conversations[.importing]?.patience.end()
    return .redirect(PageArea.imports.path)
  }

  /// Whether another file may come.
  var mayImport: Bool { state.conversations[.importing]?.isOver ?? true }

  /// Another file is being imported.
  func busyImporting() -> DeskAnswer {
    say(.problem("Another file is being imported. Wait for it, or end it."))
    return .redirect(PageArea.imports.path)
  }

  /// Whose readings are taken at the moment: organisation and user of the session.
  func person() async throws -> [String?] {
    let session = try await host.perform(SessionShowRequest())
    return [session.organization, session.user]
  }

  /// A long file was on its way while the session became somebody else's, who would have got the readings in it.
  func personHasChanged() -> DeskAnswer {
    say(
      .problem(
        "The session has become somebody else's while the file came. Nothing was imported.",
        hint: "Hand the file in again if it is theirs."))
    return .redirect(PageArea.imports.path)
  }

  /// Imports a file, and removes it when that is over.
  func importFile(_ file: UploadFile) -> DeskAnswer {
    let conversation = Conversation(title: ImportsPage.name(file.path))
    guard state.conversations.begin(conversation, as: .importing) else { return busyImporting() }
    let host = host
    // It goes on while the browser asks how far it is.
    Task {
      let partner = ControlPartner<HealthImportTelling>(patience: conversation.patience) { telling in
        switch telling {
        case .progress(let progress):
          conversation.progress(
            "\(progress.samples) samples, \(progress.bytes >> 20) of \(progress.size >> 20) MiB read")
        case .done(let report):
          conversation.say(report.state.replacing("_", with: " "))
          for line in ImportsPage.lines(report) { conversation.say(line) }
          if let error = report.error { conversation.say(error.message) }
        case .other: break
        }
      }
      do {
        try await host.converse(HealthImportRequest(files: [file.path]), with: partner)
        conversation.finish(.done("The import is over."))
      } catch {
        let told = GatewayError.told(error)
        conversation.finish(.problem(told.message, hint: told.hint))
      }
      withExtendedLifetime(file) {}
    }
    return .redirect(PageArea.imports.path)
  }
}
