/** A window that changes its size while an answer streams in, in a real terminal that breaks and joins rows: tmux. */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { entry } from "../../support/host/HostProcess.ts"
import { makePlace } from "../../support/terminal/TerminalHost.ts"

const isThere = spawnSync("tmux", ["-V"]).status === 0

const sentences = Array.from({ length: 40 }, (_, n) => `Sentence ${n} goes on while the window changes its size.`)
const paragraphs = Array.from({ length: 5 }, (_, n) => sentences.slice(8 * n, 8 * n + 8).join(" "))
const scenario = { turns: [{ steps: [{ text: paragraphs.join("\n\n"), delayMs: 8 }] }] }

/** heddle in a window of a tmux server of its own, which ends with the scope. */
const open = Effect.acquireRelease(
  Effect.sync(() => {
    const place = makePlace()
    const script = join(place.root, "scenario.json")
    writeFileSync(script, JSON.stringify(scenario))
    const tmux = (...args: ReadonlyArray<string>) =>
      spawnSync("tmux", ["-S", join(place.root, "tmux"), "-f", "/dev/null", ...args], {
        encoding: "utf8",
        env: { ...process.env, HOME: place.home, HEDDLE_AGENT_DIR: join(place.home, ".heddle/agent") }
      }).stdout
    const heddle = [process.execPath, entry, "--model", "offline/script", "--set", `offline.scenario=${script}`]
    tmux("new-session", "-d", "-x", "100", "-y", "30", "-c", place.work, ...heddle)
    return tmux
  }),
  (tmux) => Effect.sync(() => tmux("kill-server"))
)

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

describe.skipIf(!isThere)("a window that changes its size", () => {
  it.live(
    "while an answer streams in leaves one status line, and each sentence once",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const tmux = yield* open
          const shown = () => tmux("capture-pane", "-p", "-J", "-S", "-")
          const until = (fits: (text: string) => boolean) =>
            Effect.promise(async () => {
              for (let text = shown(); ; text = shown()) {
                if (fits(text)) return text
                await new Promise((resolve) => setTimeout(resolve, 20))
              }
            })
          yield* until((text) => text.includes("offline/script ·"))
          tmux("send-keys", "go", "Enter")
          yield* until((text) => text.includes("Sentence 9"))
          const isOver = (text: string) => /Sentence 39[^•]*size\.\s+> *\s+offline/.test(text)
          let [sizes, width] = [0, 98]
          yield* until((text) => {
            tmux("resize-window", "-x", String(width), "-y", String(30 - (width % 5)))
            sizes++
            width = width < 60 ? 98 : width - 3
            return isOver(text)
          })
          tmux("resize-window", "-x", "110", "-y", "30")
          const text = yield* until((now) => isOver(now) && now.includes("tokens ·"))
          assert.isAbove(sizes, 20)
          assert.deepStrictEqual([count(text, /offline\/script ·/g), count(text, /• working/g)], [1, 0])
          // tmux pushes rows up that no longer fit: of the first change a part of what was live may be left.
          const joined = text.replaceAll(/\s+/g, " ")
          const copies = sentences.map((sentence) => count(joined, new RegExp(sentence.slice(0, -1), "g")))
          assert.deepStrictEqual([Math.min(...copies), Math.max(...copies) < 3], [1, true])
          assert.isBelow(copies.filter((times) => times > 1).length, 8)
        })
      ),
    60_000
  )
})
