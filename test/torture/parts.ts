/** The parts of the suite, in the order in which they run. */
import type { Context, Part } from "../support/torture/Part.ts"
import { part as folders } from "./folders/part.ts"
import { part as kills } from "./kills/part.ts"
import { part as providers } from "./providers/part.ts"
import { part as reader } from "./reader/part.ts"
import { part as sandbox } from "./sandbox/part.ts"
import { part as schedules } from "./schedules/part.ts"
import { part as soak } from "./soak/part.ts"
import * as Others from "./target/Others.ts"
import * as Target from "./target/Wire.ts"
import { part as wire } from "./wire/part.ts"

/** Those that can be pointed at another agent, with `--target`. */
export const targets: Readonly<Record<string, (context: Context, target: string) => Promise<void>>> = {
  wire: Target.run,
  kills: Others.kills,
  providers: Others.providers,
  folders: Others.folders,
  reader: Others.reader
}

export const parts: Readonly<Record<string, Part>> = {
  wire,
  schedules,
  kills,
  providers,
  folders,
  reader,
  sandbox,
  soak
}
