import Foundation
import TestSupport
import Testing

/// A running host on a disk of its own that fills up while files are handed in to it.
@Suite("Handing in on a full disk", .timeLimit(.minutes(60))) struct FullDiskTests {
  private static let canMount =
    (try? ChildProcess.run(
      URL(filePath: "/usr/bin/unshare"),
      ["--mount", "--", "/bin/sh", "-c", "mount -t tmpfs tmpfs /mnt && echo mounted"]))?
    .lines == ["mounted"]

  @Test(
    "what is posted and what is uploaded is refused and leaves nothing; the host goes on, and a reading still has room",
    .enabled(if: canMount, "this user may not mount"))
  func fullDisk() async throws {
    try await Sandbox.with { sandbox in
      let script = try sandbox.file("script.py", Self.script)
      let program = try Installation.shared().program.path
      let environment = try Program.environment(of: sandbox)
      let root = sandbox.root
      let done = try await onOwnThread {
        try ChildProcess.run(
          URL(filePath: "/usr/bin/unshare"), ["--mount", "--", "python3", script, program], environment: environment,
          folder: root)
      }
      #expect(
        done.lines.filter { !$0.isEmpty } == [
          "posted 503 disk_full", "uploaded 503", "posted 503 disk_full", "uploaded 503", "left", "console 200",
          "host None", "posted 422 not_subscribed", "uploaded 303", "readings 2", "ended 0",
        ], "\(done.out)\(done.err)")
    }
  }

  private static let script = #"""
    import atexit, http.client, json, os, re, subprocess, sys
    program = sys.argv[1]
    os.mkdir("disk")
    subprocess.check_call(["mount", "-t", "tmpfs", "-o", "size=160m,mode=700", "tmpfs", "disk"])
    state = os.path.abspath("disk/state")
    env = dict(os.environ, METERHOST_STATE=state)

    def meterhost(*words, text="", status=0):
        done = subprocess.run([program, *words], env=env, input=text, capture_output=True, text=True)
        assert done.returncode == status, (words, done)
        return done.stdout

    def free():
        disk = os.statvfs("disk")
        return disk.f_bavail * disk.f_frsize >> 20

    def fill(leaving, piece):
        with open("disk/filler", "ab", buffering=0) as file:
            try:
                while free() >= leaving: file.write(bytes(piece))
            except OSError: pass

    def send(port, method, path, headers, body=b""):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.getheaders(), answer.read().decode()

    def post(body):
        headers = {"X-Api-Key": token, "Content-Type": "application/json"}
        status, _, text = send(ingest, "POST", "/ingest/auto", headers, body)
        return status, json.loads(text).get("error", {}).get("code")

    def upload(size):
        page = send(console, "GET", "/import", visitor)[2]
        token = re.search('name="token" value="([0-9a-f]+)"', page)[1]
        part = "--x\r\nContent-Disposition: form-data; name="
        body = f'{part}"token"\r\n\r\n{token}\r\n{part}"file"; filename="export.json"\r\n\r\n'.encode()
        body += bytes(size) + b"\r\n--x--\r\n"
        origin = {"Origin": f"http://127.0.0.1:{console}", "Content-Type": "multipart/form-data; boundary=x"}
        return send(console, "POST", "/import/file/upload", visitor | origin, body)[0]

    def files(*folders):
        return [name for folder in folders for _, _, names in os.walk(f"{state}/{folder}") for name in names]

    start = "session start --user u --organization o --receiver http://127.0.0.1:9".split()
    meterhost(*start, text="token-of-this-user-1")
    host = subprocess.Popen([program, "run", "--console", "--json"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    atexit.register(host.kill)
    while '"running"' not in host.stdout.readline(): pass
    meterhost("health", "ingest", "listen", "127.0.0.1:0")
    while not (url := json.loads(meterhost("health", "ingest", "show", "--json")).get("url")): pass
    ingest = int(re.search(r":(\d+)", url)[1])
    token = meterhost("health", "ingest", "token", "new", "phone").split()[-1]
    console, path = re.search(r"http://127.0.0.1:(\d+)(/\S+)", meterhost("console")).groups()
    console = int(console)
    opened = {name.lower(): value for name, value in send(console, "GET", path, {})[1]}
    visitor = {"Cookie": opened["set-cookie"].split(";")[0], "Sec-Fetch-Site": "same-origin"}

    # Nearly full: what is handed in would take the room of readings. The bodies are short enough for a host to read over.
    fill(leaving=16, piece=1 << 20)
    print("posted", *post(b'{"a":"' + b"x" * (1 << 19) + b'"}'))
    print("uploaded", upload(1 << 19))
    meterhost("submit", "--type", "weight", "--value", "body_weight=70 kg", "--no-upload")
    # Full to the last byte.
    fill(leaving=0, piece=1 << 12)
    print("posted", *post(b'{"a":1}'))
    print("uploaded", upload(1 << 19))
    print("left", *files("health/spool", "console-uploads"))
    print("console", send(console, "GET", "/import", visitor)[0])
    print("host", host.poll())
    os.unlink("disk/filler")
    print("posted", *post(b'{"a":2}'))
    print("uploaded", upload(1 << 10))
    meterhost("submit", "--type", "weight", "--value", "body_weight=71 kg", "--no-upload")
    print("readings", sum('"log_id"' in line for line in meterhost("queue", "list", "--json").splitlines()))
    host.send_signal(2)
    print("ended", host.wait())
    """#
}
