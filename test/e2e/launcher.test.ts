/** bin/heddle.js on a copy with a stand-in program: which file it loads, and that node passes everything through. */
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { afterEach, assert, describe, it } from "vitest"
import { node } from "../support/host/RealNode.ts"

const repo = resolve(import.meta.dirname, "../..")
const bun = process.execPath
const folders: Array<string> = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const put = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const program = (name: string) => `
  const [command, ...rest] = process.argv.slice(2)
  const say = (text) => process.stdout.write(text + "\\n")
  if (command === "argv") say(JSON.stringify(rest))
  else if (command === "children") {
    const lines = Bun.spawnSync(["env"], { env: process.env }).stdout.toString().split("\\n")
    say(JSON.stringify(lines.filter((line) => line.startsWith("BUN_JSC_") || line.startsWith("BUN_GC_"))))
  }
  else if (command === "variable") say(String(process.env[rest[0]]))
  else if (command === "exit") process.exit(Number(rest[0]))
  else if (command === "die") process.kill(process.pid, "SIGKILL")
  else if (command === "cat") process.stdin.pipe(process.stdout)
  else if (command === "wait") {
    for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => { say(name); process.exit(7) })
    process.stdin.resume()
    say("waiting")
  } else say(${JSON.stringify(name)})
`
const inputs = ["package.json", "scripts/build.ts", "src/cli.ts", "src/domain/Part.ts"]
const manifest = (folder: string, version: string) =>
  JSON.stringify({
    bun: version,
    size: statSync(join(folder, "dist/heddle.js")).size,
    inputs: inputs.map((path) => {
      const { mtimeMs, size } = statSync(join(folder, path))
      return [path, size, mtimeMs, String(Bun.hash(readFileSync(join(folder, path))))]
    })
  })

/** A checkout whose bundle is fresh, and which says "bundle" or "source". */
const checkout = (options: { readonly builtBy?: string; readonly modules?: boolean } = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-launcher-"))
  folders.push(folder)
  cpSync(join(repo, "bin"), join(folder, "bin"), { recursive: true })
  put(join(folder, "package.json"), `{ "type": "module" }`)
  put(join(folder, "package-lock.json"), "{}")
  put(join(folder, "scripts/build.ts"), "export const attempts = 1")
  put(join(folder, "src/cli.ts"), program("source"))
  put(join(folder, "src/domain/Part.ts"), "export const part = 1")
  put(join(folder, "dist/heddle.js"), program("bundle"))
  put(join(folder, "dist/manifest.json"), manifest(folder, options.builtBy ?? Bun.version))
  if (options.modules ?? true) symlinkSync(join(repo, "node_modules"), join(folder, "node_modules"))
  return folder
}

const more: Record<string, string> = {}
afterEach(() => {
  for (const name of Object.keys(more)) delete more[name]
})

const start = (runtime: string, folder: string, ...args: ReadonlyArray<string>) =>
  Bun.spawn([runtime, join(folder, "bin/heddle.js"), ...args], {
    cwd: folder,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, ...more }
  })

