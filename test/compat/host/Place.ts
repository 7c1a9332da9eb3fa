/** The folders of one package: nothing it does can be seen by another one, or by the user who runs the checks. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export interface Place {
  readonly root: string
  readonly home: string
  readonly agentDir: string
  readonly work: string
  readonly temp: string
  /** Where npm installs. It is beside `work`, so that the host does not take it for a part of the project. */
  readonly packages: string
}

const model = { id: "scripted", name: "Scripted", reasoning: false, input: ["text"], contextWindow: 200_000 }

export const make = (root: string): Place => {
  const home = join(root, "home")
  const place = {
    root,
    home,
    // Where pi keeps it by default: packages that spell out `~/.pi/agent` and those that ask the host agree.
    agentDir: join(home, ".pi/agent"),
    work: join(root, "work"),
    temp: join(root, "tmp"),
    packages: join(root, "packages")
  }
  for (const folder of [place.agentDir, place.work, place.temp, place.packages]) mkdirSync(folder, { recursive: true })
  return place
}

export const nameModel = (place: Place, baseUrl: string): void => {
  const loopback = { baseUrl, api: "openai-completions", apiKey: "loopback-needs-none", models: [model] }
  writeFileSync(join(place.agentDir, "models.json"), JSON.stringify({ providers: { loopback } }))
}

export const modelOptions = ["--provider", "loopback", "--model", model.id]

export const environment = (place: Place): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  HOME: place.home,
  TMPDIR: place.temp,
  PI_CODING_AGENT_DIR: place.agentDir,
  PI_OFFLINE: "1",
  PI_SKIP_VERSION_CHECK: "1",
  LANG: "C.UTF-8"
})
