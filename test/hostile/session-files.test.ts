/** Session files that are none, and session files that others spoil, against the real command over real pipes. */
import { spawnSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { makeHome } from "../e2e/command.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import { ask, close, lines, prompt, sessions } from "../support/host/SessionHost.ts"

const { answer, type } = HostProcess

const run = (command: string, ...args: ReadonlyArray<string>) => spawnSync(command, [...args]).status === 0

/** Sockets without a listener stay in the file system, too. */
const makeSocket = (path: string) => {
  const listen = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 9))`
  spawnSync(process.execPath, ["-e", listen])
}

/** Only root makes devices. The null device under another name, so that nothing of the machine can be spoilt. */
const canMakeDevices = (() => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-device-"))
  const made = run("mknod", join(folder, "null"), "c", "1", "3")
  rmSync(folder, { recursive: true })
  return made
})()

interface Odd {
  readonly make: (path: string) => unknown
  readonly said: string
}

const odd: Record<string, Odd> = {
  "a FIFO": { make: (path) => run("mkfifo", path), said: "a FIFO, not a file" },
  "a socket": { make: makeSocket, said: "a socket, not a file" },
  "a folder": { make: (path) => mkdirSync(path), said: "a folder" },
  "a link that leads nowhere": { make: (path) => symlinkSync("nowhere", path), said: "a link that leads nowhere" },
  "a link to a FIFO": {
    make: (path) => run("mkfifo", `${path}.target`) && symlinkSync(`${path}.target`, path),
    said: "a FIFO, not a file"
  },
  ...(canMakeDevices
    ? {
        "a device": {
          make: (path: string) => run("mknod", path, "c", "1", "3"),
          said: "a character device, not a file"
        }
      }
    : {})
}

const idsIn = (list: { readonly sessions: ReadonlyArray<{ readonly sessionId: string }> }) =>
  list.sessions.map(({ sessionId }) => sessionId)

/** What a folder holds, with the kind of each. */
const seen = (folder: string) => readdirSync(folder).map((name) => `${name} ${lstatSync(join(folder, name)).mode}`)

describe("a path that leads to no file", () => {
  for (const [name, { make, said }] of Object.entries(odd)) {
    const options = name === "a FIFO" || name === "a device" ? ["--session", "--fork", "--export"] : ["--session"]
    it(`${name} is refused before anything is written: ${options.join(", ")}`, async () => {
      const home = makeHome()
      const folder = join(home.agentDir, "odd")
      mkdirSync(folder)
      const path = join(folder, "x.jsonl")
      make(path)
      const before = seen(folder)
      try {
        for (const option of options) {
          const mode = option === "--export" ? [] : ["--mode", "rpc", "--offline"]
          const input = '{"id":"p","type":"prompt","message":"hi"}\n'
          const result = await home.run([...mode, option, path], { input })
          assert.deepStrictEqual([result.code, result.out], [1, ""], option)
          assert.include(result.err, `Not a session file: DIR/odd/x.jsonl (${said})`)
          // People are told in words, programs in JSON, too.
          assert.strictEqual(result.err.includes('"code":"INVALID_ARG"'), mode.length > 0)
        }
        assert.deepStrictEqual(seen(folder), before)
      } finally {
        home.remove()
      }
    })
  }
})

sessions("among the sessions of a folder they neither hang nor break anything", async (open) => {
  const first = await open([])
  await prompt(first, "one")
  const { sessionFile, sessionId } = await ask(first, "s", "get_state")
  const paths = Object.entries(odd).map(([name, { make }]) => {
    const path = join(dirname(sessionFile), `2999-01-01T00-00-00-000Z_${name.replaceAll(" ", "-")}.jsonl`)
    make(path)
    return path
  })
  symlinkSync("loop.jsonl", join(dirname(sessionFile), "loop.jsonl"))
  assert.deepStrictEqual(idsIn(await ask(first, "l", "list_sessions")), [sessionId])
  for (const [at, path] of paths.entries()) {
    first.send({ id: at, type: "switch_session", sessionPath: path })
    assert.strictEqual((await first.until(answer(at)))["code"], "not_a_session")
    assert.isFalse(existsSync(`${path}.lease`))
  }
  first.send({ id: "o", type: "open_session", sessionDir: dirname(sessionFile) })
  assert.propertyVal(await first.until(answer("o")), "success", true)
  await prompt(first, "two")
  assert.deepStrictEqual(await close(first), { code: 0, signal: null })
  for (const args of [["--continue"], ["--resume", sessionId.slice(0, 30)], ["--session-id", sessionId]]) {
    const again = await open(args)
    assert.strictEqual((await ask(again, "s", "get_state")).sessionFile, sessionFile)
    await close(again)
  }
})

sessions(
  "a lease that is a FIFO does not hang: the session can be read, and says why it is not stored",
  async (open) => {
    const first = await open([])
    await prompt(first, "one")
    const { sessionFile } = await ask(first, "s", "get_state")
    await close(first)
    run("mkfifo", `${sessionFile}.lease`)
    const second = await open(["--session", sessionFile])
    assert.strictEqual((await ask(second, "s", "get_state")).messageCount, 2)
    await prompt(second, "two")
    assert.match(String((await second.until(type("extension_error")))["error"]), /a FIFO, not a file/)
    assert.deepStrictEqual(await close(second), { code: 1, signal: null })
  }
)

const versions: Record<string, string> = {
  "1e308": "1e+308",
  "1e999": "null",
  "-1": "-1",
  "0": "0",
  "2.5": "2.5",
  '"x"': '"x"',
  null: "null",
  "99999999999999999999": "100000000000000000000",
  "{}": "an object"
}

sessions("a header with an absurd version is refused with a sentence", async (open, folder) => {
  const sessionDir = join(folder, "flat")
  mkdirSync(sessionDir)
  const host = await open(["--session-dir", sessionDir])
  const cwd = JSON.stringify(join(import.meta.dirname, "../.."))
  const make = (version: string, at: number) => {
    const path = join(sessionDir, `2026_odd${at}.jsonl`)
    writeFileSync(path, `{"type":"session","version":${version},"id":"odd${at}","timestamp":"t","cwd":${cwd}}\n`)
    return { path, message: `Not a session file: ${path} (the version in its header is ${versions[version]})` }
  }
  const made = Object.keys(versions).map(make)
  for (const [at, { message, path }] of made.entries()) {
    host.send({ id: at, type: "switch_session", sessionPath: path })
    assert.deepInclude(await host.until(answer(at)), { code: "not_a_session", error: message })
  }
  const { sessionId } = await ask(host, "s", "get_state")
  assert.deepStrictEqual(idsIn(await ask(host, "l", "list_sessions")), [sessionId])
  await close(host)
  const { message = "", path = "" } = made[0] ?? {}
  for (const option of ["--session", "--fork"]) {
    const refused = await open([option, path])
    assert.deepStrictEqual(await refused.exited, { code: 1, signal: null })
    assert.strictEqual(refused.stderr().split("\n")[0], `Error: ${message}`)
  }
  const exported = spawnSync(process.execPath, [HostProcess.entry, "--export", path, join(folder, "x.html")])
  assert.strictEqual(exported.status, 1)
  assert.include(String(exported.stderr), `--export: ${message}`)
})

/** A session in which somebody said "one". */
const writeSession = (path: string, version = 3) => {
  const at = { timestamp: "2026-01-01T00:00:00.000Z" }
  const header = { type: "session", version, id: "s", ...at, cwd: "/" }
  const message = { role: "user", content: [{ type: "text", text: "one" }], timestamp: 0 }
  const entry = { type: "message", id: "a", parentId: null, ...at, message }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`)
}

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

