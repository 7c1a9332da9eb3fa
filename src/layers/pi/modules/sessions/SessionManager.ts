/** pi's `SessionManager`: stored sessions can be listed and read, sessions in memory can be written, too. */
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import { defined } from "../../../../domain/Values.ts"
import { dirname } from "../../../machine/files/LocalPaths.ts"
import * as Engine from "../../../machine/engine/Engine.ts"
import * as IsoTime from "../../../machine/engine/IsoTime.ts"
import * as SessionEntries from "../agent/SessionEntries.ts"
import type { Holder, SessionListing } from "../HostBindings.ts"
import { SessionTree } from "./SessionTree.ts"

interface Creating {
  readonly id?: string
  readonly parentSession?: string
}

const newHeader = (cwd: string, { id, parentSession }: Creating): JsonObject => ({
  type: "session",
  version: 3,
  id: id ?? Engine.uuidv7(),
  timestamp: IsoTime.systemNow(),
  cwd,
  ...defined({ parentSession })
})

/** A session of pi says more about itself; the text of all messages would need every file. */
const toInfo = ({ created, firstMessage, modified, ...listing }: SessionListing) => ({
  ...listing,
  created: IsoTime.toDate(created),
  modified: IsoTime.toDate(modified),
  firstMessage,
  allMessagesText: firstMessage
})

/** Refuses to write a session that has a file: its entries belong to the agent that runs it. */
class WritableTree extends SessionTree {
  #append(entry: JsonObject): string {
    if (this.isPersisted()) throw new Error("extensions cannot write session files in heddle: use pi.appendEntry")
    return this.add(entry, crypto.randomUUID().slice(0, 8), IsoTime.systemNow())
  }

  appendMessage(message: unknown): string {
    return this.#append({ type: "message", message })
  }

  appendThinkingLevelChange(thinkingLevel: string): string {
    return this.#append({ type: "thinking_level_change", thinkingLevel })
  }

  appendModelChange(provider: string, modelId: string): string {
    return this.#append({ type: "model_change", provider, modelId })
  }

  appendCustomEntry(customType: string, data?: unknown): string {
    return this.#append({ type: "custom", customType, data })
  }

  appendCustomMessageEntry(customType: string, content: unknown, display: boolean, details?: unknown): string {
    return this.#append({ type: "custom_message", customType, content, display, details })
  }

  appendSessionInfo(name: string): string {
    return this.#append({ type: "session_info", name })
  }

  appendLabelChange(targetId: string, label: string | undefined): string {
    return this.#append({ type: "label", targetId, label })
  }

  branch(id: string) {
    this.moveTo(id)
  }

  resetLeaf() {
    this.moveTo(null)
  }
}

interface ManagedSession extends WritableTree {
  buildSessionContext(): ReturnType<ReturnType<typeof SessionEntries.make>["buildSessionContext"]>
}

/** What extensions import as `SessionManager`. */
export interface SessionManagerClass {
  new (...from: ConstructorParameters<typeof WritableTree>): ManagedSession
  list(cwd: string, sessionDir?: string): Promise<ReadonlyArray<ReturnType<typeof toInfo>>>
  listAll(): Promise<ReadonlyArray<ReturnType<typeof toInfo>>>
  open(path: string, sessionDir?: string): ManagedSession
  create(cwd: string, sessionDir?: string, options?: Creating): ManagedSession
  continueRecent(cwd: string, sessionDir?: string): ManagedSession
  inMemory(cwd?: string, options?: Creating): ManagedSession
}

export const make = (holder: Holder): SessionManagerClass => {
  const { buildSessionContext } = SessionEntries.make(holder)
  const sessions = () => holder.get().sessions

  return class SessionManager extends WritableTree {
    static async list(cwd: string, sessionDir?: string) {
      return (await sessions().list(sessionDir ?? sessions().folderOf(cwd))).map(toInfo)
    }

    static async listAll() {
      return (await sessions().listAll()).map(toInfo)
    }

    static open(path: string, sessionDir?: string): SessionManager {
      return new SessionManager({ ...sessions().read(path), file: path, folder: sessionDir ?? dirname(path) })
    }

    /** A session of its own in memory: only the agent writes files. */
    static create(cwd: string, sessionDir?: string, options: Creating = {}): SessionManager {
      const folder = sessionDir ?? sessions().folderOf(cwd)
      return new SessionManager({ header: newHeader(cwd, options), entries: [], folder })
    }

    static continueRecent(cwd: string, sessionDir?: string): SessionManager {
      const folder = sessionDir ?? sessions().folderOf(cwd)
      const latest = sessions().latest(folder)
      return latest === undefined ? SessionManager.create(cwd, folder) : SessionManager.open(latest, folder)
    }

    static inMemory(cwd: string = holder.get().cwd, options: Creating = {}): SessionManager {
      return new SessionManager({ header: newHeader(cwd, options), entries: [], folder: "" })
    }

    buildSessionContext() {
      return buildSessionContext(this.getEntries(), this.getLeafId())
    }
  }
}
