/** Whether the sandbox explains why a command failed, and what would allow it, for the model and the people behind it. Pure. */
import type { Backend } from "../../../services/machine/Sandbox.ts"
import type { Policy } from "./Policy.ts"
import { says, writableWords } from "./Policy.ts"

const ofNetwork =
  /network is unreachable|could not resolve|temporary failure in name resolution|name or service not known|EAI_AGAIN|ENETUNREACH|ENOTFOUND|getaddrinfo|no address associated|failed to connect to|couldn't connect|failed to lookup address/i
const ofFiles = /read-only file system|EROFS/i
const ofRepository = /\.git\/|\.git'|index\.lock|FETCH_HEAD|COMMIT_EDITMSG|refs\/heads/
const ofSettings = /\.heddle|\.pi\//
const ofRights = /operation not permitted|EPERM|permission denied|EACCES/i
const ofRoom = /no space left on device|ENOSPC/i

/** A failure is explained by what stands at the end of the output. */
const longest = 16 * 1024

const once =
  "call bash again with escalate: true, and the user is asked to run this one command without the sandbox (or the user runs it, or starts heddle with --sandbox off)"

/** There every refusal reads the same. It says nothing of a read-only file system, and the machine's own room is used. */
const ofLandlock = ({ mode, network, writable }: Policy, end: string): string | undefined => {
  if (!ofRights.test(end) && !(network === "off" && ofNetwork.test(end))) return undefined
  const sockets = network === "off" ? "uses no network and no Unix socket" : "uses no Unix socket"
  return `${says(mode)} a command can write ${[...writable, "the folder in $TMPDIR"].join(", ")}, reads neither keys nor other temporary files, has no right of root, and ${sockets}. For more, ${once}; the user can also name folders in the setting sandbox.writable.`
}

/** One sentence; undefined where the failure has other reasons. */
export const advice = (policy: Policy, output: string, backend: Backend = "bubblewrap"): string | undefined => {
  const end = output.slice(-longest)
  if (backend === "landlock") return ofLandlock(policy, end)
  const begin = says(policy.mode)
  if (ofFiles.test(end)) {
    if (ofRepository.test(end)) return `${begin} .git is read-only, so git can look and not commit. To commit, ${once}.`
    if (ofSettings.test(end)) return `${begin} .heddle and .pi are read-only. To change them, ${once}.`
    return `${begin} a command can write ${writableWords(policy.writable)}. For more, ${once}; the user can also name folders in the setting sandbox.writable.`
  }
  if (policy.network === "off" && ofNetwork.test(end))
    return `${begin} the network is off. To use it, ${once}; the user can also start heddle with --network on.`
  if (ofRoom.test(end))
    return `${begin} the private /tmp is full, or the disk is. The setting sandbox.tmpBytes has its size; write large files into the working folder.`
  if (ofRights.test(end))
    return `${begin} what was refused may be a file that is invisible, a Unix socket, a key store or a right of root. To do it, ${once}.`
  return undefined
}
