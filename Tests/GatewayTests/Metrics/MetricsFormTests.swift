import Testing

@testable import GatewayAPI

@Suite("The text of metrics") struct MetricsFormTests {
  private static let requests = MetricFamily(
    .counter, "x_requests", help: "Says \"how many\"\nwith a \\.",
    [(labels: ["path": "a\"b\\c\nd", "code": "200"], value: 3), (labels: [:], value: 0.5)])
  private static let build = MetricFamily(.info, "x_build", help: "Which.", [(labels: ["version": "1"], value: 1)])
  private static let bytes = MetricFamily(.gauge, "x_bytes", unit: "bytes", help: "Size.", [(labels: [:], value: 12e9)])

  @Test("OpenMetrics has units, names without suffixes, quotes that are escaped, and an end") func openMetrics() {
    #expect(
      MetricsForm.openMetrics.text([Self.build, Self.bytes, Self.requests]) == """
        # TYPE x_build info
        # HELP x_build Which.
        x_build_info{version="1"} 1
        # TYPE x_bytes gauge
        # UNIT x_bytes bytes
        # HELP x_bytes Size.
        x_bytes 12000000000
        # TYPE x_requests counter
        # HELP x_requests Says \\"how many\\"\\nwith a \\\\.
        x_requests_total{code="200",path="a\\"b\\\\c\\nd"} 3
        x_requests_total 0.5
        # EOF

        """)
  }

  @Test("the plain form has the names of samples, no units, and no kind for labels alone") func plain() {
    #expect(
      MetricsForm.plain.text([Self.build, Self.bytes, Self.requests]) == """
        # TYPE x_build_info gauge
        # HELP x_build_info Which.
        x_build_info{version="1"} 1
        # TYPE x_bytes gauge
        # HELP x_bytes Size.
        x_bytes 12000000000
        # TYPE x_requests_total counter
        # HELP x_requests_total Says "how many"\\nwith a \\\\.
        x_requests_total{code="200",path="a\\"b\\\\c\\nd"} 3
        x_requests_total 0.5

        """)
  }

  @Test("a family without samples is not there") func empty() {
    let empty = MetricFamily(.gauge, "x", help: "Nothing.", [])
    #expect(MetricsForm.openMetrics.text([empty]) == "# EOF\n" && MetricsForm.plain.text([empty]) == "")
  }

  @Test("numbers that are none are written as the forms want them") func numbers() {
    let values: [Double] = [.nan, .infinity, -.infinity, -2, 1e20, 0.000_05]
    let family = MetricFamily(.gauge, "x", help: "Odd.", values.map { (labels: [:], value: $0) })
    let lines = MetricsForm.plain.text([family]).split(separator: "\n").dropFirst(2)
    #expect(lines == ["x NaN", "x +Inf", "x -Inf", "x -2", "x 1e+20", "x 5e-05"])
  }

  @Test("a bucket has what is in the smaller ones, and its bound stands last") func histogram() {
    var histogram = MetricHistogram(bounds: [0.1, 1])
    for value in [0.05, 0.1, 0.5, 7, .nan] { histogram.observe(value) }
    #expect(histogram.count == 4)
    let family = MetricFamily(
      histograms: "x_seconds", unit: "seconds", help: "Time.", [(labels: ["sink": "a"], value: histogram)])
    #expect(
      MetricsForm.openMetrics.text([family]).split(separator: "\n").dropFirst(3) == [
        "x_seconds_bucket{sink=\"a\",le=\"0.1\"} 2", "x_seconds_bucket{sink=\"a\",le=\"1.0\"} 3",
        "x_seconds_bucket{sink=\"a\",le=\"+Inf\"} 4", "x_seconds_sum{sink=\"a\"} 7.65", "x_seconds_count{sink=\"a\"} 4",
        "# EOF",
      ])
  }

  @Test(
    "the form is the one that the client wants",
    arguments: [
      (nil, .plain), ("", .plain), ("*/*", .plain), ("text/plain", .plain), ("application/json", .plain),
      ("application/openmetrics-text", .openMetrics),
      ("application/openmetrics-text; version=1.0.0; charset=utf-8", .openMetrics),
      ("Application/OpenMetrics-Text; Version=\"1.0.0\"", .openMetrics),
      ("application/openmetrics-text; version=2.0.0", .plain),
      ("application/openmetrics-text;q=0, */*", .plain),
      ("application/openmetrics-text;q=0.5,text/plain;version=0.0.4", .plain),
      ("text/plain,application/openmetrics-text", .openMetrics),
      (
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
          + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", .openMetrics
      ),
      ("application/openmetrics-text;q=x", .plain),
    ] as [(String?, MetricsForm)])
  func negotiation(accept: String?, form: MetricsForm) {
    #expect(MetricsForm(accept: accept) == form)
  }

  @Test(
    "an address is of this machine or its network",
    arguments: [
      ("9464", "127.0.0.1:9464", true), ("0", "127.0.0.1:0", true), ("127.0.0.1:9464", "127.0.0.1:9464", true),
      ("[::1]:9464", "[::1]:9464", true), ("192.168.1.5:9464", "192.168.1.5:9464", false),
      ("0.0.0.0:9464", "0.0.0.0:9464", false),
    ])
  func addresses(text: String, description: String, isLoopback: Bool) throws {
    let address = try #require(MetricsAddress(text))
    #expect(address.description == description && address.isLoopback == isLoopback)
  }

  @Test("another address is refused", arguments: ["", "x", "65536", "-1", "8.8.8.8:80", "example.org:80", "127.0.0.1"])
  func noAddresses(text: String) {
    #expect(MetricsAddress(text) == nil)
    #expect(GatewayError.metricsAddress(text).kind == .usage)
  }
}
