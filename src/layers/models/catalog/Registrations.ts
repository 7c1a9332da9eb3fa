/** The registrations in force, in their order. Owned by the process; each belongs to the scope that it was made in. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { Processes } from "../../../services/machine/Processes.ts"
import { ProviderRefused, ProviderRegistrations } from "../../../services/model/ProviderRegistrations.ts"
import * as Environment from "../../machine/processes/Environment.ts"
import { KnownSecrets } from "../../machine/secrets/KnownSecrets.ts"
import { Catalog, hide } from "./Catalog.ts"
import * as ConfigValue from "../keys/ConfigValue.ts"
import type { Change, ProviderModels } from "./ProviderEntry.ts"
import * as RegisteredProvider from "./RegisteredProvider.ts"

type Variables = typeof Environment.Environment.Service

interface Entry {
  readonly name: string
  readonly owner: Scope.Scope
  readonly registration: RegisteredProvider.Registration
}

/** More than all extensions of a process register. Each costs a pass over the catalogue. */
const mostEntries = 1000

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const processes = yield* Processes
  const secrets = yield* KnownSecrets
  const valueOf = (text: string, where: string) => ConfigValue.make(text, where, processes)
  let entries: ReadonlyArray<Entry> = []

  const stackOf = (name: string, all: ReadonlyArray<Entry>) =>
    all.flatMap((entry) => (entry.name === name ? [entry.registration] : [])).reduce(RegisteredProvider.over)
  const put = (next: ReadonlyArray<Entry>) => {
    entries = next
    const changes = new Map<string, Change>()
    for (const { name } of next)
      if (!changes.has(name)) changes.set(name, RegisteredProvider.changeOf(name, stackOf(name, next), valueOf))
    catalog.change(changes)
  }
  const remove = (isGone: (entry: Entry) => boolean) =>
    Effect.sync(() => {
      if (entries.some(isGone)) put(entries.filter((entry) => !isGone(entry)))
    })
  /** A key that was registered once stays a secret. Those that commands print are added by the calls that use them. */
  const hideAll = ({ models, provider }: ProviderModels, environment: Variables) => {
    const values = [...models, ...(provider === undefined ? [] : [provider])].flatMap((entry) => {
      hide(secrets, entry.address)
      return Object.values(entry.headers)
    })
    const keys = provider?.apiKey._tag === "Some" ? [provider.apiKey.value] : []
    for (const value of [...keys, ...values]) {
      const known = value.known(environment)
      if (known !== undefined) secrets.add(Redacted.value(known))
    }
  }

  /** In one step, so that no other registration comes between the check and the change. */
  const add = (entry: Entry, environment: Variables) =>
    Effect.suspend(() => {
      const { name, owner } = entry
      const isSame = (other: Entry) => other.name === name && other.owner === owner
      const mine = entries.filter(isSame).map(({ registration }) => registration)
      const registration = [...mine, entry.registration].reduce(RegisteredProvider.over)
      const next = [...entries.filter((other) => !isSame(other)), { name, owner, registration }]
      const applied = RegisteredProvider.apply(name, stackOf(name, next), catalog.unchanged(name), valueOf)
      const problems = next.length > mostEntries ? [`there are ${mostEntries} registrations already`] : applied.problems
      if (problems.length > 0) return new ProviderRefused({ provider: name, problems })
      hideAll(applied, environment)
      put(next)
      return mine.length === 0 ? Scope.addFinalizer(owner, remove(isSame)) : Effect.void
    })

  return ProviderRegistrations.of({
    register: Effect.fnUntraced(function* (name, config) {
      const owner = yield* Effect.scope
      const environment = yield* Environment.Environment
      const decoded = RegisteredProvider.decode(name, config, valueOf)
      if (Either.isLeft(decoded)) return yield* new ProviderRefused({ provider: name, problems: decoded.left })
      yield* Effect.uninterruptible(add({ name, owner, registration: decoded.right }, environment))
    }),
    unregister: (name) => remove((entry) => entry.name === name)
  })
})

export const layer = Layer.effect(ProviderRegistrations, make)
