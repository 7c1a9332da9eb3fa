/** The few functions of the C library that neither Bun nor Node offers. Loaded with the first process that is started. */
import { once } from "../../../../domain/Values.ts"
import * as Engine from "../../engine/Engine.ts"

const isLinux = process.platform === "linux"

const pipes = { pipe: { args: ["ptr"], returns: "i32" } } as const

const trees = {
  pipe2: { args: ["ptr", "i32"], returns: "i32" },
  prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
  getrlimit: { args: ["i32", "ptr"], returns: "i32" },
  setrlimit: { args: ["i32", "ptr"], returns: "i32" },
  waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" }
} as const

const libraries = process.platform === "darwin" ? ["libSystem.B.dylib"] : ["libc.so.6", "libc.so"]

/** The first of the C libraries that has them all; undefined when there is none that can be called. */
const load = <A>(open: (library: string) => A): A | undefined => {
  if (process.platform === "win32") return undefined
  for (const name of libraries) {
    try {
      return open(name)
    } catch {
      continue // another C library, or none
    }
  }
  return undefined
}

const unix = once(() => load((library) => Engine.ffi().dlopen(library, pipes).symbols))
const linux = once(() => (isLinux ? load((library) => Engine.ffi().dlopen(library, trees).symbols) : undefined))

const ptr = (bytes: NodeJS.TypedArray) => Engine.ffi().ptr(bytes)

const closeOnExec = 0o2000000

/** Both ends of a new kernel pipe; undefined when there is no C library or no descriptor is left. */
export const pipe = (): { readonly output: number; readonly input: number } | undefined => {
  const ends = new Int32Array(2)
  const failed = isLinux ? linux()?.pipe2(ptr(ends), closeOnExec) : unix()?.pipe(ptr(ends))
  const [output = -1, input = -1] = ends
  return failed === 0 ? { output, input } : undefined
}

const setChildSubreaper = 36

/** From here on, a process below this one that loses its parent becomes a child of this process. */
export const adoptOrphans = (): boolean => linux()?.prctl(setChildSubreaper, 1n, 0n, 0n, 0n) === 0

const doNotWait = 1

/** Takes the exit status of a child that has ended, so that nothing of it stays in the process table. */
export const reap = (pid: number): void => void linux()?.waitpid(pid, null, doNotWait)

const fileLocks = 10
const limits = new BigUint64Array(2)

/** The soft limit on file locks of this process, which new processes inherit. Linux enforces none since 2.4. */
export const fileLockLimit = (): bigint | undefined =>
  linux()?.getrlimit(fileLocks, ptr(limits)) === 0 ? limits[0] : undefined

/** False when the hard limit is lower. */
export const setFileLockLimit = (soft: bigint): boolean => {
  if (fileLockLimit() === undefined) return false
  limits[0] = soft
  return linux()?.setrlimit(fileLocks, ptr(limits)) === 0
}