const run = async (runtime: string, folder: string, ...args: ReadonlyArray<string>) => {
  const child = start(runtime, folder, ...args)
  child.stdin.end()
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

const runtimes = [["bun", bun] as const, ...(node === undefined ? [] : [["node", node] as const])]

describe.each(runtimes)("started by %s", (_, runtime) => {
  it("hands over the arguments as they are", async () => {
    const args = ["--mode", "rpc", "--version", "", "two words", "ünï", "--", "-x"]
    const result = await run(runtime, checkout(), "argv", ...args)
    assert.deepStrictEqual(result, { out: JSON.stringify(args) + "\n", err: "", code: 0 })
  })

  it("keeps the engine's options from what the program starts", async () => {
    more["BUN_JSC_useDFGJIT"] = "0"
    more["BUN_GC_TIMER_INTERVAL"] = "10000"
    assert.deepStrictEqual(await run(runtime, checkout(), "children"), { out: "[]\n", err: "", code: 0 })
  })

  it("ends with the program's exit code", async () => {
    assert.deepStrictEqual(await run(runtime, checkout(), "exit", "3"), { out: "", err: "", code: 3 })
  })

  it("ends with 128 + n when a signal ended the program", async () => {
    assert.strictEqual((await run(runtime, checkout(), "die")).code, 128 + 9)
  })

  it("connects stdin and stdout, byte for byte, and passes on the end of input", async () => {
    const child = start(runtime, checkout(), "cat")
    const bytes = new Uint8Array(300_000).map((_, index) => index % 251)
    child.stdin.write(bytes)
    child.stdin.end()
    assert.deepStrictEqual(new Uint8Array(await new Response(child.stdout).arrayBuffer()), bytes)
    assert.strictEqual(await child.exited, 0)
  })

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("passes on %s", async (signal) => {
    const child = start(runtime, checkout(), "wait")
    let out = ""
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      if (out === "") child.kill(signal)
      out += chunk
    }
    assert.deepStrictEqual([out, await child.exited], [`waiting\n${signal}\n`, 7])
  })

  it("works through a symbolic link, as npm installs it", async () => {
    const folder = checkout()
    symlinkSync("bin/heddle.js", join(folder, "heddle"))
    const child = Bun.spawn([runtime, join(folder, "heddle")], { stdin: "ignore", stdout: "pipe", stderr: "inherit" })
    assert.strictEqual(await child.stdout.text(), "bundle\n")
  })
})

