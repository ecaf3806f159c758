import ConsoleSupport
import Foundation
import MeterConsole

// The view with a scripted desk. It says on standard output what happens, a line each, and does what the lines of
// standard input say:
//
//   show FILE              the camera takes this picture
//   see ADVICE TEXT...     a frame is read; with `glare` an area of glare is seen, too
//   read FILE TEXT...      the reading is complete, with this picture of the display
//   end CODE MESSAGE       the reading fails; `denied` is the camera's refusal
//   refuse CODE MESSAGE    the next start fails
//   refuse-submission CODE MESSAGE
//
// Who is told to refuse says `refusing CODE` when it will.
// The first argument is a file with the drawing for all meters.

/// Says a line at once, whatever standard output is.
func say(_ line: String) {
  try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
}

/// Reads a file that the test has written.
func bytes(_ path: String) -> [UInt8] {
  (FileManager.default.contents(atPath: path)).map { Array($0) } ?? []
}

func failure(_ words: [String]) -> DeskError {
  let code = words.first ?? "failed"
  return DeskError(
    code == "denied" ? .cameraDenied : .failed, code: code, message: words.dropFirst().joined(separator: " "))
}

/// Does what a line says with the reading that was started last.
func perform(_ line: String, on reading: ScriptedReading?, desk: ScriptedDesk) {
  let words = line.split(separator: " ").map(String.init)
  let rest = Array(words.dropFirst())
  switch (words.first, rest.first) {
  case ("show", let path?): reading?.show(bytes(path))
  case ("see", let advice?):
    let areas = advice == "glare" ? [RelativeBox(x: 0.5, y: 0.3, width: 0.2, height: 0.25)] : []
    reading.map {
      $0.tell($0.partial(Array(rest.dropFirst()), advice: PreviewAdvice(rawValue: advice) ?? .none, glare: areas))
    }
  case ("read", let path?):
    reading.map { $0.end(.completed($0.result(Array(rest.dropFirst()), crop: bytes(path)))) }
  case ("end", _?): reading?.end(.failed(failure(rest)))
  case ("refuse", let code?):
    desk.refuse(failure(rest))
    say("refusing \(code)")
  case ("refuse-submission", let code?):
    reading?.refuse(failure(rest))
    say("refusing \(code)")
  default: say("unknown: \(line)")
  }
}

let drawing = CommandLine.arguments.count > 1 ? String(decoding: bytes(CommandLine.arguments[1]), as: UTF8.self) : nil
let desk = drawing.map { ScriptedDesk(drawing: $0) } ?? ScriptedDesk()
let console = ReadingConsole(desk: desk) { closing in say("closed \(closing.rawValue)") }

let (lines, told) = AsyncStream<String>.makeStream()
// A thread of its own: reading a line blocks it.
Thread.detachNewThread {
  while let line = readLine() { told.yield(line) }
  told.finish()
}

enum Happening: Sendable {
  case line(String?)
  case started(ScriptedReading)
}

let (happenings, happened) = AsyncStream<Happening>.makeStream()
let serving = Task { try await console.run { link in say("link \(link)") } }
Task { for await reading in desk.readings { happened.yield(.started(reading)) } }
Task {
  for await line in lines { happened.yield(.line(line)) }
  happened.yield(.line(nil))
}

var current: ScriptedReading?
loop: for await happening in happenings {
  switch happening {
  case .line(nil): break loop
  case .line(let line?): perform(line, on: current, desk: desk)
  case .started(let reading):
    current = reading
    say("started \(reading.meter.id) \(reading.unit ?? "-")")
    Task { for await texts in reading.submissions { say("submitted \(texts.joined(separator: " "))") } }
  }
}
serving.cancel()
_ = await serving.result
