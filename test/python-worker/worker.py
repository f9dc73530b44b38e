#!/usr/bin/env python3
"""A worker of Proctor in the standard library of Python: an example for authors of other workers.

It has one slot, and executes any program that takes autopkgtest's command line and fills its output directory, without a
sandbox of its own. docs/wire-protocol.md is all that it was written by. What a worker for daily use has besides: it
keeps its results on disk, connects again, builds images, limits logs, and executes canary tests.

  worker.py --arch amd64 --suite bookworm --backend null --variant stub CREDENTIALS RUNNER [ARGUMENT ...]
"""

import argparse
import base64
import glob
import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid

from nats_client import NatsClient, Refused

VERDICTS = {0: "pass", 2: "pass", 4: "fail", 6: "fail", 8: "neutral", 12: "fail", 14: "fail"}
MESSAGES = {"pass": "all tests passed", "neutral": "no test was executed", "fail": "a test failed"}
CHUNK_BYTES = 64 * 1024
POLL_S = 0.2
DEATH_WAIT_S = 30
RESEND_FIRST_S, RESEND_MAX_S = 5, 60
LOWER_EPOCH_WAIT_S, LOWER_ANSWERS_MIN = 15, 3


class Worker:
    def __init__(self, options):
        with open(options.credentials, encoding="utf-8") as file:
            credentials = json.load(file)
        self.options = options
        options.name = credentials["name"]
        self.identity = {"worker": options.name, "incarnation": str(uuid.uuid4()), "slot": 0}
        self.nats = NatsClient(credentials)
        self.nats.subscribe(f"proctor.signal.{options.arch}.work-waiting", self.on_work_waiting)
        self.nats.subscribe(f"proctor.worker.{options.name}.recorded", self.on_recorded)
        self.nats.subscribe(f"proctor.worker.{options.name}.stop", self.on_stop)
        self.highest_epoch = 0
        # Answers of lower epochs since the last other one: how many, and since when.
        self.lower_answers, self.lower_since = 0, 0.0
        self.work_may_wait = False
        self.ending = False
        # Of the attempt that is executed: why it has to stop, and the dispatcher's word on its result.
        self.fence = None
        self.stop_reason = None
        self.answer = None
        self.canary = None
        self.renewal = ""

    def run(self):
        """Takes work until SIGTERM."""
        signal.signal(signal.SIGTERM, lambda *_: setattr(self, "ending", True))
        while not self.ending:
            self.work_may_wait = False
            reply = self.ask()
            if reply and reply["lease"]:
                self.execute(reply["lease"])
                continue
            pause_s = reply["askAgainMs"] / 1000 if reply else 2
            self.wait(pause_s, lambda: self.work_may_wait or self.ending)

    def ask(self):
        """Asks for work. None: no dispatcher has answered, or none that counts.

        An answer that comes too late is not looked at: a slot that asks again is answered the same lease.
        """
        options = self.options
        body = {
            **self.identity,
            "ask": str(uuid.uuid4()),
            "testbeds": [{"suite": options.suite, "backend": options.backend, "state": "ready"}],
            "variants": [options.variant],
        }
        if self.canary:
            body["canary"] = self.canary
        try:
            reply = self.request("lease", body)
        except Refused as error:
            say(f"no work: {error}")
            return None
        if not self.accepts(reply):
            if reply["lease"]:
                self.give_back(fence_of(reply["lease"]), "its dispatcher was replaced")
            return None
        self.canary = None
        if reply.get("canary"):
            message = "this worker has no canary test"
            self.canary = {"canary": reply["canary"]["canary"], "passed": False, "message": message}
        return reply

    def execute(self, lease):
        """One attempt, from its lease until its result is in the books."""
        self.fence = fence_of(lease)
        self.stop_reason = self.answer = None
        self.title = f"run {lease['runId']} attempt {lease['attempt']}"
        say(f"{self.title}: {lease['package']} begins")
        with tempfile.TemporaryDirectory(prefix="python-worker-") as folder:
            self.output = os.path.join(folder, "out")
            begun = time.monotonic()
            code = self.supervise(lease)
            if self.stop_reason is None and not self.ending:
                self.report(lease, code, round(time.monotonic() - begun))
            else:
                say(f"{self.title} was ended: {self.stop_reason or 'the worker stops'}")
                if self.stop_reason is None:
                    self.give_back(self.fence, "the worker stops")

    def supervise(self, lease):
        """Runs the test runner, streams its log and keeps the lease. Returns the exit code; None: a signal ended it."""
        self.chunk = self.offset = 0
        self.unsent = b""
        command = [*self.options.runner, "--output-dir", self.output]
        if lease["trigger"] is not None:
            command.append(f"--env=ADT_TEST_TRIGGERS={lease['trigger']}")
        command += [lease["package"], "--", "null"]
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            self.report_start()
            self.renew_at = time.monotonic() + lease["renewEveryMs"] / 1000
            while process.poll() is None and not self.stop_reason and not self.ending:
                self.nats.pump(POLL_S)
                self.renew_in_time(lease)
                self.stream_log()
                if self.version() in lease["rejectedVersions"]:
                    break
        finally:
            kill(process)
        if not self.stop_reason and not self.ending:
            self.stream_log()
        return process.returncode if process.returncode >= 0 else None

    def report_start(self):
        """Sent once: losing it delays nothing but what people see."""
        try:
            self.publish_report("started", self.fence)
        except Refused as error:
            say(f"{self.title}: its start was not reported: {error}")

    def report(self, lease, code, seconds):
        """Uploads the log, and repeats the report until the dispatcher has answered."""
        log = gzip.compress(self.log_from(0), mtime=0)
        name = "log.gz"
        file = {"name": name, "size": len(log), "sha256": hashlib.sha256(log).hexdigest()}
        report = {**self.fence, **self.judge(lease, code), "durationSeconds": seconds, "files": [file]}
        staged = f"{self.grant_name('/')}/{name}"
        say(f"{self.title}: {report['verdict']}")
        uploaded, pause_s = False, RESEND_FIRST_S
        while True:
            try:
                if not uploaded:
                    self.nats.put_file(f"proctor.staging.{self.options.name}", staged, log)
                uploaded = True
                self.publish_report("finished", report)
            except Refused as error:
                say(f"{self.title}: not delivered yet: {error}")
            # The result counts as long as no other worker was granted the run: the lease is renewed until the answer.
            self.wait(pause_s, lambda: self.answer or self.stop_reason, lease)
            if self.answer == "upload-again":
                uploaded, pause_s, self.answer = False, RESEND_FIRST_S, None
            elif self.answer or self.stop_reason:
                say(f"{self.title}: {self.answer or self.stop_reason}")
                return
            else:
                pause_s = min(2 * pause_s, RESEND_MAX_S)

    def judge(self, lease, code):
        version = self.version()
        if version is not None and version in lease["rejectedVersions"]:
            where = f"{lease['suite']}/{lease['arch']}"
            message = f"version {version} of {lease['package']} is on the reject list for {where}"
            return {"verdict": "fail", "message": message, "exitCode": code, "version": version}
        verdict = VERDICTS.get(code, "tmpfail")
        message = MESSAGES.get(verdict, f"the test runner ended with {code}")
        return {"verdict": verdict, "message": message, "exitCode": code, "version": version}

    def version(self):
        """Of the tested package, once the test runner knows it."""
        try:
            with open(os.path.join(self.output, "testpkg-version"), encoding="utf-8") as file:
                line = file.readline()
        except FileNotFoundError:
            return None
        words = line.split()
        return words[1] if line.endswith("\n") and len(words) == 2 else None

    def stream_log(self):
        """Publishes what the log has grown by. A chunk that may not have arrived is sent again with the same bytes."""
        while True:
            self.unsent = self.unsent or self.log_from(self.offset, CHUNK_BYTES)
            if not self.unsent:
                return
            data = base64.b64encode(self.unsent).decode()
            body = {"chunk": self.chunk, "offset": self.offset, "data": data}
            try:
                self.nats.publish_durably(
                    self.log_subject(),
                    json.dumps(body).encode(),
                    {"Nats-Msg-Id": f"{self.grant_name('.')}.{self.chunk}"},
                )
            except Refused as error:
                say(f"{self.title}: its log waits: {error}")
                return
            self.chunk += 1
            self.offset += len(self.unsent)
            self.unsent = b""

    def log_from(self, offset, size=-1):
        try:
            with open(os.path.join(self.output, "log"), "rb") as file:
                file.seek(offset)
                return file.read(size)
        except FileNotFoundError:
            return b""

    def log_subject(self):
        return f"proctor.log.{self.options.name}.{self.grant_name('.')}"

    def grant_name(self, separator):
        return separator.join(str(number) for number in self.fence.values())

    def renew_in_time(self, lease):
        if time.monotonic() < self.renew_at:
            return
        self.renew_at = time.monotonic() + lease["renewEveryMs"] / 1000
        subject = self.request_subject("renew")
        self.nats.forget(self.renewal)
        body = json.dumps({**self.identity, **self.fence}).encode()
        self.renewal = self.nats.ask(subject, body, {}, self.on_renewed)

    def on_renewed(self, headers, payload):
        if headers.startswith(b"NATS/1.0 503"):
            return
        reply = json.loads(payload)
        if "instruction" in reply and self.accepts(reply) and reply["instruction"] == "stop":
            self.stop(reply)

    def on_stop(self, _subject, _headers, payload):
        self.stop(json.loads(payload))

    def stop(self, order):
        """Does nothing when another grant is meant."""
        if self.fence and fence_of(order) == self.fence:
            self.stop_reason = order.get("reason", "the lease is gone")

    def on_recorded(self, _subject, _headers, payload):
        signal = json.loads(payload)
        if self.fence and fence_of(signal) == self.fence:
            self.answer = signal["answer"]

    def on_work_waiting(self, _subject, _headers, _payload):
        self.work_may_wait = True

    def give_back(self, fence, reason):
        try:
            self.request("return", {**self.identity, **fence, "reason": reason})
        except Refused as error:
            say(f"a lease was not taken back, it will expire: {error}")

    def request(self, verb, body):
        reply = self.nats.request(self.request_subject(verb), body)
        if "error" in reply:
            raise Refused(f"{verb}: {reply['error']}")
        return reply

    def request_subject(self, verb):
        return f"proctor.rpc.{self.options.arch}.{self.options.name}.{verb}"

    def publish_report(self, kind, report):
        body = json.dumps({**self.identity, **report}).encode()
        whose = f"{self.options.arch}.{self.options.name}"
        subject = f"proctor.report.{whose}.{kind}.{self.grant_name('.')}"
        try:
            self.nats.publish_durably(subject, body)
        except Refused as error:
            # One that was published before waits still.
            if "per subject" not in str(error):
                raise

    def accepts(self, reply):
        """False for the answer of a dispatcher that was replaced."""
        if reply["epoch"] < self.highest_epoch and not self.is_restored():
            return False
        self.highest_epoch, self.lower_answers = reply["epoch"], 0
        return True

    def is_restored(self):
        """Whether only lower epochs came for a while: the database was restored to an earlier moment."""
        if self.lower_answers == 0:
            self.lower_since = time.monotonic()
        self.lower_answers += 1
        waited_s = time.monotonic() - self.lower_since
        return waited_s >= LOWER_EPOCH_WAIT_S and self.lower_answers >= LOWER_ANSWERS_MIN

    def wait(self, seconds, is_over, lease=None):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not is_over():
            self.nats.pump(POLL_S)
            if lease:
                self.renew_in_time(lease)


def fence_of(message):
    """What says which grant a message is about; names have it in this order."""
    return {key: message[key] for key in ("runId", "attempt", "grantEpoch")}


def kill(process):
    """Ends the test runner with all of its process group. TimeoutError: a process of it does not die."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    # The signal is sent to all at once, but each dies in its own time.
    end = time.monotonic() + DEATH_WAIT_S
    while is_alive(process.pid):
        if time.monotonic() > end:
            raise TimeoutError(f"process group {process.pid} is alive {DEATH_WAIT_S} s after SIGKILL")
        time.sleep(0.01)


def is_alive(group):
    """Whether a process of the group is more than a zombie."""
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                state, _parent, its_group = file.read().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(its_group) == group and state not in "ZX":
            return True
    return False


def say(line):
    print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description="A worker of Proctor.")
    for option in ("arch", "suite", "backend", "variant"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("credentials")
    parser.add_argument("runner", nargs=argparse.REMAINDER)
    Worker(parser.parse_args()).run()


if __name__ == "__main__":
    sys.exit(main())