describe("bun reads the `.env` of the working folder before the launcher runs", () => {
  const variables = async (command: ReadonlyArray<string>, text: string, env: Record<string, string>) => {
    const folder = checkout()
    put(join(folder, ".env"), text)
    put(join(folder, ".env.local"), "LOCAL=1")
    const all = "JSON.stringify(Object.fromEntries(['A', 'B', 'C', 'LOCAL'].map((name) => [name, process.env[name]])))"
    put(join(folder, "dist/heddle.js"), `process.stdout.write(${all})`)
    put(join(folder, "dist/manifest.json"), manifest(folder, Bun.version))
    const child = Bun.spawn([bun, ...command, join(folder, "bin/heddle.js")], {
      cwd: folder,
      env: { PATH: process.env["PATH"], ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe"
    })
    return { found: JSON.parse(await child.stdout.text()), err: await child.stderr.text(), code: await child.exited }
  }
  const text = 'A=from-file\nexport B="$C/agent"\nC=from-file\n'

  it("so what came from it is dropped, and what the user set stays", async () => {
    const expected = { A: "mine", C: "also mine" }
    assert.deepStrictEqual(await variables([], text, expected), {
      found: expected,
      err: "heddle warn: dropped what bun took from the .env files of this folder: LOCAL, B\n",
      code: 0
    })
  })

  it("so nothing is looked at where bun was told not to read it", async () => {
    assert.deepStrictEqual(await variables(["--no-env-file"], text, { A: "mine" }), {
      found: { A: "mine" },
      err: "",
      code: 0
    })
  })

  it("so a variable counts as taken where the system cannot tell: by its value, or because bun replaces something", async () => {
    const { mayComeFrom }: { mayComeFrom: (text: string, variables: Record<string, string>) => ReadonlyArray<string> } =
      await import(join(repo, "bin/environment.js"))
    const variables = { PATH: "/bin", KEY: "secret", URL: "http://evil", LINES: "a\nb", OTHER: "x" }
    assert.deepStrictEqual(mayComeFrom("KEY=another\nurl = 'http://evil'\r\nLINES=\"a\r\nb\"", variables), [
      "URL",
      "LINES"
    ])
    assert.deepStrictEqual(mayComeFrom("PATH=$HOME/bin\nKEY=no", variables), ["PATH", "KEY"])
    assert.deepStrictEqual(mayComeFrom("", variables), [])
  })
})

describe("which program it loads", () => {
  const loaded = async (folder: string) => (await run(bun, folder)).out.trim()

  it("the bundle, while everything it was made from is as it was", async () => {
    assert.strictEqual(await loaded(checkout()), "bundle")
  })

  it("the bundle, when only the time of a file changed", async () => {
    const folder = checkout()
    utimesSync(join(folder, "src/domain/Part.ts"), 1, 1)
    assert.strictEqual(await loaded(folder), "bundle")
  })

  it.each(inputs)("the source, when %s changed but kept its size", async (path) => {
    const folder = checkout()
    const file = join(folder, path)
    writeFileSync(
      file,
      readFileSync(file, "utf8")
        .replace("= 1", "= 2")
        .replace("{ ", "{\n")
        .replace("{}", "[]")
        .replace("  const", "\n const")
    )
    utimesSync(file, 1, 1)
    assert.strictEqual(await loaded(folder), "source")
  })

  it("the bundle, when npm rewrote its lock file", async () => {
    const folder = checkout()
    put(join(folder, "package-lock.json"), '{ "lockfileVersion": 3 }')
    assert.strictEqual(await loaded(folder), "bundle")
  })

  it.skipIf(!existsSync(join(repo, "dist/manifest.json")))("and no lock file is among what the build lists", () => {
    const listed: { readonly inputs: ReadonlyArray<ReadonlyArray<unknown>> } = JSON.parse(
      readFileSync(join(repo, "dist/manifest.json"), "utf8")
    )
    assert.deepStrictEqual(
      listed.inputs.map(([path]) => path).filter((path) => !String(path).startsWith("src/")),
      ["package.json", "scripts/build.ts", "scripts/quietLogger.ts"]
    )
  })

  it.each([
    [
      "src/domain/Part.ts has changed since the bundle was made",
      (folder: string) => put(join(folder, "src/domain/Part.ts"), "export const part = 22")
    ],
    [
      `the bundle was made for bun 1.0.0, and this is ${Bun.version}`,
      (folder: string) => put(join(folder, "dist/manifest.json"), manifest(folder, "1.0.0"))
    ],
    ["there is no complete bundle in dist/", (folder: string) => rmSync(join(folder, "dist"), { recursive: true })]
  ])("says once, with --verbose, why it is the source: %s", async (reason, change) => {
    const folder = checkout()
    change(folder)
    const { err, out } = await run(bun, folder, "argv", "--verbose")
    assert.deepStrictEqual(
      [out, err],
      [
        '["--verbose"]\n',
        `heddle debug: started from source, which takes longer: ${reason}. \`npm run build\` makes a new bundle.\n`
      ]
    )
    assert.strictEqual((await run(bun, folder, "argv")).err, "")
  })

  it("and says nothing of the bundle", async () => {
    assert.strictEqual((await run(bun, checkout(), "argv", "--verbose")).err, "")
  })

  it("the source, when a file that went into the bundle is gone", async () => {
    const folder = checkout()
    rmSync(join(folder, "src/domain/Part.ts"))
    assert.strictEqual(await loaded(folder), "source")
  })

  it("the source, when another version of bun made the bundle", async () => {
    assert.strictEqual(await loaded(checkout({ builtBy: "1.0.0" })), "source")
  })

  it.each(["heddle.js", "manifest.json", ""])("the source, when dist/%s is missing", async (path) => {
    const folder = checkout()
    rmSync(join(folder, "dist", path), { recursive: true })
    assert.strictEqual(await loaded(folder), "source")
  })

  it.each(["", "{", "{}", "null", `{"bun":"${Bun.version}"}`])("the source, when the manifest is %j", async (text) => {
    const folder = checkout()
    put(join(folder, "dist/manifest.json"), text)
    assert.strictEqual(await loaded(folder), "source")
  })

  it("the bundle, in a package without sources, whatever bun made it", async () => {
    const folder = checkout({ builtBy: "1.0.0" })
    rmSync(join(folder, "src"), { recursive: true })
    assert.strictEqual(await loaded(folder), "bundle")
  })

  it("the bundle, in an installed package, without a look at its sources", async () => {
    const folder = checkout({ builtBy: "1.0.0" })
    rmSync(join(folder, "scripts"), { recursive: true })
    put(join(folder, "src/domain/Part.ts"), "export const part = 22")
    assert.strictEqual(await loaded(folder), "bundle")
  })

  it("nothing, in an installed package without its bundle: it says what to do", async () => {
    const folder = checkout()
    for (const path of ["scripts", "dist"]) rmSync(join(folder, path), { recursive: true })
    const { code, err, out } = await run(bun, folder)
    assert.deepStrictEqual({ code, out }, { code: 1, out: "" })
    assert.match(err, /^heddle: dist\/heddle\.js is missing in .*npm install -g heddle\n$/)
  })

  it("nothing, in a checkout without a bundle and without the packages of the source: it says what is missing", async () => {
    const folder = checkout({ modules: false })
    rmSync(join(folder, "dist"), { recursive: true })
    const { code, err, out } = await run(bun, folder)
    assert.deepStrictEqual({ code, out }, { code: 1, out: "" })
    assert.match(err, /^heddle: there is no complete bundle in dist\/, .*the package effect\. Run `npm install` in /)
  })

  it("the bundle, in a package that npm packed: times are new and there is no lock file", async () => {
    const folder = checkout()
    for (const path of inputs) utimesSync(join(folder, path), 499162500, 499162500)
    rmSync(join(folder, "package-lock.json"))
    assert.strictEqual(await loaded(folder), "bundle")
  })
})

describe.skipIf(node === undefined)("node looks for bun", () => {
  const system = process.platform === "win32" ? "windows" : process.platform
  const arch = process.arch === "arm64" ? "aarch64" : process.arch
  const withStub = () => {
    const folder = checkout({ modules: false })
    put(join(folder, "node_modules/bun/package.json"), `{ "name": "bun" }`)
    put(join(folder, "node_modules/bun/bin/bun.exe"), "install scripts were skipped")
    return folder
  }

  it("and starts it with the options of the script `cli`, unless the environment has others", async () => {
    const folder = checkout({ modules: false })
    cpSync(join(repo, "package.json"), join(folder, "package.json"))
    put(join(folder, "node_modules/bun/package.json"), `{ "name": "bun" }`)
    // As large as a binary, and prints the options that it was started with.
    const script = "#!/bin/sh\nenv | grep -E 'BUN_(JSC|GC)_' | sort\nexit 0\n"
    put(join(folder, "node_modules/bun/bin/bun.exe"), script + "#".repeat(1_000_001))
    chmodSync(join(folder, "node_modules/bun/bin/bun.exe"), 0o755)
    const given = async () => (await run(node ?? "", folder)).out.trim().split("\n")
    assert.deepStrictEqual(await given(), ["BUN_JSC_useDFGJIT=0"])
    more["BUN_JSC_useDFGJIT"] = "1"
    assert.deepStrictEqual(await given(), ["BUN_JSC_useDFGJIT=1"])
  })

  it("and keeps the `.env` of the working folder out of it", async () => {
    const folder = checkout()
    put(join(folder, ".env"), "ANTHROPIC_BASE_URL=http://elsewhere")
    assert.strictEqual((await run(node ?? "", folder, "variable", "ANTHROPIC_BASE_URL")).out, "undefined\n")
  })

  it.each([
    ["while the bun package holds its stub", withStub],
    ["where there is no bun package", () => checkout({ modules: false })]
  ])("in the platform's package %s", async (_, make) => {
    const folder = make()
    for (const libc of ["", "-musl"]) {
      const name = `node_modules/@oven/bun-${system}-${arch}${libc}`
      put(join(folder, name, "package.json"), "{}")
      mkdirSync(join(folder, name, "bin"))
      symlinkSync(bun, join(folder, name, "bin/bun"))
    }
    assert.deepStrictEqual(await run(node ?? "", folder), { out: "bundle\n", err: "", code: 0 })
  })

  it.each([
    ["there is only the stub", withStub],
    ["nothing is installed", () => checkout({ modules: false })]
  ])("and says what to do when %s", async (_, make) => {
    const { code, err, out } = await run(node ?? "", make())
    assert.deepStrictEqual({ code, out }, { code: 1, out: "" })
    assert.match(err, /npm install.*node node_modules\/bun\/install\.js/s)
  })
})
