/** Both clients have every command of the registry. */
import { assert, it } from "vitest"
import { Effect } from "effect"
import * as EffectCommands from "../../src/client/generated/EffectCommands.ts"
import { RpcClient } from "../../src/client/index.ts"
import { commands } from "../../src/rpc/registry.ts"

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

it("as a method, with its own name on the wire", async () => {
  const sent: Array<unknown> = []
  class Recorder extends RpcClient {
    override request(frame: object): Promise<never> {
      sent.push(Object(frame).type)
      return Promise.reject(new Error("recorded"))
    }
  }
  const client = new Recorder()
  const names = commands.map(({ name }) => name)
  for (const name of names)
    await Object(client)
      [camel(name)]()
      .catch(() => undefined)
  assert.deepStrictEqual(sent, names)
  const effects = EffectCommands.make((frame) => Effect.die(sent.push(`effect ${frame.type}`)))
  for (const name of names) Object(effects)[camel(name)]()
  assert.deepStrictEqual(
    sent.slice(names.length),
    names.map((name) => `effect ${name}`)
  )
})
