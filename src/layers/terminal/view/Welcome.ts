/** The first rows of a session. Pure. */
import * as Rows from "../screen/Rows.ts"
import type { Style } from "../screen/Style.ts"

export const render = (version: string, style: Style, width: number): ReadonlyArray<string> => [
  `${style.bold("heddle")} ${style.dim(version)}`,
  ...Rows.wrap("/help lists commands and keys · @file attaches a file · Ctrl-D leaves", width).map(style.dim)
]
