/** A process that was started, and the request to start one: the same on Bun and on Node. */
import type { Environment } from "../../../../services/machine/Processes.ts"

/** Bytes that a process writes. */
export interface Source {
  /** The next bytes, or undefined after the last ones. */
  readonly read: () => Promise<Uint8Array | undefined>
  readonly close: () => void
}

/** One kernel pipe for both output streams of a child, so that output is read in the order of writing. */
export interface OutputPipe extends Source {
  /** The descriptor for the child. The reader sees the end when every copy of it is closed. */
  readonly input: number
  readonly closeInput: () => void
}

export interface SpawnOptions {
  /** Its name or path, then its arguments. */
  readonly command: ReadonlyArray<string>
  readonly cwd?: string
  readonly env: Environment
  /** Held open until this process ends or `release` is called; otherwise the child has nothing to read. */
  readonly holdsInput?: boolean
  /** A descriptor, or a stream of the child. */
  readonly stdout?: number | "pipe"
  readonly stderr?: number | "pipe"
  /** Descriptors that the child gets as 3 and up. */
  readonly files?: ReadonlyArray<number>
  /** What it starts bears the mark, too (Marks.ts). */
  readonly mark: string
}

/** A process that leads a group and a session of its own. */
export interface Child {
  readonly pid: number
  /** Never rejects. */
  readonly exited: Promise<unknown>
  readonly exitCode: number | null
  /** A number where the signal has no name. */
  readonly signalCode: NodeJS.Signals | number | null
  readonly stdout: Source | undefined
  readonly stderr: Source | undefined
  /** Lets this process end before the child does. */
  readonly unref: () => void
  /** Ends the input that is held. */
  readonly release: () => void
}
