public import DriverContract

/// A meter that exists in a drawing only: its display, a hand that is not quite still, the noise of a camera, and light
/// that is reflected. The same number gives the same picture, always and everywhere.
public struct SyntheticMeter: Sendable {
  /// What the display shows for a while.
  public struct Scene: Sendable, Hashable {
    /// What is lit.
    public enum Content: Sendable, Hashable {
      /// The text of each row, aligned to the right; empty for one that is not lit.
      case texts([String])
      /// Nothing.
      case blank
      /// Every segment, as when a meter is switched on.
      case selfTest
    }

    /// What is lit.
    public var content: Content
    /// For how many frames.
    public var frames: Int
    /// How much light is reflected, 0 (none) to 1 (it hides what it covers); it passes over the display once.
    public var glare: Double

    /// A scene.
    public init(_ content: Content, frames: Int, glare: Double = 0) {
      self.content = content
      self.frames = max(frames, 1)
      self.glare = glare.isFinite ? min(max(glare, 0), 1) : 0
    }
  }

  /// The sides of the picture.
  public let width: Int
  /// The sides of the picture.
  public let height: Int
  /// Where the overlay lies in the picture, in pixels.
  public let overlay: ImageBox
  /// What is shown, one after the other.
  public let scenes: [Scene]
  /// How far the meter moves to each side, in pixels.
  public let motion: Int
  /// The picture of each scene, without motion, noise and glare.
  private let pictures: [[UInt8]]
  private let noise: [Int8]
  private let seed: UInt64

  /// How many frames the scenes have.
  public var frameCount: Int { scenes.reduce(0) { $0 + $1.frames } }

  /// A meter with a layout.
  ///
  /// - Parameters:
  ///   - overlay: Where the overlay lies; nil fits it into the picture and leaves 5 % of the shorter side free.
  ///   - noise: The largest change of a pixel by noise.
  public init(
    layout: DisplayLayout, scenes: [Scene], width: Int = 640, height: Int = 480, overlay: ImageBox? = nil,
    motion: Int = 2, noise: Int = 6, seed: UInt64 = 1
  ) {
    let (width, height) = (min(max(width, 16), FrameLimits.side), min(max(height, 16), FrameLimits.side))
    let place = overlay ?? Self.fit(layout.aspect, width, height)
    self.width = width
    self.height = height
    self.overlay = place
    self.scenes = scenes
    self.motion = min(max(motion, 0), 16)
    self.seed = seed
    pictures = scenes.map { SyntheticDisplay(layout, place, width, height).picture($0.content) }
    let strength = min(max(noise, 0), 60)
    var random = SplitMix(state: seed)
    self.noise = (0..<65_537).map { _ in
      // The sum of two is nearer to a camera's noise than one.
      Int8((Int(random.next() % UInt64(strength + 1)) + Int(random.next() % UInt64(strength + 1))) - strength)
    }
  }

  /// The place of an overlay that nobody has moved.
  static func fit(_ aspect: Double, _ width: Int, _ height: Int) -> ImageBox {
    let margin = 0.05 * Double(min(width, height))
    let (roomX, roomY) = (Double(width) - 2 * margin, Double(height) - 2 * margin)
    let wide = aspect.isFinite && aspect > 0 ? min(roomX, roomY * aspect) : roomX
    let high = aspect.isFinite && aspect > 0 ? wide / aspect : roomY
    return ImageBox(x: (Double(width) - wide) / 2, y: (Double(height) - high) / 2, width: wide, height: high)
  }

  /// The scene of a frame, and its number within it; the scenes begin again behind the last.
  public func scene(of frame: Int) -> (scene: Scene, number: Int)? {
    index(of: frame).map { (scenes[$0.scene], $0.number) }
  }

  private func index(of frame: Int) -> (scene: Int, number: Int)? {
    guard frameCount > 0, frame >= 0 else { return nil }
    var left = frame % frameCount
    for (index, scene) in scenes.enumerated() {
      if left < scene.frames { return (index, left) }
      left -= scene.frames
    }
    return nil
  }

  /// A frame; nil only without scenes.
  public func frame(_ number: Int) -> GreyImage? {
    guard let (index, within) = index(of: number) else { return nil }
    var random = SplitMix(state: seed &+ UInt64(number) &* 0x9E37_79B9)
    let (right, down) = (step(number, &random), step(number + 7, &random))
    let start = Int(random.next() % UInt64(noise.count))
    let picture = pictures[index]
    let light = Glare(scenes[index], within, overlay)
    let pixels = [UInt8](unsafeUninitializedCapacity: width * height) { out, count in
      picture.withUnsafeBufferPointer { picture in
        noise.withUnsafeBufferPointer { noise in
          for y in 0..<height {
            let row = min(max(y - down, 0), height - 1) * width
            for x in 0..<width {
              let from = row + min(max(x - right, 0), width - 1)
              let shine = light.map { $0.shine(x, y) } ?? 0
              let value = Int(picture[from]) + Int(noise[(start + count) % noise.count]) + shine
              out[count] = UInt8(clamping: value)
              count += 1
            }
          }
        }
      }
    }
    return GreyImage(width: width, height: height, pixels: pixels)
  }

  /// A slow way there and back, with a little tremor.
  private func step(_ number: Int, _ random: inout SplitMix) -> Int {
    guard motion > 0 else { return 0 }
    let period = 8 * motion
    let phase = number % period
    let sway = phase < period / 2 ? phase / 2 - motion : 3 * motion - phase / 2
    let tremor = Int(random.next() % 3) - 1
    return min(max(sway + tremor, -motion), motion)
  }
}

/// A spot of reflected light on its way over the display.
struct Glare {
  private let x: Double
  private let y: Double
  private let radius: Double
  private let strength: Double

  /// Nil where there is none.
  init?(_ scene: SyntheticMeter.Scene, _ number: Int, _ overlay: ImageBox) {
    guard scene.glare > 0 else { return nil }
    let part = scene.frames > 1 ? Double(number) / Double(scene.frames - 1) : 0.5
    x = overlay.x + overlay.width * part
    y = overlay.y + overlay.height * (0.35 + 0.3 * part)
    radius = max(0.28 * min(overlay.width, overlay.height), 1)
    strength = 400 * scene.glare
  }

  /// What it adds to a pixel.
  func shine(_ column: Int, _ row: Int) -> Int {
    let (dx, dy) = ((Double(column) - x) / radius, (Double(row) - y) / radius)
    let distance = dx * dx + dy * dy
    return distance >= 1 ? 0 : Int(strength * (1 - distance) * (1 - distance))
  }
}

/// SplitMix64, which is the same on every machine.
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
