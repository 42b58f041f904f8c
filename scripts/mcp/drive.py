"""Drives a server with the official Python client: every tool, resource and prompt, and the roots.

usage: drive.py MODE TRANSPORT   (MODE: auto, legacy or 2026-07-28; TRANSPORT: stdio or http)
"""

import asyncio
import os
import pathlib
import sys

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ListRootsResult, ResourceTemplateReference, Root

mode, kind = sys.argv[1:]
name = f"{mode}-{kind}"
home = os.environ["HOME"]
root = pathlib.Path(home) / f"root-py-{name}"
root.mkdir(exist_ok=True)


async def roots(_context):
    return ListRootsResult(roots=[Root(uri=root.as_uri(), name="root")])


def server():
    if kind == "stdio":
        environment = {"HOME": home}
        return StdioServerParameters(command=os.environ["MEMDIR"], args=["mcp", "--memory-tool"], env=environment, cwd=home)
    headers = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
    return streamable_http_client(os.environ["MCP_URL"], http_client=httpx2.AsyncClient(headers=headers, timeout=30))


async def drive():
    async with Client(server(), mode=mode, list_roots_callback=roots) as client:
        handshake = client.protocol_version < "2026-07-28"
        assert handshake == (mode == "legacy"), client.protocol_version
        tools = [tool.name for tool in (await client.list_tools()).tools if tool.name != "memory"]
        assert tools == ["search", "read", "save", "edit", "forget", "journal", "sessions"], tools

        async def call(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, (tool, result)
            return result

        saved = await call("save", name="zebra", description="about zebras", type="project", text="Zebras cross at dawn.")
        assert f"-root-py-{name}/memory/zebra.md" in saved.structured_content["paths"][0], saved
        found = await call("search", query="dawn", limit=3)
        assert found.structured_content["hits"][0]["uri"] == "memory://memories/zebra.md", found
        assert "Zebras cross at dawn" in (await call("read", uri="memory://memories/zebra.md")).content[0].text
        await call("edit", name="zebra", old="dawn", new="dusk")
        for arguments in [
            {"action": "start"}, {"action": "task", "title": "Count zebras"},
            {"action": "progress", "steps": ["look"], "check": ["1"]}, {"action": "recover"}, {"action": "stop"},
        ]:
            await call("journal", **arguments)
        await call("sessions")
        if kind == "stdio":
            await call("memory", command="view", path="/memories")
        assert (await client.call_tool("read", {"name": "no-such"})).is_error
        templates = (await client.list_resource_templates()).resource_templates
        assert templates[0].uri_template == "memory://memories/{+path}", templates
        contents = (await client.read_resource("memory://memories/zebra.md")).contents
        assert "Zebras cross at dusk" in contents[0].text, contents
        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["start", "stop", "status", "rebuild", "workspace", "user", "review"]
        for prompt in prompts:
            assert (await client.get_prompt(prompt.name)).messages
        if handshake or kind == "stdio":
            resources = (await client.list_resources()).resources
            assert any(resource.uri == "memory://memories/zebra.md" for resource in resources), resources
            reference = ResourceTemplateReference(type="ref/resource", uri="memory://memories/{+path}")
            completion = await client.complete(reference, {"name": "path", "value": "zeb"})
            assert completion.completion.values == ["zebra.md"], completion
        if handshake:
            await client.send_ping()
            await client.subscribe_resource("memory://memories/zebra.md")
        await call("forget", name="zebra")
    print(f"ok: Python {name}")


asyncio.run(asyncio.wait_for(drive(), 60))
