"""The dialect of OpenAI's responses."""
import json

NAME = "responses"


def speaks(path):
    return path.endswith("/responses")


def text_of(content):
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [] if isinstance(part, dict))


def names(tools, space=""):
    """Every tool by the name under which it is called; tools of a server may stand in a namespace."""
    for tool in tools or []:
        if tool.get("type") == "namespace":
            yield from names(tool.get("tools"), tool["name"] + "_")
        elif "name" in tool:
            yield space + tool["name"], {**tool, "space": space}


def read(body, request):
    request.tools = dict(names(body.get("tools")))
    request.pieces.append(body.get("instructions") or "")
    items = body.get("input") or []
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
        if item.get("type", "message") == "message":
            text = text_of(item.get("content"))
            request.pieces.append(text)
            if item["role"] == "user":
                request.prompt, request.results = text, []
        elif item.get("type") == "function_call_output":
            output = item.get("output")
            request.results.append(output if isinstance(output, str) else text_of(output) or json.dumps(output))
            request.pieces.append(request.results[-1])


def answer(handler, body, text, call):
    number = len(handler.server.requests)
    if call:
        tool = dict(names(body.get("tools"))).get(call.name, {})
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": tool.get("name", call.name),
                "arguments": json.dumps(call.arguments), "status": "completed"}
        if tool.get("space"):
            item["namespace"] = tool["space"].removesuffix("_")
    else:
        part = {"type": "output_text", "text": text or "", "annotations": []}
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [part]}
    usage = {"input_tokens": 100, "output_tokens": 5, "total_tokens": 105, "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}
    response = {"id": f"resp_{number}", "object": "response", "created_at": 0, "model": body.get("model"), "status": "in_progress", "output": []}
    done = {**response, "status": "completed", "output": [item], "usage": usage}
    if not body.get("stream"):
        return handler.send(200, done)
    events = [{"type": "response.created", "response": response}]
    opened = {**item, "status": "in_progress", **({"arguments": ""} if call else {"content": []})}
    events.append({"type": "response.output_item.added", "output_index": 0, "item": opened})
    if call:
        events.append({"type": "response.function_call_arguments.delta", "item_id": item["id"], "output_index": 0, "delta": item["arguments"]})
        events.append({"type": "response.function_call_arguments.done", "item_id": item["id"], "output_index": 0, "arguments": item["arguments"]})
    else:
        place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        events.append({"type": "response.content_part.added", **place, "part": {**part, "text": ""}})
        events.append({"type": "response.output_text.delta", **place, "delta": part["text"]})
        events.append({"type": "response.output_text.done", **place, "text": part["text"]})
        events.append({"type": "response.content_part.done", **place, "part": part})
    events.append({"type": "response.output_item.done", "output_index": 0, "item": item})
    events.append({"type": "response.completed", "response": done})
    handler.stream([(event["type"], {**event, "sequence_number": at}) for at, event in enumerate(events)])
