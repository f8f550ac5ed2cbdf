"""The official Python SDK, against a fake of its service.

Needs `E2B_API_URL`, `E2B_SANDBOX_URL` and `E2B_API_KEY` of a running `e2b-fake`,
and the `e2b` package of any version from 2.50 on. What the SDK believes it did is
compared with what it reads back; the bytes on the wire are the business of the
Rust tests.
"""

import os
import threading
import time
import unittest
import urllib.error
import urllib.request
import uuid
from importlib.metadata import version

import e2b
from e2b import CommandExitException, PtySize, Sandbox, SandboxQuery, SandboxState
from e2b.exceptions import (
    AuthenticationException,
    InvalidArgumentException,
    NotFoundException,
    SandboxException,
    TimeoutException,
)

# Later versions have narrower kinds of these.
FileMissing = getattr(e2b, "FileNotFoundException", NotFoundException)
SandboxMissing = getattr(e2b, "SandboxNotFoundException", NotFoundException)
NotRunning = getattr(e2b, "SandboxNotRunningException", TimeoutException)

NO_PID = 4_000_000
NO_SANDBOX = "i" + "0" * 20


def eventually(holds, seconds=10):
    """Whether something holds now or soon."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.03)
    return False


def everything(pages):
    found = []
    while pages.has_next:
        found += pages.next_items()
    return found


class WithSandbox(unittest.TestCase):
    """Tests that share a sandbox and have a directory each."""

    @classmethod
    def setUpClass(cls):
        cls.mark = uuid.uuid4().hex
        cls.notes = {"mark": cls.mark, "odd": "a b&c=d/é%+"}
        cls.sandbox = Sandbox.create(timeout=300, metadata=cls.notes, envs={"GIVEN": "at create"})
        cls.files = cls.sandbox.files
        cls.commands = cls.sandbox.commands

    @classmethod
    def tearDownClass(cls):
        cls.sandbox.kill()

    def setUp(self):
        self.place = f"/home/user/{self.id().rsplit('.', 1)[-1]}"
        self.files.make_dir(self.place)

    def at(self, name):
        return f"{self.place}/{name}"

    def read_bytes(self, name):
        return bytes(self.files.read(self.at(name), format="bytes"))


class ControlPlane(WithSandbox):
    def test_a_new_sandbox_runs_and_tells_what_it_is(self):
        self.assertTrue(self.sandbox.is_running())
        told = self.sandbox.get_info()
        self.assertEqual(told.sandbox_id, self.sandbox.sandbox_id)
        self.assertEqual(told.metadata, self.notes)
        self.assertEqual(told.state, SandboxState.RUNNING)
        self.assertLess(told.started_at, told.end_at)

    def test_lists_filter_by_metadata_and_state(self):
        def ids(**query):
            return [item.sandbox_id for item in everything(Sandbox.list(query=SandboxQuery(**query)))]

        own = [self.sandbox.sandbox_id]
        self.assertEqual(ids(metadata=self.notes), own)
        self.assertEqual(ids(metadata={"mark": "another"}), [])
        self.assertEqual(ids(metadata={"mark": self.mark}, state=[SandboxState.PAUSED]), [])
        self.assertEqual(ids(metadata={"mark": self.mark}, state=[SandboxState.RUNNING]), own)

    def test_lists_come_in_pages(self):
        page = {"page": self.mark}
        made = [Sandbox.create(timeout=60, metadata=page) for _ in range(3)]
        try:
            pages = Sandbox.list(query=SandboxQuery(metadata=page), limit=2)
            first = pages.next_items()
            self.assertEqual((len(first), pages.has_next), (2, True))
            found = {item.sandbox_id for item in first + everything(pages)}
            self.assertEqual(found, {sandbox.sandbox_id for sandbox in made})
        finally:
            for sandbox in made:
                sandbox.kill()

    def test_time_to_live_is_set_and_only_lengthened_by_connect(self):
        def left():
            return self.sandbox.get_info().end_at

        self.sandbox.set_timeout(900)
        long = left()
        Sandbox.connect(self.sandbox.sandbox_id, timeout=60)
        self.assertEqual(left(), long)
        self.sandbox.set_timeout(300)
        self.assertAlmostEqual((long - left()).total_seconds(), 600, delta=15)

    def test_connect_reaches_the_same_files(self):
        self.files.write(self.at("here"), "same")
        other = Sandbox.connect(self.sandbox.sandbox_id)
        self.assertEqual(other.files.read(self.at("here")), "same")

    def test_a_wrong_key_and_a_wrong_id_are_refused(self):
        with self.assertRaises(AuthenticationException):
            Sandbox.create(api_key="e2b_" + "0" * 40)
        for call in (Sandbox.connect, Sandbox.get_info):
            with self.assertRaises(SandboxMissing):
                call(NO_SANDBOX)
        with self.assertRaises(SandboxMissing):
            Sandbox.set_timeout(NO_SANDBOX, 10)
        self.assertFalse(Sandbox.kill(NO_SANDBOX))


class Files(WithSandbox):
    def test_what_is_written_is_read(self):
        for name, data in {
            "empty": b"",
            "bytes": bytes(range(256)) * 9,
            "large": os.urandom(1 << 16) * 50,
            "with space": b"1",
            "100%25+#&=?.txt": b"2",
            "naïve-日本": b"3",
            "new/directories/deep": b"4",
        }.items():
            with self.subTest(name):
                written = self.files.write(self.at(name), data)
                self.assertEqual(written.path, self.at(name))
                self.assertEqual(self.read_bytes(name), data)
        self.files.write(self.at("bytes"), "shorter")
        self.assertEqual(self.files.read(self.at("bytes")), "shorter")

    def test_ways_to_send_and_to_fetch_give_the_same(self):
        data = b"the same, again and again; " * 5000
        self.files.write(self.at("raw"), data, use_octet_stream=True)
        self.files.write(self.at("zipped"), data, gzip=True)
        self.files.write_files([{"path": self.at("one"), "data": data}, {"path": self.at("two"), "data": "2"}])
        for name in ("raw", "zipped", "one"):
            self.assertEqual(self.read_bytes(name), data, name)
        self.assertEqual(b"".join(self.files.read(self.at("raw"), format="stream")), data)
        self.assertEqual(bytes(self.files.read(self.at("raw"), format="bytes", gzip=True)), data)

    def test_relative_paths_lead_home(self):
        written = self.files.write("from-home", "x")
        self.assertEqual(written.path, "/home/user/from-home")
        self.files.remove("from-home")
        self.assertFalse(self.files.exists("/home/user/from-home"))

    def test_lists_go_as_deep_as_asked(self):
        for name in ("b", "a/c", "a/d/e"):
            self.files.write(self.at(name), name)
        self.files.make_dir(self.at("empty"))

        def found(depth):
            return [entry.path[len(self.place) + 1 :] for entry in self.files.list(self.place, depth=depth)]

        self.assertEqual(found(1), ["a", "b", "empty"])
        self.assertEqual(found(2), ["a", "a/c", "a/d", "b", "empty"])
        self.assertEqual(self.files.list(self.at("empty")), [])

    def test_entries_say_what_a_path_is(self):
        self.files.write(self.at("file"), "12345")
        self.commands.run("mkdir directory; ln -s file link; chmod 750 directory", cwd=self.place)
        entry = self.files.get_info(self.at("file"))
        self.assertEqual((entry.name, entry.size, entry.type.value, entry.mode), ("file", 5, "file", 0o644))
        self.assertEqual((entry.permissions, entry.owner, entry.group), ("-rw-r--r--", "user", "user"))
        self.assertLess(abs(entry.modified_time.timestamp() - time.time()), 600)
        entry = self.files.get_info(self.at("directory"))
        self.assertEqual((entry.type.value, entry.permissions), ("dir", "drwxr-x---"))
        self.assertEqual(self.files.get_info(self.at("link")).symlink_target, self.at("file"))

    def test_notes_on_a_file_are_kept(self):
        notes = {"origin": "here", "count": "2"}
        self.assertEqual(self.files.write(self.at("noted"), "x", metadata=notes).metadata, notes)
        self.assertEqual(self.files.get_info(self.at("noted")).metadata, notes)

    def test_paths_are_made_moved_and_removed(self):
        self.assertTrue(self.files.make_dir(self.at("m/n")))
        self.assertFalse(self.files.make_dir(self.at("m/n")))
        self.files.write(self.at("m/n/file"), "moved")
        self.assertEqual(self.files.rename(self.at("m/n/file"), self.at("o/file")).path, self.at("o/file"))
        self.assertEqual(self.files.read(self.at("o/file")), "moved")
        self.assertFalse(self.files.exists(self.at("m/n/file")))
        for _ in range(2):
            self.files.remove(self.at("m"))
        self.assertFalse(self.files.exists(self.at("m")))

    def test_what_cannot_be_is_the_right_error(self):
        self.files.write(self.at("file"), "x")
        missing, file = self.at("missing"), self.at("file")
        for error, call in [
            (FileMissing, lambda: self.files.read(missing)),
            (FileMissing, lambda: self.files.list(missing)),
            (FileMissing, lambda: self.files.get_info(missing)),
            (FileMissing, lambda: self.files.rename(missing, file)),
            (FileMissing, lambda: self.files.watch_dir(missing)),
            (InvalidArgumentException, lambda: self.files.read(self.place)),
            (InvalidArgumentException, lambda: self.files.write(self.place, "x")),
            (InvalidArgumentException, lambda: self.files.list(file)),
            (InvalidArgumentException, lambda: self.files.make_dir(file)),
            (AuthenticationException, lambda: self.files.read(file, user="nobody-known")),
        ]:
            with self.assertRaises(error):
                call()

    def test_signed_urls_open_one_file_in_one_way(self):
        self.files.write(self.at("signed"), "open")

        def status(url, data=None, headers=None):
            target = os.environ["E2B_SANDBOX_URL"] + url[url.index("/files") :]
            address = {"E2b-Sandbox-Id": self.sandbox.sandbox_id, "E2b-Sandbox-Port": "49983"}
            request = urllib.request.Request(target, data, {**address, **(headers or {})})
            try:
                with urllib.request.urlopen(request, timeout=20) as answer:
                    return answer.status
            except urllib.error.HTTPError as error:
                return error.code

        url = self.sandbox.download_url(self.at("signed"), use_signature_expiration=60)
        self.assertEqual(status(url), 200)
        self.assertEqual(status(url.replace("signed", "another", 1)), 401)
        self.assertEqual(status("/files?path=" + self.at("signed")), 401)
        url = self.sandbox.upload_url(self.at("sent"))
        self.assertEqual(status(url, b"bytes", {"Content-Type": "application/octet-stream"}), 200)
        self.assertEqual(self.read_bytes("sent"), b"bytes")

    def test_changes_are_seen_until_the_watch_ends(self):
        watch = self.files.watch_dir(self.place)
        seen = set()

        def has(name, kind):
            seen.update((event.name, event.type.value) for event in watch.get_new_events())
            return (name, kind) in seen

        self.files.write(self.at("new"), "x")
        self.assertTrue(eventually(lambda: has("new", "create")), seen)
        self.files.remove(self.at("new"))
        self.assertTrue(eventually(lambda: has("new", "remove")), seen)
        watch.stop()
        with self.assertRaises(SandboxException):
            watch.get_new_events()


class Commands(WithSandbox):
    def test_outputs_and_exit_codes_come_back(self):
        done = self.commands.run("echo out; echo err >&2")
        self.assertEqual((done.stdout, done.stderr, done.exit_code), ("out\n", "err\n", 0))
        for command, code in {"echo before; exit 7": 7, "no-such-program": 127, "kill -9 $$": -1}.items():
            with self.assertRaises(CommandExitException) as raised:
                self.commands.run(command)
            self.assertEqual(raised.exception.exit_code, code, command)

    def test_output_is_whole_however_it_comes(self):
        lines = "".join(f"{number}\n" for number in range(1, 100_001))
        self.assertTrue(self.commands.run("seq 100000").stdout == lines)
        self.assertEqual(self.commands.run(r"printf '\303'; sleep 0.2; printf '\244'").stdout, "ä")

    def test_output_comes_while_the_command_runs(self):
        times = []
        command = "echo first; echo on-stderr >&2; sleep 1; echo second"
        seen = []
        begin = time.monotonic()
        self.commands.run(
            command,
            on_stdout=lambda text: times.append(time.monotonic() - begin),
            on_stderr=seen.append,
        )
        self.assertEqual(seen, ["on-stderr\n"])
        self.assertGreater(times[-1] - times[0], 0.8)

    def test_surroundings_are_those_asked_for(self):
        run = self.commands.run
        self.assertEqual(run("pwd; whoami; echo $GIVEN").stdout, "/home/user\nuser\nat create\n")
        self.assertEqual(run('pwd; echo "$X"', cwd="/tmp", envs={"X": "a b"}).stdout, "/tmp\na b\n")
        self.assertEqual(run("whoami; echo $HOME", user="root").stdout, "root\n/root\n")
        self.assertEqual(run("shopt -q login_shell && echo login").stdout, "login\n")
        with self.assertRaises(InvalidArgumentException):
            run("true", cwd="/no/such/place")

    def test_a_deadline_ends_a_command(self):
        mark = f"late-{self.mark}"
        with self.assertRaises(TimeoutException):
            self.commands.run(f"exec -a {mark} sleep 60", timeout=1)
        self.assertTrue(eventually(lambda: mark not in str(self.commands.list())))
        self.assertEqual(self.commands.run("sleep 0.2; echo ended", timeout=0).stdout, "ended\n")

    def test_input_is_written_and_ended(self):
        self.assertEqual(self.commands.run("cat; echo no input").stdout, "no input\n")
        reader = self.commands.run("cat", background=True, stdin=True)
        for line in ("one\n", "zwö\n"):
            self.commands.send_stdin(reader.pid, line)
        self.commands.close_stdin(reader.pid)
        self.assertEqual(reader.wait().stdout, "one\nzwö\n")
        with self.assertRaises(NotFoundException):
            self.commands.send_stdin(NO_PID, "x")

    def test_commands_are_listed_and_killed(self):
        sleeper = self.commands.run("sleep 60", background=True, envs={"Q": "1"}, cwd="/tmp")
        listed = [item for item in self.commands.list() if item.pid == sleeper.pid]
        shown = [(item.cmd, item.args, item.envs, item.cwd) for item in listed]
        self.assertEqual(shown, [("/bin/bash", ["-l", "-c", "sleep 60"], {"Q": "1"}, "/tmp")])
        self.assertTrue(sleeper.kill())
        with self.assertRaises(CommandExitException) as raised:
            sleeper.wait()
        self.assertEqual((raised.exception.exit_code, raised.exception.error), (-1, "signal: killed"))
        self.assertTrue(eventually(lambda: not self.commands.kill(sleeper.pid)))
        self.assertFalse(self.commands.kill(NO_PID))

    def test_a_command_is_left_and_found_again(self):
        command = f"until [ -e {self.at('go')} ]; do sleep 0.05; done; echo late; exit 4"
        left = self.commands.run(command, background=True)
        left.disconnect()
        found = self.commands.connect(left.pid)
        self.files.write(self.at("go"), "")
        with self.assertRaises(CommandExitException) as raised:
            found.wait()
        self.assertEqual((raised.exception.exit_code, raised.exception.stdout), (4, "late\n"))
        with self.assertRaises(NotFoundException):
            self.commands.connect(NO_PID)

    def test_commands_run_side_by_side(self):
        outputs = [None] * 8

        def run(number):
            outputs[number] = self.commands.run(f"sleep 0.2; echo {number}").stdout

        threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        self.assertEqual(outputs, [f"{number}\n" for number in range(8)])

    def test_a_terminal_is_typed_into(self):
        terminal = self.sandbox.pty.create(PtySize(rows=24, cols=80))
        shown = bytearray()
        follower = threading.Thread(target=lambda: terminal.wait(on_pty=shown.extend), daemon=True)
        follower.start()
        self.sandbox.pty.resize(terminal.pid, PtySize(rows=31, cols=101))
        self.sandbox.pty.send_stdin(terminal.pid, b"stty size; echo $TERM\n")
        self.assertTrue(eventually(lambda: b"31 101" in shown and b"xterm-256color" in shown), shown)
        self.sandbox.pty.send_stdin(terminal.pid, b"exit\n")
        follower.join(10)
        self.assertFalse(follower.is_alive())


class Lives(unittest.TestCase):
    def test_a_pause_keeps_what_there_was(self):
        sandbox = Sandbox.create(timeout=120)
        try:
            sandbox.files.write("kept", "kept")
            counter = sandbox.commands.run("sleep 60", background=True)
            self.assertTrue(sandbox.pause())
            self.assertFalse(sandbox.pause())
            self.assertEqual(sandbox.get_info().state, SandboxState.PAUSED)
            with self.assertRaises(NotRunning):
                sandbox.files.read("kept")
            again = Sandbox.connect(sandbox.sandbox_id)
            self.assertEqual(again.files.read("kept"), "kept")
            self.assertTrue(again.commands.kill(counter.pid))
        finally:
            sandbox.kill()

    def test_at_the_end_of_its_time_a_sandbox_is_gone_or_paused(self):
        gone = Sandbox.create(timeout=1)
        paused = Sandbox.create(timeout=1, lifecycle={"on_timeout": "pause"})
        self.assertTrue(eventually(lambda: not gone.is_running() and not paused.is_running()))
        with self.assertRaises(SandboxMissing):
            gone.get_info()
        self.assertEqual(paused.get_info().state, SandboxState.PAUSED)
        self.assertTrue(paused.kill())

    def test_a_killed_sandbox_is_not_running(self):
        sandbox = Sandbox.create(timeout=60)
        self.assertEqual((sandbox.kill(), sandbox.kill()), (True, False))
        self.assertFalse(sandbox.is_running())
        for call in (
            lambda: sandbox.files.read("x"),
            lambda: sandbox.files.list("/"),
            lambda: sandbox.commands.run("true"),
        ):
            with self.assertRaises(NotRunning):
                call()


if __name__ == "__main__":
    print(f"e2b {version('e2b')}", flush=True)
    unittest.main(verbosity=1)
