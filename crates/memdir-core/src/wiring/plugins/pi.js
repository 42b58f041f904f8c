// Written by `memdir setup`, removed by `memdir uninstall`: brings the memories that fit a prompt, and memdir's tools.
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

const program = @PROGRAM@
const agent = @AGENT@
const patience = 10_000

// What memdir says about an event; nothing if anything goes wrong.
function hook(event, input) {
  return new Promise((resolve) => {
    let said = ""
    const child = spawn(program, ["hook", event, `--agent=${agent}`], { stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => child.kill(), patience)
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (part) => (said += part))
    child.on("close", () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(said).hookSpecificOutput.additionalContext ?? "")
      } catch {
        resolve("")
      }
    })
    child.stdin.end(JSON.stringify(input))
  })
}

// pi has no client for the Model Context Protocol: this is as much of one as memdir's tools need.
function server() {
  const child = spawn(program, ["mcp"], { stdio: ["pipe", "pipe", "ignore"] })
  const waiting = new Map()
  let last = 0
  const fail = () => {
    for (const [, reject] of waiting.values()) reject(new Error("memdir has ended"))
    waiting.clear()
  }
  child.on("error", fail)
  child.on("close", fail)
  child.stdin.on("error", () => {})
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line)
    const [resolve, reject] = waiting.get(message.id) ?? []
    if (!resolve) return
    waiting.delete(message.id)
    message.error ? reject(new Error(message.error.message)) : resolve(message.result)
  })
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      last += 1
      waiting.set(last, [resolve, reject])
      send({ id: last, method, params })
    })
  return { ask, send, end: () => child.kill() }
}

export default async function (pi) {
  const memory = server()
  try {
    const clientInfo = { name: agent, version: "1" }
    await memory.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })
    memory.send({ method: "notifications/initialized" })
    const { tools } = await memory.ask("tools/list", {})
    for (const tool of tools) {
      pi.registerTool({
        name: `memdir_${tool.name}`,
        label: tool.title,
        description: tool.description,
        promptSnippet: tool.description,
        parameters: tool.inputSchema,
        async execute(_id, params) {
          const result = await memory.ask("tools/call", { name: tool.name, arguments: params })
          if (result.isError) throw new Error(result.content.map((part) => part.text).join("\n"))
          return { content: result.content, details: {} }
        },
      })
    }
  } catch {
    // Without tools the memories still come with the prompt.
  }

  const about = (ctx) => ({
    session_id: ctx.sessionManager.getSessionId(),
    cwd: ctx.cwd,
    transcript_path: ctx.sessionManager.getSessionFile(),
  })
  let source = "startup"
  let begun = false
  pi.on("session_start", async (event, ctx) => {
    const entries = ctx.sessionManager.getEntries()
    const isOld = entries.some((entry) => entry.type === "message" && entry.message.role === "assistant")
    source = isOld ? "resume" : "startup"
    begun = false
  })
  pi.on("before_agent_start", async (event, ctx) => {
    const told = []
    if (!begun) told.push(await hook("SessionStart", { ...about(ctx), source }))
    begun = true
    told.push(await hook("UserPromptSubmit", { ...about(ctx), prompt: event.prompt }))
    const content = told.filter(Boolean).join("\n\n")
    if (content) return { message: { customType: "memdir", content, display: false } }
  })
  pi.on("agent_end", async (_event, ctx) => {
    await hook("Stop", about(ctx))
  })
  pi.on("session_compact", async (_event, ctx) => {
    await hook("PostCompact", about(ctx))
  })
  pi.on("session_shutdown", async (_event, ctx) => {
    await hook("SessionEnd", about(ctx))
    memory.end()
  })
}
