"""Puts 512 bytes again and again into persist-queue's SQLiteAckQueue from several threads, each put on disk when it
returns. Writes how long each took, in nanoseconds, and at last the seconds that all took.

Usage: submit_persistqueue.py FOLDER SUBMITTERS SECONDS WARM_UP_SECONDS
"""

import sqlite3
import sys
import threading
import time

import persistqueue

folder, submitters, seconds, warm_up = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
queue = persistqueue.SQLiteAckQueue(folder, auto_commit=True, multithreading=True)
# Equal durability only: 2 is FULL, which syncs the log at each commit.
assert sqlite3.connect(folder + "/data.db").execute("PRAGMA synchronous").fetchone()[0] == 2
payload = b"x" * 512
taken = [[] for _ in range(submitters)]
start = time.perf_counter() + warm_up
end = start + seconds


def submit(mine):
    while time.perf_counter() < start:
        queue.put(payload)
    now = time.perf_counter_ns()
    while time.perf_counter() < end:
        queue.put(payload)
        then, now = now, time.perf_counter_ns()
        mine.append(now - then)


threads = [threading.Thread(target=submit, args=(mine,)) for mine in taken]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
elapsed = time.perf_counter() - start
for mine in taken:
    for value in mine:
        print(value)
print(elapsed)
