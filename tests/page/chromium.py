"""Drives Chromium without a window, through its pipe of the DevTools protocol."""

import base64
import json
import os
import select
import shlex
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", "--no-first-run"]
MOST_SECONDS = 60


class Browser:
    """A browser with one tab."""

    def __init__(self, program):
        (ours_in, theirs_out), (theirs_in, ours_out) = os.pipe(), os.pipe()
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command = shlex.join([program, *FLAGS, f"--user-data-dir={self.profile.name}", "about:blank"])
        self.process = subprocess.Popen(
            ["bash", "-c", f"exec {command} 3<&{theirs_in} 4>&{theirs_out}"],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.to, self.come, self.buffer = ours_out, ours_in, b""
        self.last, self.session, self.problems = 0, None, []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "DOM"):
            self.send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.profile.cleanup()

    def send(self, method, **params):
        """Sends a command, and returns its result."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def receive(self):
        """The next message of the browser; what goes wrong on the page is kept."""
        end = time.monotonic() + MOST_SECONDS
        while b"\0" not in self.buffer:
            if not select.select([self.come], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.come, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
            self.problems.append(json.dumps(message["params"]))
        return message

    def open(self, address):
        """Goes to an address, anew even if it differs only behind the number sign."""
        self.problems = []
        self.send("Page.navigate", url="about:blank")
        self.wait("location.href === 'about:blank'")
        self.send("Page.navigate", url=address)

    def value(self, script):
        """The value of a script on the page."""
        found = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(f"{script}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def wait(self, script):
        """Waits until a script is true, and returns its value. It may fail while the page is loaded."""
        end = time.monotonic() + MOST_SECONDS
        script = f"(() => {{ try {{ return {script}; }} catch {{ return null; }} }})()"
        while time.monotonic() < end:
            if found := self.value(script):
                return found
            time.sleep(0.02)
        raise TimeoutError(f"{script} on: {self.value('document.body.innerText')}")

    def show(self, width, height, dark=False):
        """Sets the size of the window, and its colors."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self):
        """A screenshot, as PNG."""
        return base64.b64decode(self.send("Page.captureScreenshot")["data"])

    def press(self, key):
        """Presses a key."""
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def drop(self, path):
        """Drops a file or a folder on the page."""
        data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.send("Input.dispatchDragEvent", type=kind, x=100, y=100, data=data)

    def choose_file(self, selector, path):
        """Chooses a file for an input."""
        root = self.send("DOM.getDocument")["root"]["nodeId"]
        node = self.send("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.send("DOM.setFileInputFiles", nodeId=node, files=[str(path)])
