/// The templates, which are part of the program.
enum PageTemplate: String, Sendable, CaseIterable {
  // Parts of others.
  case top, bottom, readingrows, sinkrows, radiorows, logrows
  // Pages.
  case overview, readings, reading, charts, question, login, message
  case delivery, meters, meter, pairing, drivers, log, loglines, imports, displays

  /// The text that the template is made of.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  private var bytes: [UInt8] {
    switch self {
    case .top: PackageResources.top_mustache
    case .bottom: PackageResources.bottom_mustache
    case .readingrows: PackageResources.readingrows_mustache
    case .sinkrows: PackageResources.sinkrows_mustache
    case .radiorows: PackageResources.radiorows_mustache
    case .overview: PackageResources.overview_mustache
    case .readings: PackageResources.readings_mustache
    case .reading: PackageResources.reading_mustache
    case .charts: PackageResources.charts_mustache
    case .question: PackageResources.question_mustache
    case .login: PackageResources.login_mustache
    case .message: PackageResources.message_mustache
    case .delivery: PackageResources.delivery_mustache
    case .meters: PackageResources.meters_mustache
    case .meter: PackageResources.meter_mustache
    case .pairing: PackageResources.pairing_mustache
    case .drivers: PackageResources.drivers_mustache
    case .logrows: PackageResources.logrows_mustache
    case .loglines: PackageResources.loglines_mustache
    case .log: PackageResources.log_mustache
    case .imports: PackageResources.imports_mustache
    case .displays: PackageResources.displays_mustache
    }
  }
}

/// The other files of the pages; none of them says anything about the gateway, so that they need no session.
enum PageFile: String, Sendable, CaseIterable {
  case style = "/console.css"
  case script = "/console.js"
  case icon = "/icon.svg"

  var mediaType: String {
    switch self {
    case .style: "text/css; charset=utf-8"
    case .script: "text/javascript; charset=utf-8"
    case .icon: "image/svg+xml"
    }
  }

  var bytes: [UInt8] {
    switch self {
    case .style: PackageResources.console_css
    case .script: PackageResources.console_js
    case .icon: PackageResources.icon_svg
    }
  }
}
