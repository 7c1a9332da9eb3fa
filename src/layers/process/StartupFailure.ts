/** The program cannot do what its command line asks for. */
import * as Schema from "effect/Schema"

/** The code is for programs, the text for people. */
export class StartupFailure extends Schema.TaggedError<StartupFailure>()("StartupFailure", {
  code: Schema.Literal("INVALID_ARG", "NO_MODEL", "STARTUP_ERROR"),
  message: Schema.String
}) {}

export const invalid = (message: string) => new StartupFailure({ code: "INVALID_ARG", message })
