"""The dialect of Gemini's generateContent."""
import json

NAME = "gemini"


def speaks(path):
    return "/models/" in path and path.rsplit(":", 1)[-1] in ("generateContent", "streamGenerateContent", "countTokens")


def text_of(content):
    return "\n".join(part.get("text", "") for part in (content or {}).get("parts", []))


def read(body, request):
    declared = [tool for group in body.get("tools") or [] for tool in group.get("functionDeclarations", [])]
    request.tools = {tool["name"]: tool for tool in declared}
    request.pieces.append(text_of(body.get("systemInstruction")))
    for content in body.get("contents", []):
        text = text_of(content)
        request.pieces.append(text)
        results = [json.dumps(part["functionResponse"]) for part in content.get("parts", []) if "functionResponse" in part]
        request.results += results
        request.pieces += results
        if content.get("role") == "user" and not results:
            request.prompt, request.results = text, []


def answer(handler, body, text, call):
    if handler.path.split("?")[0].endswith(":countTokens"):
        return handler.send(200, {"totalTokens": 100})
    part = {"functionCall": {"name": call.name, "args": call.arguments}} if call else {"text": text or ""}
    if (body.get("generationConfig") or {}).get("responseMimeType") == "application/json":
        part = {"text": json.dumps({"next_speaker": "user", "reasoning": "done", "complexity_score": 1, "complexity_reasoning": "simple",
                                    "model_choice": "flash"})}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 5, "totalTokenCount": 105}
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "stand-in"}
    if "streamGenerateContent" not in handler.path:
        return handler.send(200, whole)
    handler.stream([("", whole)])
