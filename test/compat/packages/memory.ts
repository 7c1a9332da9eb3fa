import { contains, expect, type Package, same } from "../Package.ts"

const [key, value] = ["pref.editor", "helix-with-vim-keys"]

export const memory: Package = {
  // What it depends on is a language model of 240 MB for searches by meaning; it says so and goes on without.
  source: { npm: "@samfp/pi-memory@1.5.0", entries: ["dist/index.js"], bare: true },
  behaviours: [
    {
      title: "memory_remember → the fact is stored",
      check: async (session) => {
        const result = await session.call("memory_remember", { type: "fact", key, value })
        same(result.text, `Remembered: ${key} = ${value}`, "the result")
      }
    },
    {
      title: "memory_search → finds it",
      check: async (session) => {
        const result = await session.call("memory_search", { query: "helix" })
        contains(result.text, `${key}: ${value}`, "the result")
      }
    },
    {
      title: "the fact → is in the system prompt of the next model call",
      check: async (session) => {
        const before = session.requests.length
        await session.prompt("Which editor do I like?")
        const system = session.requests[before]?.system ?? ""
        expect(system.includes(value), `the system prompt of ${system.length} characters does not have it`)
      }
    }
  ]
}
