/**
 * What Landlock is told of a policy. It knows only what is allowed, with all that is below: so a folder with something invisible in
 * it is not allowed as a whole, but each of its other entries is. Names can be listed everywhere. Pure.
 */
import type { Environment } from "../../../services/machine/Processes.ts"
import { isIn, isPrivate, type Policy, temporary } from "./Policy.ts"

/** Programs write to these, and expect to. Others could be disks, or terminals. */
const devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]

/** The entries of a folder that are no links, as paths; none where it cannot be read. */
export type Entries = (folder: string) => ReadonlyArray<string>

const around = (folder: string, closed: ReadonlyArray<string>, entries: Entries): ReadonlyArray<string> => {
  if (closed.some((path) => isIn(path, folder))) return []
  if (!closed.some((path) => isIn(folder, path))) return [folder]
  return entries(folder).flatMap((path) => around(path, closed, entries))
}

/** It cannot take anything out of a folder that is writable. */
export const problem = ({ hidden, writable }: Policy): string | undefined => {
  const within = hidden.find(({ path }) => writable.some((folder) => isIn(folder, path)))
  return within === undefined ? undefined : `Landlock cannot hide ${within.path}, which is in a writable folder`
}

export interface View {
  readonly policy: Policy
  readonly cwd: string
  readonly variables: Environment
  /** The folder for temporary files of this one command. */
  readonly room: string
  /** In /run, and needed. */
  readonly ofRun: ReadonlyArray<string>
  readonly filter: string
}

const assigned = (variables: Environment, room: string): Environment => ({
  ...variables,
  TMPDIR: room,
  TMP: room,
  TEMP: room
})

/** As the program in system/LandlockProgram.ts reads it. */
export const order = ({ cwd, filter, ofRun, policy, room, variables }: View, entries: Entries): Uint8Array => {
  const { hidden, network, workspace, writable } = policy
  const invisible = hidden.map(({ path }) => path)
  const isShown = isPrivate(workspace)
  return new TextEncoder().encode(
    JSON.stringify({
      cwd,
      env: assigned(variables, room),
      filter,
      network,
      listable: ["/"],
      readable: [
        ...around("/", [...invisible, ...temporary, "/run", "/dev"], entries),
        ...(isShown ? around(workspace, invisible, entries) : []),
        ...ofRun
      ],
      writable: [...writable, room, ...devices]
    })
  )
}

/** Nothing of the folder that the command starts in counts for Bun, which starts in the topmost. */
export const words = (bun: string, program: string, reads: ReadonlyArray<string>): ReadonlyArray<string> => [
  bun,
  "--no-install",
  "--no-env-file",
  "--config=/dev/null",
  "--tsconfig-override=/dev/null",
  "-e",
  program,
  "--",
  JSON.stringify(reads)
]
