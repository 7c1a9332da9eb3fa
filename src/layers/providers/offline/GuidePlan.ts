/** Which tool calls a prompt deserves, given what is known so far. Pure; what was called already is listed too. */
import type { Call, Evidence, MadeCall } from "./GuideEvidence.ts"
import * as GuideListing from "./GuideListing.ts"
import * as GuidePrompt from "./GuidePrompt.ts"

export const workingFolder = "."

export const join = (folder: string, name: string): string =>
  folder === workingFolder ? name : `${folder.replace(/\/+$/, "")}/${name}`

const first = (targets: ReadonlyArray<GuidePrompt.Target>): ReadonlyArray<Call> =>
  targets.length === 0
    ? [{ tool: "ls", path: workingFolder }]
    : targets.map(({ kind, path }) => ({ tool: kind === "file" ? "read" : "ls", path }))

/** Calls that the answer to an earlier call suggests. */
const followUps = (call: MadeCall, mentioned: (listing: GuideListing.Listing) => ReadonlyArray<Call>) => {
  const { answer, path, tool } = call
  if (answer === undefined) return []
  if (answer.isError) {
    // The kind of a path was only guessed from its name.
    if (tool === "read" && /is a (directory|folder)|EISDIR/i.test(answer.text)) return [{ tool: "ls", path } as const]
    if (tool === "ls" && /not a (directory|folder)|ENOTDIR/i.test(answer.text)) return [{ tool: "read", path } as const]
    return []
  }
  if (tool === "read") return []
  const listing = GuideListing.parse(answer.text)
  const asked = mentioned(listing)
  if (asked.length > 0) return asked
  return GuideListing.worthReading(listing).map((name): Call => ({ tool: "read", path: join(path, name) }))
}

/** Entries of the working folder that a prompt without paths speaks of: `src` in "look at src". */
export const mentionedIn = (listing: GuideListing.Listing, evidence: Evidence): ReadonlyArray<Call> =>
  GuideListing.mentioned(listing, GuidePrompt.words(evidence.prompt)).map(({ isFolder, name }) => ({
    tool: isFolder ? "ls" : "read",
    path: name
  }))

export const make = (targets: ReadonlyArray<GuidePrompt.Target>, evidence: Evidence): ReadonlyArray<Call> => [
  ...first(targets),
  ...evidence.made.flatMap((call) =>
    followUps(call, (listing) =>
      targets.length === 0 && call.path === workingFolder ? mentionedIn(listing, evidence) : []
    )
  )
]
