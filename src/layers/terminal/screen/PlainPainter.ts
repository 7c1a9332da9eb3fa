/** For terminals that cannot move their cursor: rows are written once, and the prompt again when others came in between. */
import * as Text from "../../../domain/Text.ts"
import type { Painter } from "./Painter.ts"

export const make = (): Painter => {
  let asked = ""
  const lines = (rows: ReadonlyArray<string>) => rows.map((row) => `${Text.styled(row)}\n`).join("")
  return {
    frame: (final, { invitation = [] }) => {
      const question = invitation.map(Text.styled).join("\n")
      if (final.length === 0 && question === asked) return ""
      // Enter has ended the line of the prompt; other rows have to begin a new one.
      const before = asked === "" || final.length === 0 ? "" : "\n"
      asked = question
      return before + lines(final) + question
    },
    resized: () => undefined,
    close: (final) => `\n${lines(final)}`
  }
}