for (const umask of ["000", "777"]) {
  sessions(`files are for their owner alone with the umask ${umask}`, async (open, folder) => {
    const made = join(folder, "made")
    mkdirSync(made)
    const host = await open(
      ["--session", join(made, "new.jsonl")],
      ["sh", "-c", `umask ${umask}; exec "$@"`, "sh", process.execPath, HostProcess.entry]
    )
    await prompt(host, "one")
    assert.deepStrictEqual([mode(join(made, "new.jsonl")), mode(join(made, "new.jsonl.lease"))], ["600", "600"])
    if (umask !== "777") {
      host.send({ id: "b", type: "bash", command: "seq 3000" })
      await host.until(answer("b"))
      assert.strictEqual(mode(join(made, "new/1.bash.log")), "600")
    }
    await close(host)
    for (const version of [2, 3]) {
      const path = join(made, `v${version}.jsonl`)
      writeSession(path, version)
      chmodSync(path, 0o666)
      const again = await open(["--session", path])
      await again.until(type("ready"))
      assert.strictEqual(mode(path), "666")
      await prompt(again, "more")
      assert.strictEqual(mode(path), "600")
      await close(again)
    }
  })
}

const said = (file: string) =>
  lines(file).flatMap(({ message }) => {
    const { content, role } = JSON.parse(JSON.stringify(message ?? {}))
    return role === "user" ? [content[0].text] : []
  })

interface Loss {
  readonly spoil: (path: string, elsewhere: string) => void
  readonly detail: string
  /** What the old path holds afterwards; undefined for nothing. */
  readonly left: string | undefined
}

