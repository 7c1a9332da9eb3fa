/** A user with a project that wants to run code, and what heddle decides about it. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Logger } from "effect"
import * as FileSettings from "../../../../src/layers/workspace/settings/FileSettings.ts"
import type { TrustQuestion } from "../../../../src/services/Trust.ts"
import { code, makeUser } from "../../pi/discovery/support.ts"

export const projectFiles = {
  "work/.heddle/extensions/gate.ts": code,
  "work/.heddle/extensions/tools/index.ts": code,
  "work/.heddle/extensions/tools/lib/helper.ts": code,
  "work/.heddle/settings.json":
    '{ "shellPath": "./sh", "packages": ["../pack"], "extensions": ["../scripts/more.ts"] }',
  "work/scripts/more.ts": code,
  "work/scripts/neighbour.ts": code,
  "work/pack/extensions/k.ts": code,
  "work/src/main.ts": code,
  "work/.env": "OPENAI_API_KEY=k\n"
}

export const makeProject = (files: Readonly<Record<string, string>> = projectFiles) =>
  Effect.map(makeUser(files), (root) => {
    const path = (name: string) => join(root, name)
    return {
      root,
      agentDir: path("agent"),
      cwd: path("work"),
      path,
      write: (name: string, text: string) => writeFileSync(path(name), text),
      stored: () => JSON.parse(readFileSync(path("agent/trust.json"), "utf8"))
    }
  })

type Place = Effect.Effect.Success<ReturnType<typeof makeProject>>

/** A start of heddle: the trust of the process, the settings, and what was logged. */
export const start = (place: Place, options: Partial<FileSettings.FileSettingsOptions> = {}) => {
  const logged: Array<string> = []
  const logger = Logger.make(({ message }) => void logged.push(String(message).replaceAll(place.root, "")))
  return FileSettings.load({ agentDir: place.agentDir, cwd: place.cwd, overrides: {}, ...options }).pipe(
    Effect.map((loaded) => ({ ...loaded, logged })),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger))
  )
}

/** A user who answers, and what they were asked. */
export const answering = (answer: boolean | undefined, meanwhile: () => void = () => {}) => {
  const asked: Array<TrustQuestion> = []
  const confirm = (question: TrustQuestion) =>
    Effect.sync(() => {
      asked.push(question)
      meanwhile()
      return answer
    })
  return { asked, confirm }
}
