#!/usr/bin/env python3
"""Receivers that lie. A reading may be taken for stored only when a receiver said so in its own form, and for refused only when a
receiver refused it; whatever else answers, it waits, and arrives once when an honest receiver is there again. The token is in no
output and in no file, in whatever form a receiver repeats it."""

import base64
import itertools
import json
import time
import urllib.parse

from bench import TOKEN, Gateway, Part, Receiver, answer, documents, honest

PAGE = "<html><head><title>Hello</title></head><body>nginx</body></html>"
HTML = "Content-Type: text/html"


def endless(piece, first=b"HTTP/1.1 201 Created\r\n"):
    return lambda: itertools.chain([first], itertools.repeat(piece))


def drip(head, piece):
    """A byte now and then: longer than any limit of one step, and never done."""
    def pieces():
        yield head
        for _ in range(600):
            time.sleep(1)
            yield piece
    return pieces


def echo(text):
    return answer(400, json.dumps({"errors": {"token": [f"bad {text}"]}}))


ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in TOKEN)
TWICE = base64.b64encode(base64.b64encode(TOKEN.encode())).decode()
# How the token is repeated, and the bytes that then may stand nowhere.
ECHOES = {
    "plain": (echo(TOKEN), TOKEN),
    "in a page": (answer(502, f"<pre>Authorization: Bearer {TOKEN}</pre>", HTML), TOKEN),
    "escaped": (answer(400, '{"errors":{"token":["' + ESCAPED + '"]}}'), TOKEN),
    "escaped, of a server's fault": (answer(500, '{"errors":{"token":["' + ESCAPED + '"]}}'), ESCAPED),
    "in percents": (echo("".join(f"%{ord(letter):02X}" for letter in TOKEN)), "".join(f"%{ord(letter):02X}" for letter in TOKEN)),
    "in base64": (echo(base64.b64encode(TOKEN.encode()).decode()), base64.b64encode(TOKEN.encode()).decode()),
    "in base64 twice": (echo(TWICE), TWICE),
    "backwards": (echo(TOKEN[::-1]), TOKEN[::-1]),
    "most of it as an id": (answer(201, json.dumps({"id": TOKEN[:24]})), TOKEN[:24]),
    "in capitals": (echo(TOKEN.upper()), TOKEN.upper()),
    "at the cut": (answer(400, json.dumps({"errors": {"token": ["x" * 480 + TOKEN]}})), TOKEN[:20]),
    "as an id": (answer(201, json.dumps({"id": TOKEN, "data": {"id": TOKEN}})), TOKEN),
    "in a conflict": (answer(409, json.dumps({"conflict": {"reason": TOKEN}, "errors": {"a": [TOKEN]}})), TOKEN),
}
# The name of a reading that nobody has sent.
ANOTHER = "00000000-0000-4000-8000-0000000000ff"
# What answers, and what becomes of the reading: "kept" waits, "gone" is delivered, "dead" is refused for good.
CASES = {
    "stored": (lambda: answer(201, '{"id":"1"}'), "gone"),
    "stored, without a word": (lambda: answer(204, ""), "gone"),
    "refused": (lambda: answer(422, '{"errors":{"metrics":["is wrong"]}}'), "dead"),
    "a page as success": (lambda: answer(200, PAGE, HTML), "kept"),
    "success without a body": (lambda: answer(201, ""), "kept"),
    "a list as success": (lambda: answer(201, "[]"), "kept"),
    "a text as success": (lambda: answer(201, '"ok"'), "kept"),
    "success that lists errors": (lambda: answer(200, '{"errors":{"metrics":["is wrong"]}}'), "kept"),
    "success that is said to have failed": (lambda: answer(200, '{"id":"1","success":false}'), "kept"),
    "success with an error's status": (lambda: answer(200, '{"data":{"id":"1"},"status":503}'), "kept"),
    "errors in the data": (lambda: answer(200, '{"data":{"id":"1","errors":["bad"]}}'), "kept"),
    "errors twice": (lambda: answer(200, '{"errors":[],"errors":["bad"]}'), "kept"),
    "a part": (lambda: answer(206, '{"id":"1"}', "Content-Range: bytes 0-9/99"), "kept"),
    "several answers": (lambda: answer(207, '{"results":[{"status":422,"errors":{"a":["b"]}}]}'), "kept"),
    "a network's own": (lambda: answer(200, '{"captive":true,"user-portal-url":"https://login.example"}'), "kept"),
    "another's name": (lambda: answer(201, '{"id":"1","log_id":"%s"}' % ANOTHER), "kept"),
    "another's name in a list": (lambda: answer(201, '{"data":[{"id":"1","log_id":"%s"}]}' % ANOTHER), "kept"),
    "another's name as well": (lambda: answer(201, '{"data":{"id":"1"},"data":{"log_id":"%s"}}' % ANOTHER), "kept"),
    "another's conflict": (lambda: answer(409, '{"errors":["x"],"data":{"log_id":"%s"}}' % ANOTHER), "kept"),
    "an older revision": (lambda: answer(200, '{"data":{"id":"1","revision":0}}'), "kept"),
    "a cloud's 400": (lambda: answer(400, '{"message":"Bad Request"}'), "kept"),
    "a cloud's 401": (lambda: answer(401, '{"message":"Unauthorized"}'), "kept"),
    "a cloud's 413": (lambda: answer(413, '{"message":"Request Too Long"}'), "kept"),
    "half an object": (lambda: answer(201, '{"id":"1"'), "kept"),
    "a redirect": (lambda: answer(302, "", "Location: http://127.0.0.1:1/"), "kept"),
    "a proxy's 404": (lambda: answer(404, PAGE, HTML), "kept"),
    "a cloud's 404": (lambda: answer(404, '{"message":"no Route matched with those values"}'), "kept"),
    "a proxy's 400": (lambda: answer(400, PAGE, HTML), "kept"),
    "a proxy's 401": (lambda: answer(401, PAGE, HTML), "kept"),
    "a proxy's 413": (lambda: answer(413, PAGE, HTML), "kept"),
    "a proxy's 422": (lambda: answer(422, PAGE, HTML), "kept"),
    "a proxy's 403": (lambda: answer(403, PAGE, HTML), "kept"),
    "a proxy's 502": (lambda: answer(502, PAGE, HTML), "kept"),
    "a wait of years": (lambda: answer(503, "{}", "Retry-After: 99999999999999999999"), "kept"),
    "a status that is none": (lambda: answer(999), "kept"),
    "no HTTP": (lambda: b"SSH-2.0-OpenSSH_9.2\r\n", "kept"),
    "nothing": (lambda: None, "kept"),
    "a torn answer": (lambda: iter([b"HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{\"id\":\"1\"}"]), "kept"),
    "an endless body": (endless(b"x" * 65_536, b"HTTP/1.1 201 Created\r\n\r\n"), "kept"),
    "endless fields": (endless(b"X: " + b"x" * 4096 + b"\r\n"), "kept"),
    "endless chunks": (endless(b"1000\r\n" + b" " * 4096 + b"\r\n", b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n"), "kept"),
    "a deep object": (lambda: answer(201, '{"a":' * 50_000), "kept"),
}
SLOW = {
    "answers that are not yet": (drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "kept"),
    "a body drop by drop": (drip(b"HTTP/1.1 201 Created\r\nContent-Length: 999\r\n\r\n", b" "), "kept"),
    "a head drop by drop": (drip(b"HTTP/1.1 201 Created\r\n", b"X"), "kept"),
}
QUICK = ["stored", "refused", "a page as success", "success that lists errors", "another's name", "a cloud's 401", "a proxy's 404", "a proxy's 401", "a torn answer",
         "an endless body"]


def lie(part, case):
    """One reading meets a receiver that lies, and then an honest one."""
    name, (make, expected) = case
    is_honest = []
    receiver = Receiver(
        lambda request: honest(request) if is_honest or request.method == "GET" else make())
    gateway = Gateway(part, name.replace(" ", "-").replace("'", ""))
    gateway.begin(receiver.url)
    gateway.run(["submit", "record", "-", "--json"], documents([1]))
    entries = gateway.queue()
    states = [entry["state"].split(":")[0] for entry in entries or []]
    is_there = {"gone": states == [], "dead": states == ["dead"], "kept": states in (["pending"], ["inFlight"])}
    part.check(is_there[expected], f"{name}: the reading is {states or 'gone'}, and should be {expected}")
    user = (json.loads(gateway.run(["session", "--json"]).stdout or "{}")).get("user")
    part.check(user == "ada", f"{name}: the session has ended")
    if expected == "kept":
        is_honest.append(True)
        gateway.run(["queue", "flush"])
        part.check(gateway.queue() == [], f"{name}: the reading does not arrive at an honest receiver")
        stored = receiver.stored()
        part.check(len(stored) == 1 and all(len(each) == 1 for each in stored.values()), f"{name}: it arrived changed, or twice")
    receiver.close()


def repeat(part, case):
    """A receiver says the token; nobody else may."""
    name, (said, secret) = case
    receiver = Receiver(lambda request: honest(request) if request.method == "GET" else said)
    gateway = Gateway(part, "echo-" + name.replace(" ", "-").replace(",", "").replace("'", ""))
    gateway.begin(receiver.url)
    for arguments, given in [
            (["submit", "record", "-", "--json"], documents([1])), (["queue", "flush"], None), (["queue", "list", "--json"], None),
            (["queue", "list"], None), (["events", "--after", "0"], None), (["doctor", "--json"], None)]:
        gateway.run(arguments, given)
    secrets = {TOKEN, secret}
    part.check(not any(each in said for said in gateway.said for each in secrets), f"token {name}: an output has it")
    for file in filter(lambda file: file.is_file(), gateway.state.rglob("*")):
        data = file.read_bytes()
        part.check(not any(each.encode() in data for each in secrets), f"token {name}: {file.name} has it")
    receiver.close()


def number_as_id(part, body):
    """An id that is a number is an id: an image of the record finds its place."""
    receiver = Receiver(lambda request: answer(201, body) if "/data/" in request.path else honest(request))
    gateway = Gateway(part, "id-" + str(abs(hash(body))))
    gateway.begin(receiver.url)
    gateway.run(["submit", "record", "-", "--json"], documents([1]))
    picture = gateway.folder / "picture.png"
    # The smallest PNG.
    picture.write_bytes(base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
    log_id = "00000000-0000-4000-8000-000000000001"
    gateway.run(["submit", "image", log_id, str(picture), "--json"])
    gateway.run(["queue", "flush"])
    places = [urllib.parse.unquote(request.path) for request in receiver.requests if request.path.endswith("/media")]
    part.check(any("/records/70812/media" in place for place in places), f"{body}: the image went to {places or 'nobody'}")
    receiver.close()


def main():
    part = Part("receivers")
    cases = {name: CASES[name] for name in QUICK} if part.quick else {**CASES, **SLOW}
    part.each(cases.items(), lambda case: lie(part, case))
    echoes = list(ECHOES.items())
    part.each(echoes[:4] if part.quick else echoes, lambda case: repeat(part, case))
    part.each(['{"id":70812}', '{"data":{"id":70812}}'][: 1 if part.quick else 2], lambda body: number_as_id(part, body))
    part.end()


if __name__ == "__main__":
    main()
