"""A receiver behind the stream, written from docs/reference/nats.md and not from the code of the host: it proves whose a reading is, stores it,
and says so."""

import asyncio
import hashlib
import hmac
import json
import sqlite3
import ssl
import sys
import threading

import nats
from nats.errors import TimeoutError as NoMessages
from nats.js.api import DiscardPolicy, StreamConfig

from cluster import GATEWAY, ORGANIZATION

STREAM, CONSUMER = "READINGS", "receiver"


class Receiver:
    """Works on a thread of its own; each of its calls waits until it is done."""

    def __init__(self, cluster, database, token):
        self.cluster, self.path = cluster, database
        self.digest = hashlib.sha256(token.encode()).digest()
        # How many confirmations of what it stores are to be lost.
        self.losing = 0
        self.unproved = []
        self.consuming = None
        with sqlite3.connect(self.path) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS reading (log_id TEXT, revision INTEGER, content BLOB)")
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.call(self.connect())

    def call(self, task, limit=300):
        return asyncio.run_coroutine_threadsafe(task, self.loop).result(limit)

    async def connect(self):
        context = ssl.create_default_context(cafile=str(self.cluster.authority))
        self.connection = await nats.connect(
            self.cluster.addresses.split(","), tls=context, tls_handshake_first=True, inbox_prefix=b"_INBOX.receiver",
            nkeys_seed_str=self.cluster.receiver.seed, max_reconnect_attempts=-1, reconnect_time_wait=0.2,
            error_cb=self.ignore)
        self.stream = self.connection.jetstream(timeout=5)

    async def ignore(self, _):
        pass

    async def repeat(self, ask, seconds=180):
        """A cluster that looks for its leader does not answer."""
        end = self.loop.time() + seconds
        while True:
            try:
                return await ask()
            except Exception:
                if self.loop.time() > end:
                    raise
                await asyncio.sleep(0.3)

    def configuration(self, most):
        return StreamConfig(
            name=STREAM, subjects=["mh.*.*.r.>"], num_replicas=3, duplicate_window=120, discard=DiscardPolicy.NEW,
            max_msgs=most, deny_delete=True)

    def make_stream(self):
        self.call(self.repeat(lambda: self.stream.add_stream(self.configuration(-1))))

    def bound_stream(self, room):
        """Leaves room for so many further messages; for any number without one."""
        most = -1 if room is None else self.info().state.messages + room
        self.call(self.repeat(lambda: self.stream.update_stream(self.configuration(most))))

    def info(self):
        return self.call(self.repeat(lambda: self.stream.stream_info(STREAM)))

    def leader(self):
        return int(self.info().cluster.leader[1:])

    # Taking readings.

    def begin(self):
        self.consuming = asyncio.run_coroutine_threadsafe(self.consume(), self.loop)

    def end(self):
        """In the middle of whatever it does."""
        if self.consuming:
            self.consuming.cancel()
            self.consuming = None

    async def consume(self):
        while True:
            try:
                await self.take_batches()
            except Exception as error:  # A server that goes takes the question along; it is asked anew.
                print(f"nats-test: the receiver begins again: {type(error).__name__} {error}", file=sys.stderr, flush=True)
                await asyncio.sleep(0.2)

    async def take_batches(self):
        messages = await self.stream.pull_subscribe("mh.*.*.r.>", durable=CONSUMER, stream=STREAM)
        try:
            while True:
                try:
                    batch = await asyncio.wait_for(messages.fetch(200, timeout=1), 10)
                except NoMessages:
                    continue
                for message, outcome in zip(batch, self.store(batch)):
                    await self.settle(message, outcome)
        finally:
            await messages.unsubscribe()

    async def settle(self, message, outcome):
        try:
            if self.losing:
                self.losing -= 1
            else:
                await self.connection.publish(
                    message.headers["Meterhost-Confirm"],
                    json.dumps({"msg_id": message.headers["Nats-Msg-Id"], **outcome}).encode())
            await message.ack()
        except Exception:
            pass  # It comes again.

    def is_proved(self, message):
        name = message.headers["Nats-Msg-Id"]
        proved = f"{message.subject}\n{name}\n".encode() + message.data
        mac = hmac.new(self.digest, proved, hashlib.sha256).hexdigest()
        return (message.headers.get("Meterhost-User") == self.digest[:8].hex()
                and hmac.compare_digest(message.headers.get("Meterhost-Mac", ""), mac)
                and message.subject.startswith(f"mh.{ORGANIZATION}.{GATEWAY}.r."))

    def store(self, batch):
        """One transaction a batch; a reading that is there stays as it is."""
        outcomes = []
        with sqlite3.connect(self.path) as connection:
            for message in batch:
                if not self.is_proved(message):
                    self.unproved.append(message.subject)
                    outcomes.append({"outcome": "unauthorized", "reason": "unauthorized", "text": "not proved"})
                    continue
                record = json.loads(message.data)
                found = connection.execute("SELECT content FROM reading WHERE log_id = ?", (record["log_id"],)).fetchall()
                if not found:
                    connection.execute(
                        "INSERT INTO reading VALUES (?, ?, ?)", (record["log_id"], record["revision"], message.data))
                outcome = "unchanged" if found else "created"
                outcomes.append({"outcome": outcome, "id": record["log_id"]})
        return outcomes

    def stored(self):
        """Every row: the name and the record."""
        with sqlite3.connect(self.path) as connection:
            return [(name, json.loads(content)) for name, content in connection.execute("SELECT log_id, content FROM reading")]

    # Counting.

    def messages(self):
        """Each message of the stream: its name, and when the stream got it."""
        return self.call(self.all_messages(), limit=600)

    async def all_messages(self):
        found = []
        messages = await self.repeat(lambda: self.stream.pull_subscribe("mh.*.*.r.>", durable="counter", stream=STREAM))
        waiting = (await self.repeat(lambda: self.stream.stream_info(STREAM))).state.messages
        while len(found) < waiting:
            for message in await self.repeat(lambda: messages.fetch(500, timeout=5)):
                found.append((message.headers["Nats-Msg-Id"], message.metadata.timestamp))
                await message.ack()
        return found
