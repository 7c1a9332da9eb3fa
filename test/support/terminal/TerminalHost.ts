/** The real command in a real pseudo-terminal, with the screen that a person would see. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import packageJson from "../../../package.json" with { type: "json" }
import { entry } from "../host/HostProcess.ts"
import * as VirtualTerminal from "./VirtualTerminal.ts"

export interface TerminalOptions {
  /** In place of heddle. */
  readonly command?: ReadonlyArray<string>
  readonly args?: ReadonlyArray<string>
  /** What the terminal has by default; otherwise there is no sandbox. */
  readonly keepsSandbox?: true
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
  /** A script for the model `offline/script`; without it the model is `offline/guide`. */
  readonly scenario?: unknown
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** From a session before, which is then kept. */
  readonly place?: Place
}

export interface Place {
  readonly root: string
  readonly home: string
  readonly work: string
}

export interface TerminalHost {
  readonly place: Place
  readonly pid: number
  readonly virtual: VirtualTerminal.VirtualTerminal
  /** Everything that was written, with its sequences. */
  readonly raw: () => string
  readonly type: (text: string) => void
  readonly resize: (columns: number, rows: number) => void
  /** Waits until scrollback and screen have a text that fits. */
  readonly until: (fits: RegExp) => Promise<string>
  /** The same, when no turn runs any more. */
  readonly settled: (fits: RegExp) => Promise<string>
  readonly kill: (signal: NodeJS.Signals) => void
  readonly exited: Promise<number>
  /** After the end: what `stty -a` says about the terminal. */
  readonly modes: () => string
  /** Scrollback and screen with the parts that differ from run to run replaced. */
  readonly golden: () => string
}

/** Less than a test may take, so that a failure shows the screen. */
const patienceMs = 12_000

export const keys = {
  enter: "\r",
  tab: "\t",
  up: "\u001b[A",
  down: "\u001b[B",
  escape: "\u001b",
  altEnter: "\u001b\r",
  ctrl: (letter: string) => String.fromCharCode(letter.charCodeAt(0) - 96),
  paste: (text: string) => `\u001b[200~${text}\u001b[201~`
}

export const makePlace = (files: NonNullable<TerminalOptions["files"]> = {}): Place => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "heddle-terminal-")))
  const place = { root, home: join(root, "home"), work: join(root, "home/work") }
  mkdirSync(place.work, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(place.work, name, ".."), { recursive: true })
    writeFileSync(join(place.work, name), content)
  }
  return place
}

const mark = "\u0005"
const ids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

const start = (place: Place, options: TerminalOptions): TerminalHost => {
  const { args = [], columns = 80, command = [process.execPath, entry], env = {}, rows = 24, scenario } = options
  const script = join(place.root, "scenario.json")
  if (scenario !== undefined) writeFileSync(script, JSON.stringify(scenario))
  const model = scenario === undefined ? [] : ["--model", "offline/script", "--set", `offline.scenario=${script}`]
  // The same on machines with a sandbox and on those without.
  const isHeddle =
    options.command === undefined &&
    options.keepsSandbox !== true &&
    !args.includes("--sandbox") &&
    !args.includes("--approvals")
  const bare = isHeddle ? ["--sandbox", "off"] : []
  const virtual = VirtualTerminal.make(columns, rows)
  const decoder = new TextDecoder()
  const waiting = new Set<() => void>()
  const closed = Promise.withResolvers<void>()
  let [raw, modes, marks] = ["", "", 0]
  const terminal = new Bun.Terminal({
    cols: columns,
    rows,
    data: (_, bytes) => {
      const [text = "", ...after] = decoder.decode(bytes, { stream: true }).split(mark)
      if (marks > 0) modes += [text, ...after].join("")
      marks += after.length
      if (marks > 1) closed.resolve()
      if (marks > after.length) return
      if (after.length > 0) modes += after.join("")
      raw += text
      virtual.write(text)
      for (const check of waiting) check()
    }
  })
  const child = Bun.spawn([...command, ...model, ...bare, ...args], {
    terminal,
    cwd: place.work,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: place.home,
      HEDDLE_AGENT_DIR: join(place.home, ".heddle/agent"),
      TERM: "xterm-256color",
      ...env
    }
  })
  // What heddle wrote last may arrive after its end, so a second program writes behind it how the terminal was left.
  const exited = child.exited.then(async (code) => {
    Bun.spawn(["sh", "-c", `printf '\\005'; stty -a; printf '\\005'`], { terminal })
    await closed.promise
    return code
  })
  const wait = (fits: RegExp, isWanted: (text: string) => boolean) =>
    new Promise<string>((resolve, reject) => {
      const check = () => {
        const text = virtual.text()
        if (!fits.test(text) || !isWanted(text)) return
        waiting.delete(check)
        resolve(text)
      }
      waiting.add(check)
      const late = () => reject(new Error(`no ${fits} in time; the screen:\n${virtual.text()}`))
      setTimeout(late, patienceMs).unref()
      void exited.then((code) => {
        check()
        reject(new Error(`heddle ended with ${code} before ${fits}; the screen:\n${virtual.text()}`))
      })
      check()
    })
  return {
    place,
    pid: child.pid,
    virtual,
    raw: () => raw,
    type: (text) => void terminal.write(text),
    resize: (nextColumns, nextRows) => {
      virtual.resize(nextColumns, nextRows)
      terminal.resize(nextColumns, nextRows)
      // The system tells the programs of a terminal that has a session of its own, which this one has not.
      child.kill("SIGWINCH")
    },
    until: (fits) => wait(fits, () => true),
    settled: (fits) => wait(fits, (text) => !text.includes("• working")),
    kill: (signal) => child.kill(signal),
    exited,
    modes: () => modes,
    golden: () =>
      virtual
        .text()
        .replaceAll(place.root, "ROOT")
        .replaceAll(`heddle ${packageJson.version}`, "heddle VERSION")
        .replaceAll(ids, "SESSION-ID")
        .replaceAll(/working \d+ s/g, "working")
        // It is read a moment after the tokens.
        .replaceAll(/context <?[\d.]+%/g, "context N%")
  }
}

/** Ends with its scope. */
export const open = (options: TerminalOptions = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => start(options.place ?? makePlace(options.files), options)),
    (host) =>
      Effect.promise(async () => {
        host.kill("SIGKILL")
        await host.exited
        if (options.place === undefined) rmSync(host.place.root, { recursive: true, force: true })
      })
  )
