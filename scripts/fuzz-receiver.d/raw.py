"""Sends what no client library would: requests that two readers may understand differently, cut at every place and bent at random ones.
Each must be answered by a refusal, or not at all, and the connection must end. Arguments: the receiver's URL, how many are bent."""
import random
import socket
import sys
import urllib.parse

address = urllib.parse.urlsplit(sys.argv[1])
HEAD = b"POST /connect/provider/data/measurements HTTP/1.1\r\n"
HOST = b"Host: localhost\r\n"
# What is sent, and the status that it must have.
FIXED = [
    (b"GET /healthz HTTP/1.1\r\n\r\n", 400),
    (b"GET /healthz HTTP/1.1\r\n" + HOST + HOST + b"\r\n", 400),
    (HEAD + HOST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400),
    (HEAD + HOST + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    (HEAD + HOST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
    (HEAD + HOST + b"Expect: wonders\r\nContent-Length: 1\r\n\r\nx", 417),
    (HEAD + HOST + b"A: " + b"a" * 40000 + b"\r\n\r\n", 431),
    # Answered before the body, which never comes.
    (HEAD + HOST + b"Content-Length: 1000000\r\n\r\nx", 401),
    (HEAD + HOST + b"Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n", 401),
    (b"HEAD /nowhere HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n", 404),
]


def exchange(request, half_close):
    """All that comes until the receiver ends the connection."""
    with socket.create_connection((address.hostname, address.port), timeout=30) as client:
        answer = b""
        try:
            client.sendall(request)
            if half_close:
                client.shutdown(socket.SHUT_WR)
            while True:
                part = client.recv(65536)
                if not part:
                    return answer
                answer += part
        except (ConnectionResetError, BrokenPipeError):
            return answer


def status(answer):
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else None


failed = False
for request, wanted in FIXED:
    answer = exchange(request, False)
    if status(answer) != wanted or (request.startswith(b"HEAD") and not answer.endswith(b"\r\n\r\n")):
        failed = True
        print(f"raw: {request[:120]!r} was answered with {answer[:120]!r}, not {wanted}")

generator = random.Random(7)
for _ in range(int(sys.argv[2])):
    bytes_ = bytearray(generator.choice(FIXED)[0][:2000])
    for _ in range(generator.randint(1, 4)):
        place = generator.randrange(len(bytes_))
        choice = generator.randrange(4)
        if choice == 0:
            bytes_[place] = generator.randrange(256)
        elif choice == 1:
            del bytes_[place:]
        elif choice == 2:
            bytes_[place:place] = bytes_[place:place + 20]
        else:
            bytes_[place:place] = generator.choice([b"\r\n", b"\n", b"\0", b":", b" ", b"0", b"\xff"])
        if not bytes_:
            bytes_ = bytearray(b"x")
    answer = exchange(bytes(bytes_), True)
    # What was bent back into a request for the receiver's state may succeed; nothing else has a place to store.
    if answer and (status(answer) is None or status(answer) in (500, 502, 503)):
        failed = True
        print(f"raw: {bytes(bytes_)[:200]!r} was answered with {answer[:120]!r}")
sys.exit(failed)
