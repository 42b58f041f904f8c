"""The agents that are run: their package, what makes each talk to the stand-in, and how a turn is asked for without a terminal.

`{url}` is the stand-in's address, `{prompt}` what the user says. Files lie below the home directory and are there before set-up."""
import json
from dataclasses import dataclass, field


@dataclass
class Agent:
    name: str
    package: str
    version: str
    program: str
    first: list
    later: list
    files: dict = field(default_factory=dict)
    env: dict = field(default_factory=dict)
    # The name by which memdir records what it did.
    author: str = ""
    # Whether memdir has the index and the recalled memory injected, by hooks or a plugin.
    injects: bool = True
    # Whether its sessions can be read by memdir.
    sessions: bool = True
    # Whether a session can go on without a terminal.
    resumes: bool = True
    # The form of a tool's name, where the model is given names alone and must ask for the rest.
    deferred: str = ""

    def __post_init__(self):
        self.author = self.author or self.name


CODEX = """# mine
model = "stand-in"
model_provider = "here"

[model_providers.here]
name = "here"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "STAND_IN_KEY"
"""

OPENCODE = """{
  // mine
  "$schema": "https://opencode.ai/config.json",
  "model": "here/stand-in",
  "small_model": "here/stand-in",
  "autoupdate": false,
  "share": "disabled",
  "provider": {
    "here": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "here",
      "options": { "baseURL": "{url}/v1", "apiKey": "none" },
      "models": { "stand-in": { "name": "stand-in" } }
    }
  }
}
"""

# Kilo adds this permission to its settings when it runs.
KILO = OPENCODE.rstrip()[:-1].rstrip() + ',\n  "permission": {\n    "bash": "allow"\n  }\n}\n'

CONTINUE = """name: mine
version: 1.0.0
schema: v1
# mine
models:
  - name: stand-in
    provider: openai
    model: stand-in
    apiBase: {url}/v1
    apiKey: none
    roles: [chat]
"""

PI = json.dumps({"providers": {"here": {"baseUrl": "{url}/v1", "api": "openai-completions", "apiKey": "none", "models": [
    {"id": "stand-in", "name": "stand-in", "reasoning": False, "input": ["text"], "contextWindow": 100000, "maxTokens": 4096,
     "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}]}}}, indent=2)

CLINE = json.dumps({"version": 1, "lastUsedProvider": "openai-compatible", "modes": {}, "providers": {"openai-compatible": {
    "settings": {"provider": "openai-compatible", "apiKey": "none", "model": "stand-in", "baseUrl": "{url}/v1"},
    "updatedAt": "2026-11-18T00:00:00.000Z", "tokenSource": "manual"}}}, indent=2)

AGENTS = [
    Agent("codex", "@openai/codex", "0.169.0", "codex",
          ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "{prompt}"],
          ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "resume", "--last", "{prompt}"],
          files={".codex/config.toml": CODEX}, env={"STAND_IN_KEY": "none"}),
    Agent("opencode", "opencode-ai", "1.18.33", "opencode",
          ["run", "{prompt}"], ["run", "--continue", "{prompt}"],
          files={".config/opencode/opencode.jsonc": OPENCODE}, env={"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}),
    Agent("qwen", "@qwen-code/qwen-code", "0.24.4", "qwen",
          ["--yolo", "-p", "{prompt}"], ["--yolo", "--continue", "-p", "{prompt}"],
          files={".qwen/settings.json": '{\n  // mine\n  "security": { "auth": { "selectedType": "openai" } },\n  "privacy": { "usageStatisticsEnabled": false },\n  "$version": 4\n}\n'},
          deferred="mcp__memdir__{}",
          env={"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "{url}/v1", "OPENAI_MODEL": "stand-in"}),
    Agent("gemini", "@google/gemini-cli", "0.61.0", "gemini",
          ["--yolo", "--skip-trust", "-p", "{prompt}"], ["--yolo", "--skip-trust", "--resume", "latest", "-p", "{prompt}"],
          files={".gemini/settings.json": '{\n  // mine\n  "security": { "auth": { "selectedType": "gemini-api-key" } },\n  "privacy": { "usageStatisticsEnabled": false }\n}\n'},
          env={"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": "{url}"}),
    Agent("copilot", "@github/copilot", "1.0.102", "copilot",
          ["--allow-all-tools", "-p", "{prompt}"], ["--allow-all-tools", "--continue", "-p", "{prompt}"],
          files={".copilot/mcp-config.json": '{\n  "mcpServers": {}\n}\n'},
          env={"COPILOT_PROVIDER_BASE_URL": "{url}/v1", "COPILOT_PROVIDER_TYPE": "openai", "COPILOT_MODEL": "stand-in",
               "COPILOT_PROVIDER_API_KEY": "none", "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"}),
    Agent("cline", "cline", "3.0.65", "cline",
          ["{prompt}"], ["{prompt}"], files={".cline/data/settings/providers.json": CLINE},
          resumes=False, injects=False, sessions=False),
    Agent("kilo", "@kilocode/cli", "7.7.7", "kilo",
          ["run", "--auto", "{prompt}"], ["run", "--auto", "--continue", "{prompt}"],
          files={".config/kilo/kilo.jsonc": KILO}, env={"KILO_DISABLE_MODELS_FETCH": "1"}),
    Agent("continue", "@continuedev/cli", "1.5.47", "cn",
          ["-p", "--auto", "{prompt}"], ["-p", "--auto", "--resume", "{prompt}"],
          files={".continue/config.yaml": CONTINUE}, injects=False, sessions=False),
    Agent("pi", "@mariozechner/pi-coding-agent", "0.73.1", "pi",
          ["--provider", "here", "--model", "stand-in", "-p", "{prompt}"], ["--provider", "here", "--model", "stand-in", "--continue", "-p", "{prompt}"],
          files={".pi/agent/models.json": PI}, env={"PI_OFFLINE": "1"}),
]

if __name__ == "__main__":
    import sys
    unknown = set(sys.argv[1:]) - {agent.name for agent in AGENTS}
    if unknown:
        sys.exit(f"no agent is called {' or '.join(sorted(unknown))}; there is {', '.join(agent.name for agent in AGENTS)}")
    for agent in AGENTS:
        if not sys.argv[1:] or agent.name in sys.argv[1:]:
            print(agent.name, f"{agent.package}@{agent.version}")