const losses: Record<string, Loss> = {
  "was deleted": { spoil: (path) => rmSync(path), detail: "was deleted or renamed", left: undefined },
  "was moved away": {
    spoil: (path, elsewhere) => renameSync(path, elsewhere),
    detail: "was deleted or renamed",
    left: undefined
  },
  "was deleted with its folder": {
    spoil: (path) => rmSync(dirname(path), { recursive: true }),
    detail: "was deleted or renamed",
    left: undefined
  },
  "was replaced": {
    spoil: (path, elsewhere) => {
      writeFileSync(elsewhere, "foreign\n")
      renameSync(elsewhere, path)
    },
    detail: "was replaced by another file",
    left: "foreign\n"
  },
  "was emptied": { spoil: (path) => truncateSync(path, 0), detail: "was changed by another program", left: "" },
  "was overwritten": {
    spoil: (path) => writeFileSync(path, "foreign\n"),
    detail: "was changed by another program",
    left: "foreign\n"
  },
  "was emptied and grew again": {
    spoil: (path) => {
      const { length } = readFileSync(path)
      truncateSync(path, 0)
      appendFileSync(path, "f".repeat(length + 1))
    },
    detail: "was changed by another program",
    left: "f"
  }
}

const checkLeft = (path: string, left: string | undefined) => {
  if (left === undefined) return assert.isFalse(existsSync(path))
  assert.strictEqual(readFileSync(path, "utf8").slice(0, Math.max(left.length, 8)).replace(/f+$/, "f"), left)
}

