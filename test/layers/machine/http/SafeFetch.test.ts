import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { errorBodyBytes, readText, safeFetch } from "../../../../src/layers/machine/http/SafeFetch.ts"

type Answer = (request: Request) => Response | Promise<Response>

const serve = (answer: Answer) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer })),
      (running) => Effect.promise(() => running.stop(true))
    ),
    ({ port }) => `127.0.0.1:${port}`
  )

const failureOf = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => "none",
      (error: unknown) => String(error)
    )
  )

/** Never ends. */
const endless = () => {
  const block = new Uint8Array(64 * 1024).fill(97)
  return new ReadableStream({ pull: (controller) => controller.enqueue(block) })
}

const redirectTo = (location: string, status: number) => new Response(null, { status, headers: { location } })

describe("redirects", () => {
  it.scoped.each([301, 302, 303, 307, 308])("%i to another origin is refused, and nothing goes there", (status) =>
    Effect.gen(function* () {
      let strayed = 0
      const other = yield* serve(() => new Response(`${++strayed}`))
      const host = yield* serve(() => redirectTo(`http://${other}/v1`, status))
      const refused = yield* failureOf(safeFetch(`http://${host}/v1`, { method: "POST", body: "prompt" }))
      assert.include(refused, `http://${host} redirects to another origin, http://${other}.`)
      assert.strictEqual(strayed, 0)
    })
  )

  it.scoped("inside the origin are followed with method, body, headers and password", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const host: string = yield* serve(async (request) => {
        const { headers, method, url } = request
        const { pathname } = new URL(url)
        heard.push(`${method} ${pathname} ${headers.get("authorization")} ${await request.text()}`)
        return pathname === "/a" ? redirectTo(`http://${host}/b`, 308) : new Response("there")
      })
      const answer = yield* Effect.promise(() =>
        safeFetch(`http://bob:p%40ss@${host}/a`, { method: "POST", body: "prompt" })
      )
      assert.strictEqual(yield* Effect.promise(() => answer.text()), "there")
      const basic = `Basic ${Buffer.from("bob:p@ss").toString("base64")}`
      assert.deepStrictEqual(heard, [`POST /a ${basic} prompt`, `POST /b ${basic} prompt`])
    })
  )

  it.scoped("that would drop the request, lead nowhere or do not end are refused", () =>
    Effect.gen(function* () {
      const host = yield* serve(({ url }) => {
        const { pathname } = new URL(url)
        if (pathname === "/nowhere") return new Response(null, { status: 307 })
        return redirectTo(pathname, pathname === "/see" ? 303 : 307)
      })
      const post = (path: string) => failureOf(safeFetch(`http://${host}${path}`, { method: "POST", body: "x" }))
      assert.include(yield* post("/see"), "redirects to /see with status 303, which drops the request")
      assert.include(yield* post("/nowhere"), "redirects to no address")
      assert.include(yield* post("/loop"), "redirects again and again")
    })
  )
})

describe("bodies", () => {
  it.scoped("of errors are cut, the rest is not read", () =>
    Effect.gen(function* () {
      const host = yield* serve(() => new Response(endless(), { status: 500, headers: { "x-kept": "yes" } }))
      const answer = yield* Effect.promise(() => safeFetch(`http://${host}/`))
      assert.deepStrictEqual([answer.status, answer.headers.get("x-kept")], [500, "yes"])
      assert.lengthOf(yield* Effect.promise(() => answer.text()), errorBodyBytes)
    })
  )

  it.scoped("of answers are read up to a limit, decompressed", () =>
    Effect.gen(function* () {
      const packed = Bun.gzipSync(new Uint8Array(50_000).fill(97))
      const host = yield* serve(() => new Response(packed, { headers: { "content-encoding": "gzip" } }))
      const read = (limit: number) => safeFetch(`http://${host}/`).then((answer) => readText(answer, limit))
      assert.lengthOf(yield* Effect.promise(() => read(50_000)), 50_000)
      assert.include(yield* failureOf(read(49_999)), "the answer is larger than 49999 bytes")
    })
  )

  it.scoped("with a status that no API uses are refused", () =>
    Effect.gen(function* () {
      const host = yield* serve(() => new Response(null, { status: 304 }))
      assert.include(yield* failureOf(safeFetch(`http://${host}/`)), "the status 304, which no API uses")
    })
  )
})
