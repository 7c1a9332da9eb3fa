/**
 * One SDK client for each address, kept as long as key and headers stay the same: making one takes longer than the rest
 * of our work for a request. The SDK itself is loaded at the first call. Owned by the protocol.
 */
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Fetch } from "../../../machine/http/SafeFetch.ts"
import * as Environment from "../../../machine/processes/Environment.ts"
import type { Secrets } from "../../../machine/secrets/KnownSecrets.ts"
import type { Connection } from "../../providers/Protocol.ts"

/** How both SDKs send requests. Bun would give up after five minutes, but the watchdog keeps the deadlines. */
export const transport = (fetch: Fetch) => ({ fetch, fetchOptions: { timeout: false } })

/** SDKs are optional peers of the library, so a program may lack one. */
export class SdkMissing extends Schema.TaggedError<SdkMissing>()("SdkMissing", {
  name: Schema.String,
  cause: Schema.Defect
}) {
  override get message() {
    return `The package ${this.name} could not be loaded. Add it to your program: npm install ${this.name}`
  }
}

export const missing = (name: string) => (cause: unknown) => Promise.reject(new SdkMissing({ name, cause }))

/**
 * An SDK takes headers, accounts and more from variables with its vendor's prefix. They are meant for the vendor's own
 * address: a server that imitates the API gets none of them.
 */
export const create = <Client>(prefix: string, isVendor: boolean, make: () => Client): Client =>
  isVendor ? make() : Environment.without(prefix, make)

export type Create<Client> = (baseUrl: string, connection: Connection) => Client

export type Load<Client> = (fetch: Fetch) => Promise<Create<Client>>

interface Kept<Client> {
  readonly connection: Connection
  readonly client: Client
}

const isSameSecret = (a: Redacted.Redacted | undefined, b: Redacted.Redacted | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && Redacted.value(a) === Redacted.value(b))

const isSame = (a: Connection, b: Connection): boolean => {
  if (!isSameSecret(Option.getOrUndefined(a.apiKey), Option.getOrUndefined(b.apiKey))) return false
  const names = Object.keys(a.headers)
  return (
    names.length === Object.keys(b.headers).length &&
    names.every((name) => isSameSecret(a.headers[name], b.headers[name]))
  )
}

export const make = <Client>(load: () => Promise<Create<Client>>, secrets: Pick<Secrets, "add">) => {
  const known = new Map<string, Kept<Client>>()
  let loading: Promise<Create<Client>> | undefined
  const find = (baseUrl: string, connection: Connection): Client | undefined => {
    const kept = known.get(baseUrl)
    return kept !== undefined && isSame(kept.connection, connection) ? kept.client : undefined
  }
  const make = (create: Create<Client>, baseUrl: string, connection: Connection): Client => {
    // Also the values that commands of models.json print.
    for (const secret of [...Option.toArray(connection.apiKey), ...Object.values(connection.headers)])
      secrets.add(Redacted.value(secret))
    const client = create(baseUrl, connection)
    known.set(baseUrl, { connection, client })
    return client
  }
  /** Calls `use` synchronously if there is a client. */
  return <A>(baseUrl: string, connection: Connection, use: (client: Client) => Promise<A>): Promise<A> => {
    const client = find(baseUrl, connection)
    if (client !== undefined) return use(client)
    loading ??= load()
    // Another call that waited for the SDK may have made the client in the meantime.
    return loading.then((create) => use(find(baseUrl, connection) ?? make(create, baseUrl, connection)))
  }
}
