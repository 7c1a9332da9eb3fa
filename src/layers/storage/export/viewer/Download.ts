/** Saves the embedded session as the file it was: a line of JSON for the header and one for each entry. */
import { h } from "./Dom.ts"
import type { SessionData } from "./conversation/Entries.ts"
import { text } from "./text/Json.ts"

const extension = ".jsonl"

export const linesOf = ({ entries, header }: SessionData): ReadonlyArray<string> =>
  [header, ...entries.map(({ raw }) => raw)].map((line) => `${JSON.stringify(line)}\n`)

export const nameOf = ({ header }: SessionData): string =>
  `${
    text(header["id"])
      .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
      .slice(0, 100) || "session"
  }${extension}`

export const save = (data: SessionData): void => {
  const url = URL.createObjectURL(new Blob([...linesOf(data)], { type: "application/x-ndjson" }))
  h("a", { href: url, download: nameOf(data) }).click()
  // The browser reads the data after this task.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
