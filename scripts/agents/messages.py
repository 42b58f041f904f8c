"""The dialect of Anthropic's messages."""
import json

NAME = "messages"


def speaks(path):
    return path.endswith("/messages")


def text_of(content):
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [] if part.get("type") == "text")


def read(body, request):
    request.tools = {tool["name"]: tool for tool in body.get("tools") or []}
    request.pieces.append(text_of(body.get("system")))
    for message in body.get("messages", []):
        text = text_of(message["content"])
        request.pieces.append(text)
        results = [part for part in message["content"] if isinstance(part, dict) and part.get("type") == "tool_result"]
        for result in results:
            request.results.append(text_of(result.get("content")))
            request.pieces.append(request.results[-1])
        if message["role"] == "user" and not results:
            request.prompt, request.results = text, []


def answer(handler, body, text, call):
    number = len(handler.server.requests)
    block = {"type": "text", "text": text or ""}
    if call:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": call.name, "input": call.arguments}
    stop = "tool_use" if call else "end_turn"
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body.get("model"), "content": [], "stop_reason": None,
               "stop_sequence": None, "usage": {"input_tokens": 100, "output_tokens": 5}}
    if not body.get("stream"):
        return handler.send(200, {**message, "content": [block], "stop_reason": stop})
    opened = {**block, **({"input": {}} if call else {"text": ""})}
    delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])} if call else {"type": "text_delta", "text": block["text"]}
    events = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": opened},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    handler.stream([(event["type"], event) for event in events])
