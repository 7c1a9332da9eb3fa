/**
 * The arguments of bubblewrap for a policy. Root keeps its number inside, so the files of /proc that belong to root are mounted
 * read-only, all capabilities are dropped, and no other user namespace can be made. The order counts: later mounts cover earlier
 * ones. Pure.
 */
import type { Environment } from "../../../services/machine/Processes.ts"
import { type Hidden, isIn, isPrivate, type Policy } from "./Policy.ts"

/** What root could write in a /proc of its own. */
const ofKernel = [
  "/proc/sysrq-trigger",
  "/proc/irq",
  "/proc/bus",
  "/proc/fs",
  "/proc/acpi",
  "/proc/scsi",
  "/proc/pressure"
]

const readable = (path: string) => ["--ro-bind", path, path]
const readableIfThere = (path: string) => ["--ro-bind-try", path, path]

const small = (path: string, bytes: number) => ["--perms", "1777", "--size", String(bytes), "--tmpfs", path]

/** Empty, and nothing can be put into it. */
const empty = (path: string) => ["--perms", "0555", "--size", "4096", "--tmpfs", path, "--remount-ro", path]

const hide = ({ isFolder, path }: Hidden) => (isFolder ? empty(path) : ["--ro-bind", "/dev/null", path])

const byDepth = (paths: ReadonlyArray<string>) => [...new Set(paths)].toSorted((a, b) => a.length - b.length)

export interface View {
  readonly policy: Policy
  readonly cwd: string
  /** Temporary folders of this machine that exist, without links. */
  readonly temporary: ReadonlyArray<string>
  /** In /run, and needed: the file behind /etc/resolv.conf. */
  readonly ofRun: ReadonlyArray<string>
  /** Files of heddle that the program has to read. */
  readonly reads: ReadonlyArray<string>
  /** Of the filter of system calls, and of the variables. */
  readonly descriptors: { readonly filter: number; readonly variables: number }
}

/** More arguments: variables may be long, and the arguments of a program can be read by other users. */
export const settingVariables = (variables: Environment): Uint8Array => {
  const words = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : ["--setenv", name, value]
  )
  return new TextEncoder().encode(words.map((word) => `${word.replaceAll("\0", "")}\0`).join(""))
}

const devices = (bytes: number) => [
  "--dev",
  "/dev",
  ...small("/dev/shm", bytes),
  "--remount-ro",
  "/dev",
  "--proc",
  "/proc",
  ...readable("/proc/sys"),
  ...ofKernel.flatMap(readableIfThere)
]

const namespaces = ({ network }: Policy) => {
  const user = "--unshare-user --disable-userns --cap-drop ALL"
  const others = `--unshare-pid --unshare-ipc${network === "off" ? " --unshare-net" : ""}`
  return `${user} ${others} --die-with-parent --new-session`.split(" ")
}

export const words = (program: string, view: View): ReadonlyArray<string> => {
  const { cwd, descriptors, ofRun, policy, reads, temporary } = view
  const { absent, hidden, kept, tmpBytes, workspace, writable } = policy
  const isCovered = (path: string) => hidden.some((one) => one.path !== path && isIn(one.path, path))
  const isShown = isPrivate(workspace) && !writable.some((folder) => isIn(folder, workspace))
  return [
    program,
    ...readable("/"),
    ...devices(tmpBytes),
    ...temporary.filter((path) => path !== "/dev/shm").flatMap((path) => small(path, tmpBytes)),
    "--perms",
    "0755",
    "--tmpfs",
    "/run",
    ...ofRun.flatMap(readableIfThere),
    ...(isShown ? readable(workspace) : []),
    ...byDepth(writable).flatMap((path) => ["--bind", path, path]),
    ...reads.flatMap(readable),
    ...byDepth(kept).flatMap(readableIfThere),
    ...byDepth(absent).flatMap(empty),
    ...hidden.filter(({ path }) => !isCovered(path)).flatMap(hide),
    "--remount-ro",
    "/run",
    ...namespaces(policy),
    "--seccomp",
    String(descriptors.filter),
    "--args",
    String(descriptors.variables),
    "--chdir",
    cwd,
    "--"
  ]
}
