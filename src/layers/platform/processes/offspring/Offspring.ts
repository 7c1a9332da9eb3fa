/** The one way in which heddle starts a process: marked, with what it leaves behind adopted, and no secret of ours in sight. */
import * as Guardian from "./Guardian.ts"
import * as Marks from "./Marks.ts"
import * as Orphans from "./Orphans.ts"
import * as OwnSecrets from "../OwnSecrets.ts"
import * as Engine from "../../Engine.ts"

/** `spawn` calls Bun.spawn, which has too many forms to repeat. Throws what it throws. */
export const start = <A extends Bun.Subprocess>(mark: string, spawn: () => A): A => {
  Engine.needBun("Starting programs")
  OwnSecrets.hide()
  Orphans.adopt()
  if (mark !== Marks.ofOthers) Guardian.ensure(Orphans.watch)
  const child = Marks.put(mark, spawn)
  Orphans.watch(child)
  return child
}
