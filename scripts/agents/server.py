"""A stand-in for the API of a model, on loopback: it answers in the dialect that it is asked in and keeps every request.

A script decides what the model says: a callable that takes a Request and returns a text, or a Call of a tool."""
import gzip, json, threading, zlib
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import chat, gemini, messages, responses

DIALECTS = [chat, responses, messages, gemini]


@dataclass
class Call:
    """A tool that the model wants to use."""
    name: str
    arguments: dict


@dataclass
class Request:
    """What reached the model: all of its text, what the user said last, the tools, and what tools answered since."""
    dialect: str
    path: str
    body: dict
    pieces: list = field(default_factory=list)
    tools: dict = field(default_factory=dict)
    prompt: str = ""
    results: list = field(default_factory=list)

    @property
    def text(self):
        return "\n".join(self.pieces)

    def tool(self, name):
        """The tool of memdir with this name: every agent puts something of its own before it."""
        ends = [tool for tool in self.tools if tool == name or tool.endswith(("_" + name, "-" + name, "/" + name, "." + name))]
        ours = [tool for tool in ends if "memdir" in tool]
        return (ours or ends or [None])[0]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, code, content, kind="application/json"):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(code)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_HEAD(self):
        self.send(200, b"")

    def do_GET(self):
        self.server.others.append(("GET", self.path))
        if self.path.split("?")[0].endswith("/models"):
            model = {"id": "stand-in", "object": "model", "name": "stand-in", "created": 0, "owned_by": "here"}
            return self.send(200, {"object": "list", "data": [model], "models": [model]})
        self.send(404, {"error": {"message": "there is nothing here"}})

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            raw = self.chunks()
        raw = {"gzip": gzip.decompress, "deflate": zlib.decompress}.get(self.headers.get("content-encoding"), bytes)(raw)
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        path = self.path.split("?")[0]
        dialect = next((dialect for dialect in DIALECTS if dialect.speaks(path)), None)
        if dialect is None:
            self.server.others.append(("POST", self.path))
            return self.send(404, {"error": {"message": "there is nothing here"}})
        request = Request(dialect.NAME, self.path, body)
        dialect.read(body, request)
        with self.server.lock:
            self.server.requests.append(request)
            answer = self.server.script(request)
        dialect.answer(self, body, answer if isinstance(answer, str) else None, answer if isinstance(answer, Call) else None)

    def chunks(self):
        data = b""
        while (size := int(self.rfile.readline().strip() or b"0", 16)):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def stream(self, events):
        """Server-sent events: pairs of an event's name, which may be empty, and its data."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, data in events:
            data = data if isinstance(data, str) else json.dumps(data)
            self.wfile.write((f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode())
        self.wfile.flush()
        self.close_connection = True


def serve(script):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.lock, server.requests, server.others, server.script = threading.Lock(), [], [], script
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
