/** `npm run compat -- --clients`: heddle as npm installs it, driven by clients that others have published. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Npm from "../install/Npm.ts"
import * as Report from "../Report.ts"
import { reasonOf } from "../Runner.ts"
import * as Acp from "./Acp.ts"
import * as Checks from "./Checks.ts"
import { published } from "./Published.ts"

const repo = join(import.meta.dirname, "../../..")

const timed = async (number: number, name: string, title: string, body: () => Promise<void>) => {
  const from = performance.now()
  const reason = await body().then(() => undefined, reasonOf)
  const result = { number, name, title: `${name}: ${title}`, ms: performance.now() - from, reason }
  console.log(Report.line(result))
  return result
}

/** Answers the reasons of failures, undefined for each check that passed. */
export const clients = async (root: string): Promise<ReadonlyArray<string | undefined>> => {
  const prefix = join(root, "heddle")
  mkdirSync(prefix, { recursive: true })
  const bin = join(await Npm.installPacked(repo, prefix), "bin/heddle.js")
  const results: Array<Awaited<ReturnType<typeof timed>>> = []
  for (const [index, { family, load, name }] of published.entries()) {
    const into = join(root, name.replaceAll(" ", "-"))
    mkdirSync(into, { recursive: true })
    const RpcClient = await load(into)
    for (const [at, check] of Checks.checks.entries()) {
      if (check.of !== undefined && check.of !== family) continue
      const place = { bin, root: join(into, "places") }
      results.push(
        await timed(index + 1, name, check.name, () => Checks.run(check, RpcClient, place, family, `check-${at}`))
      )
    }
  }
  const acp = () => Acp.run({ bin, root })
  results.push(await timed(published.length + 1, Acp.spec, "a session of an editor, with a cancelled prompt", acp))
  console.log(`\n${Report.summary(results)}`)
  return results.map(({ reason }) => reason)
}
