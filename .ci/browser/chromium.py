"""Chromium without a window, driven over a pipe by its DevTools protocol: no package is needed besides the browser."""
import json, os, select, shutil, subprocess, tempfile, time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Key codes of the protocol.
CODES = {"Enter": 13, "Tab": 9, " ": 32, "Backspace": 8}


class CannotStart(Exception):
    """The browser is not installed, or does not run on this machine."""


def program():
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        raise CannotStart("Chromium is not installed (apt-get install chromium, or set CHROMIUM)")
    return found


class Browser:
    """A tab; calling it calls a method of the protocol."""

    def __init__(self, seconds=120):
        self.seconds, self.last, self.session, self.events, self.bytes = seconds, 0, None, [], b""
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # The browser reads commands from descriptor 3 and answers on 4.
        (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()
        command = f"exec \"$@\" 3<&{theirs_in} 4>&{theirs_out}"
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
                 "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--force-color-profile=srgb",
                 "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen(["sh", "-c", command, "sh", program(), *flags], pass_fds=(theirs_in, theirs_out),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in), os.close(theirs_out)
        self.out, self.input = ours_out, ours_in
        try:
            target = self("Target.createTarget", url="about:blank")["targetId"]
            self.session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Network", "Log", "Accessibility"):
                self(f"{domain}.enable")
        except (EOFError, OSError, TimeoutError) as error:
            self.close()
            raise CannotStart(f"{program()} does not start here: {error}") from error

    def receive(self):
        end = time.monotonic() + self.seconds
        while b"\0" not in self.bytes:
            if not select.select([self.input], [], [], max(end - time.monotonic(), 0))[0]:
                raise TimeoutError(f"no answer for {self.seconds} s")
            piece = os.read(self.input, 1 << 16)
            if not piece:
                raise EOFError("the browser has ended")
            self.bytes += piece
        message, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(message)

    def __call__(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, name):
        while True:
            for at, event in enumerate(self.events):
                if event.get("method") == name:
                    return self.events.pop(at)
            self.events.append(self.receive())

    def take(self, *names):
        """The events of these names, which are forgotten."""
        found = [event["params"] for event in self.events if event.get("method") in names]
        self.events = [event for event in self.events if event.get("method") not in names]
        return found

    def open(self, url):
        """Opens a page anew, even where only its fragment differs."""
        self.take("Page.loadEventFired")
        for address in ("about:blank", url):
            self("Page.navigate", url=address)
            self.wait("Page.loadEventFired")

    def js(self, expression):
        answer = self("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", str(answer)))
        return answer["result"].get("value")

    def press(self, key):
        text = {"Enter": "\r", " ": " "}.get(key, "")
        common = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": CODES[key]}
        self("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self("Input.insertText", text=text)

    def close(self):
        try:
            if self.session:
                self("Browser.close")
            else:
                self.process.kill()
        except (EOFError, OSError, RuntimeError, TimeoutError):
            self.process.kill()
        self.process.wait()
        os.close(self.out), os.close(self.input)
        self.folder.cleanup()
