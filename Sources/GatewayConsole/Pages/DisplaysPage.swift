/// How displays are read: the view has the camera, and a command of its own.
struct DisplaysPage: ConsolePage {
  static let template = PageTemplate.displays
  static let area: PageArea? = .displays
  let title = "Displays"
}
