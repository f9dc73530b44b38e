"""A NATS client of the few parts that a worker needs, over one socket and in one thread."""

import base64
import hashlib
import json
import select
import socket
import time
import uuid
from urllib.parse import urlsplit

from nkey import UserKey

ACK_TIMEOUT_S = 10


class Refused(Exception):
    """The other side answered that it did not do it, or no answer came in time."""


class NatsClient:
    """Messages are handled inside of pump(), which every waiting call does: handlers must not wait themselves."""

    def __init__(self, credentials: dict):
        """`credentials`: what a credentials file holds."""
        address = urlsplit(credentials["url"])
        self._socket = socket.create_connection((address.hostname, address.port or 4222), timeout=10)
        self._buffer = b""
        self._handlers = {}
        # The server lets a user receive answers only below its own name.
        self._inbox = f"_INBOX.{credentials['name']}.{uuid.uuid4().hex}"
        self._replies = {}
        key = UserKey(credentials["seed"])
        options = {
            "nkey": key.public,
            "sig": key.sign(self._greeting()["nonce"].encode()),
            "verbose": False,
            "pedantic": False,
            "name": credentials["name"],
            "lang": "python",
            "version": "1",
            "protocol": 1,
            # Without a listener a request is answered at once, with the status 503 in its headers.
            "headers": True,
            "no_responders": True,
        }
        self._send(b"CONNECT " + json.dumps(options).encode() + b"\r\n")
        self.subscribe(self._inbox + ".*", self._on_reply)

    def subscribe(self, subject: str, handler) -> None:
        """`handler(subject, headers, payload)`; `headers` are the raw bytes, empty when there are none."""
        sid = str(len(self._handlers) + 1)
        self._handlers[sid] = handler
        self._send(f"SUB {subject} {sid}\r\n".encode())

    def publish(self, subject: str, payload: bytes, headers: dict = None, reply: str = "") -> None:
        head = subject + (f" {reply}" if reply else "")
        if headers:
            lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            block = f"NATS/1.0\r\n{lines}\r\n".encode()
            size = f"{len(block)} {len(block) + len(payload)}"
            self._send(f"HPUB {head} {size}\r\n".encode() + block + payload + b"\r\n")
        else:
            self._send(f"PUB {head} {len(payload)}\r\n".encode() + payload + b"\r\n")

    def ask(self, subject: str, payload: bytes, headers: dict, on_reply) -> str:
        """`on_reply(headers, payload)` is called when the answer comes, if it comes, until forget() is."""
        token = uuid.uuid4().hex
        self._replies[token] = on_reply
        self.publish(subject, payload, headers, f"{self._inbox}.{token}")
        return token

    def forget(self, token: str) -> None:
        """An answer is no longer awaited."""
        self._replies.pop(token, None)

    def request(self, subject: str, body: dict, timeout_s: float = 5) -> dict:
        """Asks and waits. Raises Refused when no answer comes, or one without JSON."""
        return json.loads(self._wait_for_reply(subject, json.dumps(body).encode(), {}, timeout_s))

    def publish_durably(self, subject: str, payload: bytes, headers: dict = None) -> None:
        """Publishes into a stream: it is kept once this returns."""
        ack = json.loads(self._wait_for_reply(subject, payload, headers or {}, ACK_TIMEOUT_S))
        if "error" in ack:
            raise Refused(f"{subject}: {ack['error'].get('description')}")

    def put_file(self, area: str, name: str, content: bytes, chunk_size: int = 128 * 1024) -> None:
        """Puts a file into the worker's staging area: its chunks first, then what is known of it."""
        upload = uuid.uuid4().hex
        chunks = [content[at : at + chunk_size] for at in range(0, len(content), chunk_size)]
        for chunk in chunks:
            self.publish_durably(f"{area}.chunk.{upload}", chunk)
        record = {
            "upload": upload,
            "chunks": len(chunks),
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        token = base64.urlsafe_b64encode(name.encode()).rstrip(b"=").decode()
        self.publish_durably(f"{area}.file.{token}", json.dumps(record).encode())

    def pump(self, timeout_s: float) -> None:
        """Handles what has come; waits for something to come, but no longer than this."""
        if not self._handle_one():
            readable, _, _ = select.select([self._socket], [], [], timeout_s)
            if readable:
                data = self._socket.recv(65536)
                if not data:
                    raise ConnectionError("the NATS server has closed the connection")
                self._buffer += data
        while self._handle_one():
            pass

    def _wait_for_reply(self, subject: str, payload: bytes, headers: dict, timeout_s: float) -> bytes:
        replies = []
        token = self.ask(subject, payload, headers, lambda *reply: replies.append(reply))
        end = time.monotonic() + timeout_s
        while not replies:
            left = end - time.monotonic()
            if left <= 0:
                self.forget(token)
                raise Refused(f"{subject}: no answer within {timeout_s} s")
            self.pump(left)
        headers, payload = replies[0]
        if headers.startswith(b"NATS/1.0 503"):
            raise Refused(f"{subject}: no one listens")
        return payload

    def _greeting(self) -> dict:
        """What the server says first: INFO and JSON in one line."""
        while b"\r\n" not in self._buffer:
            self._buffer += self._socket.recv(65536)
        line, _, self._buffer = self._buffer.partition(b"\r\n")
        return json.loads(line[len("INFO "):])

    def _on_reply(self, subject: str, headers: bytes, payload: bytes) -> None:
        on_reply = self._replies.pop(subject.rsplit(".", 1)[1], None)
        if on_reply:
            on_reply(headers, payload)

    def _handle_one(self) -> bool:
        """Handles the first message of the buffer; false when it is not complete yet."""
        line, separator, rest = self._buffer.partition(b"\r\n")
        if not separator:
            return False
        words = line.decode().split(" ")
        kind = words[0].upper()
        if kind in ("MSG", "HMSG"):
            # MSG subject sid [reply] size; HMSG subject sid [reply] size-of-headers size
            size = int(words[-1])
            if len(rest) < size + 2:
                return False
            head = int(words[-2]) if kind == "HMSG" else 0
            self._buffer = rest[size + 2 :]
            self._handlers[words[2]](words[1], rest[:head], rest[head:size])
            return True
        self._buffer = rest
        if kind == "PING":
            self._send(b"PONG\r\n")
        elif kind == "-ERR":
            raise ConnectionError(f"the NATS server says: {line.decode()}")
        return True

    def _send(self, data: bytes) -> None:
        self._socket.sendall(data)
