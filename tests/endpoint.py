"""A small local server that speaks the chat-completions protocol, plays by a policy, and errs on demand."""

import hashlib
import json
import re
import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import kit

#: The failures of the transport, and the answers that cannot be used, which the server knows.
TRANSPORT = ("timeout", "404", "408", "429", "500", "503", "json", "shape", "nested", "tokens")
WORDS = ("garbage", "illegal", "refusal", "tool", "arguments")


def draw(*what):
    """A number from 0 to 1 by a digest."""
    return int.from_bytes(hashlib.blake2b(repr(what).encode(), digest_size=6).digest()) / 2**48


class Server:
    """Answers by the digest of a conversation, so that the same conversation always gets the same answer.

    Attributes:
        rates: how often each failure happens.
        asked: the number of requests by conversation; `answered` those with a complete answer.
        made: the number of failures by kind.
    """

    def __init__(self, **rates):
        self.rates, self.asked, self.answered, self.made = rates, Counter(), Counter(), Counter()
        self.keys, self.bodies = set(), []
        self.lock = threading.Lock()

    def respond(self, body):
        """The status and the bytes of the answer to a request."""
        messages, tools = body["messages"], body.get("tools")
        text = json.dumps([messages, tools])
        with self.lock:
            self.bodies.append(body)
            count = self.asked[text]
            self.asked[text] += 1
        for kind in TRANSPORT:
            if draw(kind, text, count) < self.rates.get(kind, 0):
                with self.lock:
                    self.made[kind] += 1
                return self.failure(kind)
        with self.lock:
            self.answered[text] += 1
        return 200, self.answer(messages, tools, text)

    def failure(self, kind):
        if kind == "timeout":
            time.sleep(10)  # longer than the client waits
            return 200, b"{}"
        if kind.isdigit():
            return int(kind), json.dumps({"error": {"message": "busy, key sk-secret-0123456789"}}).encode()
        return 200, {
            "json": b'{"choices": [{"mess',
            "shape": b'{"choices": []}',
            "nested": b"[" * 100_000,
            "tokens": b'{"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": 1e999}}',
        }[kind]

    def answer(self, messages, tools, text):
        kind = next((kind for kind in WORDS if draw(kind, text) < self.rates.get(kind, 0)), None)
        if kind in ("tool", "arguments") and not tools:
            kind = "garbage"
        if kind:
            with self.lock:
                self.made[kind] += 1
        message, finish = {"role": "assistant", "content": None}, "stop"
        if kind == "refusal":
            message["refusal"] = "I cannot help with that."
        elif kind == "garbage":
            message["content"] = "<script>alert(1)</script> What a nice board!"
        elif tools:
            name, arguments = self.call(tools, kind, text)
            call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
            message["tool_calls"], finish = [call], "tool_calls"
        else:
            question = next(m["content"] for m in reversed(messages) if "legal actions: " in str(m["content"]))
            question = question if isinstance(question, str) else question[0]["text"]
            legal = kit.legal_in(question)
            chosen = legal[int(draw("choice", text) * len(legal))].partition(": ")[0]
            message["content"] = f"I think.\nAction: {chosen}"
            if kind == "illegal":
                taken = re.findall(
                    r"Action: (\S+)", " ".join(str(m["content"]) for m in messages if m["role"] == "assistant")
                )
                message["content"] = f"Action: {next((name for name in taken if name not in legal), chosen)}"
        used = {"prompt_tokens": len(text) // 4, "completion_tokens": 7, "total_tokens": 0}
        return json.dumps(
            {"choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": used}
        ).encode()

    def call(self, tools, kind, text):
        """The name and the arguments of a call."""
        tool = tools[int(draw("tool", text) * len(tools))]["function"]
        if kind == "tool":
            return "fly_to_the_moon", "{}"
        if kind == "arguments":
            return tool["name"], '{"line": '
        given = tool["parameters"]["properties"].items()
        chosen = {k: v["enum"][int(draw(k, text) * len(v["enum"]))] for k, v in given}
        return tool["name"], json.dumps(chosen)


@contextmanager
def endpoint(**rates):
    """A running server with such rates of failures: its address, and the `Server`."""
    server = Server(**rates)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            server.keys.add(self.headers["Authorization"])
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if not body:  # the client has left
                self.close_connection = True
                return
            status, data = server.respond(json.loads(body))
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                if status == 503:
                    self.send_header("Retry-After", "7")
                self.end_headers()
                self.wfile.write(data)
            except OSError:  # the client has left
                self.close_connection = True

        def log_message(self, *_):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_port}/v1", server
    finally:
        running.shutdown()
        running.server_close()