describe("a session file that others take away while it is open", () => {
  for (const [name, { detail, left, spoil }] of Object.entries(losses)) {
    sessions(`${name}: everything is written again to a new file, which is used from then on`, async (open, folder) => {
      const [path, again] = [join(folder, "in/x.jsonl"), join(folder, "in/x-2.jsonl")]
      writeSession(path)
      const host = await open(["--session", path])
      await prompt(host, "two")
      spoil(path, join(folder, "elsewhere"))
      host.send({ id: "three", type: "prompt", message: "three" })
      await host.until(answer("three"))
      // Acknowledged: stored, although the file was taken away.
      assert.deepStrictEqual(said(again), ["one", "two", "three"])
      checkLeft(path, left)
      await host.until((frame) => frame["type"] === "prompt_result" && frame["id"] === "three")
      const message = `Session file ${path} ${detail}; the session was written again to ${again}`
      const told = host.frames().filter(({ type: kind }) => kind === "extension_error" || kind === "notice")
      assert.deepStrictEqual(
        told.map(({ error, event, level, message: text, source }) => [event ?? level, error ?? text, source]),
        [
          ["persist", message, undefined],
          ["warning", message, "session-persistence"]
        ]
      )
      assert.strictEqual((await ask(host, "s", "get_state")).sessionFile, again)
      assert.deepStrictEqual([mode(again), existsSync(`${again}.lease`)], ["600", true])
      assert.isFalse(existsSync(`${path}.lease`))
      await prompt(host, "four")
      assert.deepStrictEqual(await close(host), { code: 1, signal: null })
      assert.deepStrictEqual(said(again), ["one", "two", "three", "four"])
      checkLeft(path, left)
      assert.isFalse(existsSync(`${again}.lease`))
    })
  }

  sessions("before anything of it was read or written", async (open, folder) => {
    const [path, again] = [join(folder, "in/x.jsonl"), join(folder, "in/x-2.jsonl")]
    writeSession(path)
    const host = await open(["--session", path])
    await host.until(type("ready"))
    truncateSync(path, 0)
    await prompt(host, "two")
    assert.deepStrictEqual(said(again), ["one", "two"])
    assert.strictEqual(statSync(path).size, 0)
    assert.deepStrictEqual(await close(host), { code: 1, signal: null })
    const next = await open(["--session", again])
    assert.strictEqual((await ask(next, "s", "get_state")).messageCount, 3)
    assert.deepStrictEqual(await close(next), { code: 0, signal: null })
  })

  sessions("after its last entry: it is noticed at the end", async (open, folder) => {
    const path = join(folder, "in/x.jsonl")
    const host = await open(["--session", path])
    await prompt(host, "one")
    rmSync(path)
    assert.deepStrictEqual(await close(host), { code: 1, signal: null })
    assert.deepStrictEqual(said(join(folder, "in/x-2.jsonl")), ["one"])
  })

  sessions("again and again: each time a new file has everything", async (open, folder) => {
    const path = join(folder, "in/x.jsonl")
    const host = await open(["--session", path])
    await prompt(host, "one")
    rmSync(path)
    writeFileSync(join(folder, "in/x-2.jsonl"), "somebody else's")
    await prompt(host, "two")
    rmSync(join(folder, "in/x-3.jsonl"))
    await prompt(host, "three")
    assert.deepStrictEqual(said(join(folder, "in/x-4.jsonl")), ["one", "two", "three"])
    assert.strictEqual(readFileSync(join(folder, "in/x-2.jsonl"), "utf8"), "somebody else's")
    assert.deepStrictEqual(await close(host), { code: 1, signal: null })
  })

  sessions("is found by its id afterwards, also where the spoilt one is still there", async (open) => {
    const host = await open([])
    await prompt(host, "one")
    const { sessionFile, sessionId } = await ask(host, "s", "get_state")
    writeFileSync(sessionFile, "")
    await prompt(host, "two")
    const { sessionFile: again } = await ask(host, "t", "get_state")
    assert.match(basename(again), /Z-2_/)
    await close(host)
    for (const args of [["--continue"], ["--resume", sessionId.slice(0, 20)], ["--session-id", sessionId]]) {
      const next = await open(args)
      assert.strictEqual((await ask(next, "s", "get_state")).sessionFile, again)
      await close(next)
    }
  })

  sessions("in a session that was opened again around the same file: told once", async (open, folder) => {
    const [path, again] = [join(folder, "in/x.jsonl"), join(folder, "in/x-2.jsonl")]
    const host = await open(["--session", path])
    await prompt(host, "one")
    host.send({ id: "w", type: "switch_session", sessionPath: path })
    assert.propertyVal(await host.until(answer("w")), "success", true)
    rmSync(path)
    await prompt(host, "two")
    assert.strictEqual((await ask(host, "s", "get_state")).sessionFile, again)
    assert.deepStrictEqual(said(again), ["one", "two"])
    assert.strictEqual(host.frames().filter(type("notice")).length, 1)
    assert.deepStrictEqual(await close(host), { code: 1, signal: null })
  })

  sessions("and is left for another session: the exit code still tells", async (open, folder) => {
    const path = join(folder, "in/x.jsonl")
    const host = await open(["--session", path])
    await prompt(host, "one")
    rmSync(path)
    host.send({ id: "n", type: "new_session" })
    await host.until(answer("n"))
    assert.deepStrictEqual(said(join(folder, "in/x-2.jsonl")), ["one"])
    assert.deepStrictEqual(await close(host), { code: 1, signal: null })
  })

  const folderForMount = mkdtempSync(join(tmpdir(), "heddle-small-"))
  const canMount = run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folderForMount)
  if (canMount) run("umount", folderForMount)
  rmSync(folderForMount, { recursive: true })

  describe.skipIf(!canMount)("on a disk that is full", () => {
    sessions("goes on in memory", async (open, folder) => {
      const disk = join(folder, "disk")
      mkdirSync(disk)
      run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk)
      try {
        const host = await open(["--session", join(disk, "x.jsonl")])
        await prompt(host, "one", "1".repeat(20_000))
        rmSync(join(disk, "x.jsonl"))
        writeFileSync(join(disk, "filler"), "f".repeat(30_000))
        await prompt(host, "two")
        const { error } = await host.until(type("extension_error"))
        assert.match(String(error), /the file was deleted or renamed, and a new one could not be written: ENOSPC/)
        assert.strictEqual((await ask(host, "m", "get_messages")).messages.length, 4)
        assert.deepStrictEqual(await close(host), { code: 1, signal: null })
      } finally {
        run("umount", "-l", disk)
      }
    })
  })
})

sessions("a file with two names is not opened for writing, but can be forked", async (open, folder) => {
  const [path, link] = [join(folder, "x.jsonl"), join(folder, "y.jsonl")]
  const first = await open(["--session", path])
  await prompt(first, "one")
  linkSync(path, link)
  const second = await open(["--session", link])
  assert.deepStrictEqual(await second.exited, { code: 1, signal: null })
  assert.match(second.stderr(), /Cannot open session .*y\.jsonl: the file has 2 names \(hard links\)/)
  assert.isFalse(existsSync(`${link}.lease`))
  const other = await open(["--no-session"])
  other.send({ id: "w", type: "switch_session", sessionPath: link })
  assert.strictEqual((await other.until(answer("w")))["success"], false)
  const fork = await open(["--fork", link])
  assert.strictEqual((await ask(fork, "s", "get_state")).messageCount, 2)
  await close(fork)
  // The first one goes on, and so does a session whose other name is gone.
  await prompt(first, "two")
  assert.deepStrictEqual(await close(first), { code: 0, signal: null })
  rmSync(link)
  const third = await open(["--session", path])
  assert.strictEqual((await ask(third, "s", "get_state")).messageCount, 4)
  await close(third)
})
