/**
 * The secrets in heddle's own environment and arguments. Any process of the same user can read those of another in /proc,
 * so before the first process is started the secrets move to a private map, and what the kernel shows is overwritten.
 */
import * as Engine from "../engine/Engine.ts"
import * as Process from "./Process.ts"
import * as ProcFiles from "./offspring/ProcFiles.ts"
import { isSecret, mayPass } from "./VariableNames.ts"

const moved = new Map<string, string>()

export const get = (name: string): string | undefined => moved.get(name)

export const all = (): Readonly<Record<string, string>> => Object.fromEntries(moved)

interface Block {
  readonly from: number
  readonly to: number
}

/** Writes NUL over the end of each string in the block, from where `keep` says. Bun has copied them all at its start. */
const overwrite = ({ from, to }: Block, keep: (text: string, previous: string) => number) => {
  if (!(to > from)) return
  const memory = new Uint8Array(Engine.ffi().toArrayBuffer(from, 0, to - from))
  let start = 0
  let previous = ""
  for (const text of Buffer.from(memory.buffer).toString("latin1").split("\0")) {
    const kept = keep(text, previous)
    if (kept < text.length) memory.fill(0, start + kept, start + text.length)
    previous = text
    start += text.length + 1
  }
}

/** The environment keeps what every command gets anyway, and the names of the rest. */
const keepVariable = (text: string): number => {
  const equals = text.indexOf("=")
  return equals < 0 || mayPass(text.slice(0, equals)) ? text.length : equals + 1
}

const keyOption = "--api-key"

const keepArgument = (text: string, previous: string): number => {
  if (previous === keyOption) return 0
  return text.startsWith(`${keyOption}=`) ? keyOption.length + 1 : text.length
}

let areHidden = false

/** Only in a process that is heddle's alone: in another program, its own code may still want them. */
export const hide = (): void => {
  if (areHidden || !Process.isOurs()) return
  areHidden = true
  for (const name of Object.keys(process.env).filter(isSecret)) {
    moved.set(name, process.env[name] ?? "")
    delete process.env[name]
  }
  if (process.platform !== "linux") return
  const blocks = ProcFiles.startBlocks(process.pid)
  overwrite(blocks.environment, keepVariable)
  overwrite(blocks.arguments, keepArgument)
}
