"""The dialect of OpenAI's chat completions."""
import json

NAME = "chat"


def speaks(path):
    return path.endswith("/chat/completions")


def text_of(content):
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [] if isinstance(part, dict))


def read(body, request):
    request.tools = {tool["function"]["name"]: tool["function"] for tool in body.get("tools") or [] if "function" in tool}
    for message in body.get("messages", []):
        text = text_of(message.get("content"))
        request.pieces.append(text)
        if message["role"] == "user":
            request.prompt, request.results = text, []
        elif message["role"] == "tool":
            request.results.append(text)


def answer(handler, body, text, call):
    message = {"role": "assistant", "content": text or ""}
    if call:
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        message["tool_calls"] = [{"index": 0, "id": f"call_{handler.server.requests.__len__()}", "type": "function", "function": function}]
    finish = "tool_calls" if call else "stop"
    common = {"id": "chatcmpl-1", "created": 0, "model": body.get("model", "stand-in")}
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return handler.send(200, {**common, "object": "chat.completion", "choices": [choice], "usage": usage})
    part = {**common, "object": "chat.completion.chunk"}
    handler.stream([
        ("", {**part, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
        ("", {**part, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": usage}),
        ("", "[DONE]"),
    ])
