// Written by `memdir setup`, removed by `memdir uninstall`: brings the memories that fit a prompt.
import { spawn } from "node:child_process"

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

// Whether a session has been answered before, and so was told of its memory.
async function isResumed(client, session) {
  try {
    const { data } = await client.session.messages({ path: { id: session } })
    return (data ?? []).some((message) => message.info.role === "assistant")
  } catch {
    return false
  }
}

// The conversation so far, as lines of a transcript.
async function turns(client, session) {
  const { data } = await client.session.messages({ path: { id: session } })
  return (data ?? []).map(({ info, parts }) => ({
    id: info.id,
    role: info.role,
    time: new Date(info.time.created).toISOString(),
    text: parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n\n"),
    calls: parts
      .filter((part) => part.type === "tool")
      .map((part) => ({ id: part.callID, name: part.tool, input: part.state.input, output: part.state.output ?? part.state.error ?? "", failed: part.state.status === "error" })),
  }))
}

export const Memdir = async ({ client, directory }) => {
  const begun = new Set()
  return {
    "chat.message": async (input, output) => {
      const session = input.sessionID
      const common = { session_id: session, cwd: directory }
      const told = []
      if (!begun.has(session)) {
        begun.add(session)
        const source = (await isResumed(client, session)) ? "resume" : "startup"
        told.push(await hook("SessionStart", { ...common, source }))
      }
      const said = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = said.map((part) => part.text).join("\n\n")
      told.push(await hook("UserPromptSubmit", { ...common, prompt }))
      const text = told.filter(Boolean).join("\n\n")
      const last = output.parts.at(-1)
      if (!text || !last) return
      output.parts.push({ ...last, id: `${last.id}m`, type: "text", text, synthetic: true })
    },
    event: async ({ event }) => {
      const session = event.properties?.sessionID
      if (event.type === "session.compacted") await hook("PostCompact", { session_id: session, cwd: directory })
      if (event.type === "session.idle") {
        const conversation = await turns(client, session).catch(() => [])
        await hook("Stop", { session_id: session, cwd: directory, conversation })
      }
    },
  }
}
