/** A real Chromium without a window, driven over its debugging protocol; and everything a page did that it should not. */
import { type ChildProcess, spawn } from "node:child_process"
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { Effect } from "effect"

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
const places = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/snap/bin/chromium"
]

export const isProgram = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Undefined where there is none: the tests that need one are then skipped, by name. */
export const program: string | undefined = [
  ...(process.env["PATH"] ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
  ...places
].find(isProgram)

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--hide-scrollbars",
  "--remote-debugging-port=0"
]

type Message = { readonly [key: string]: unknown }
type Listener = (method: string, params: Message, sessionId: unknown) => void

const isMessage = (value: unknown): value is Message => typeof value === "object" && value !== null
const inner = (value: unknown): Message => (isMessage(value) ? value : {})

/** One connection to the browser; answers are matched by id, events go to whoever listens. */
const connect = async (url: string) => {
  const socket = new WebSocket(url)
  const pending = new Map<unknown, (message: Message) => void>()
  const listeners = new Set<Listener>()
  await new Promise((resolve) => socket.addEventListener("open", resolve))
  socket.addEventListener("message", ({ data }) => {
    const message: unknown = JSON.parse(String(data))
    if (!isMessage(message)) return
    pending.get(message["id"])?.(message)
    pending.delete(message["id"])
    if (typeof message["method"] === "string")
      for (const each of listeners) each(message["method"], inner(message["params"]), message["sessionId"])
  })
  let id = 0
  const send = (method: string, params: object = {}, sessionId?: unknown) =>
    new Promise<Message>((resolve, reject) => {
      pending.set(++id, (message) =>
        message["error"] === undefined ? resolve(inner(message["result"])) : reject(new Error(JSON.stringify(message)))
      )
      socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
    })
  return { send, listeners, close: () => socket.close() }
}

export interface Page {
  readonly send: (method: string, params?: object) => Promise<Message>
  /** The value of an expression, promises awaited. */
  readonly evaluate: (expression: string) => Promise<unknown>
  /** A key as a person presses it. */
  readonly press: (key: string, modifiers?: number) => Promise<void>
  readonly screenshot: (path: string) => Promise<void>
  readonly close: () => Promise<void>
  /** Dialogs, exceptions, messages on the console, violations of the policy. */
  readonly problems: ReadonlyArray<string>
  /** What was asked of the network, the page itself left out. */
  readonly requests: ReadonlyArray<string>
}

/** What an event of the browser means for a test. */
const complaint = (method: string, params: Message): string | undefined => {
  switch (method) {
    case "Page.javascriptDialogOpening":
      return `dialog: ${String(params["message"])}`
    case "Runtime.exceptionThrown":
      return `exception: ${JSON.stringify(params["exceptionDetails"])}`
    case "Runtime.consoleAPICalled":
      return `console: ${JSON.stringify(params["args"])}`
    case "Log.entryAdded":
      return `log: ${String(inner(params["entry"])["text"])}`
    case "Audits.issueAdded":
      return `issue: ${JSON.stringify(params["issue"])}`
    default:
      return undefined
  }
}

const launch = async (home: string) => {
  const child = spawn(program ?? "", [...flags, `--user-data-dir=${home}`, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  const url = await new Promise<string>((resolve, reject) => {
    let said = ""
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk
      const found = /DevTools listening on (ws:\S+)/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.on("exit", () => reject(new Error(`Chromium ended: ${said}`)))
  })
  return { child, browser: await connect(url) }
}

const end = async (child: ChildProcess) => {
  const gone = new Promise((resolve) => child.on("exit", resolve))
  child.kill("SIGKILL")
  if (child.exitCode === null && child.signalCode === null) await gone
}

export interface Look {
  readonly width?: number
  readonly height?: number
  readonly dark?: boolean
}

type Browser = Awaited<ReturnType<typeof launch>>["browser"]

interface Tab {
  readonly sessionId: unknown
  readonly send: Page["send"]
}

const openTab = async (browser: Browser): Promise<Tab> => {
  const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" })
  const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true })
  const send = (method: string, params: object = {}) => browser.send(method, params, sessionId)
  for (const domain of ["Page", "Runtime", "Log", "Network", "Audits"]) await send(`${domain}.enable`)
  return { sessionId, send }
}

const openPage = async (browser: Browser, { send, sessionId }: Tab, url: string, look: Look, left: () => void) => {
  const { dark = false, height = 900, width = 1280 } = look
  const problems: Array<string> = []
  const requests: Array<string> = []
  let loaded = () => {}
  const listener: Listener = (method, params, from) => {
    if (from !== sessionId) return
    const said = complaint(method, params)
    if (said !== undefined) problems.push(said)
    const asked = method === "Network.requestWillBeSent" ? String(inner(params["request"])["url"]) : url
    if (asked !== url && !asked.startsWith("data:")) requests.push(asked)
    if (method === "Page.javascriptDialogOpening") void send("Page.handleJavaScriptDialog", { accept: false })
    if (method === "Page.loadEventFired") loaded()
  }
  browser.listeners.add(listener)
  const go = async (to: string) => {
    const arrived = new Promise<void>((resolve) => {
      loaded = resolve
    })
    await send("Page.navigate", { url: to })
    await arrived
  }
  // A tab behind another one draws nothing.
  await send("Page.bringToFront")
  const features = [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]
  await send("Emulation.setEmulatedMedia", { media: "", features })
  await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false })
  await go(url)
  const evaluate = async (expression: string) => {
    const params = { expression, awaitPromise: true, returnByValue: true, userGesture: true }
    const { exceptionDetails, result } = await send("Runtime.evaluate", params)
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return inner(result)["value"]
  }
  const page: Page = {
    send,
    evaluate,
    press: async (key, modifiers = 0) => {
      const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined
      const event = { key, modifiers, ...(text === undefined ? {} : { text }) }
      await send("Input.dispatchKeyEvent", { type: "keyDown", ...event })
      await send("Input.dispatchKeyEvent", { type: "keyUp", key, modifiers })
    },
    screenshot: async (path) => {
      const { data } = await send("Page.captureScreenshot", { format: "png" })
      writeFileSync(path, Buffer.from(String(data), "base64"))
    },
    close: async () => {
      await go("about:blank")
      browser.listeners.delete(listener)
      left()
    },
    problems,
    requests
  }
  return page
}

/** A tab takes four times as long to make as to use, so those that were left are used again. */
const makeOpen = (browser: Browser) => {
  const free: Array<Tab> = []
  return async (url: string, look: Look = {}) => {
    const tab = free.pop() ?? (await openTab(browser))
    return openPage(browser, tab, url, look, () => free.push(tab))
  }
}

/** A browser that ends with the scope; `open` shows a file or address in a page of its own. */
export const make = Effect.acquireRelease(
  Effect.promise(async () => {
    const home = mkdtempSync(join(tmpdir(), "heddle-chromium-"))
    return { home, ...(await launch(home)) }
  }),
  ({ browser, child, home }) =>
    Effect.promise(async () => {
      browser.close()
      await end(child)
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    })
).pipe(Effect.map(({ browser }) => ({ open: makeOpen(browser) })))
