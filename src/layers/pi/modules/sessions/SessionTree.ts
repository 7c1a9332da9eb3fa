/** The entries of one session in the shape of pi's files, with the questions that pi's `SessionManager` answers. */
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import * as SessionEntries from "../agent/SessionEntries.ts"

export interface SessionSource {
  readonly header: JsonObject
  readonly entries: ReadonlyArray<JsonObject>
  readonly file?: string | undefined
  readonly folder: string
}

interface Node {
  readonly entry: JsonObject
  readonly children: Array<Node>
  readonly label: string | undefined
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

export class SessionTree {
  readonly #header: JsonObject
  readonly #file: string | undefined
  readonly #folder: string
  readonly #entries: Array<JsonObject>
  readonly #byId: Map<string, JsonObject>
  #leaf: string | null

  constructor({ entries, file, folder, header }: SessionSource) {
    this.#header = header
    this.#file = file
    this.#folder = folder
    this.#entries = [...entries]
    this.#byId = new Map(entries.map((entry) => [text(entry["id"]) ?? "", entry]))
    this.#leaf = text(entries.at(-1)?.["id"]) ?? null
  }

  getHeader(): JsonObject {
    return this.#header
  }

  getSessionId(): string {
    return text(this.#header["id"]) ?? ""
  }

  getCwd(): string {
    return text(this.#header["cwd"]) ?? ""
  }

  getSessionFile(): string | undefined {
    return this.#file
  }

  getSessionDir(): string {
    return this.#folder
  }

  isPersisted(): boolean {
    return this.#file !== undefined
  }

  getEntries(): Array<JsonObject> {
    return [...this.#entries]
  }

  getEntryCount(): number {
    return this.#entries.length
  }

  getEntry(id: string): JsonObject | undefined {
    return this.#byId.get(id)
  }

  getLeafId(): string | null {
    return this.#leaf
  }

  getLeafEntry(): JsonObject | undefined {
    return this.#leaf === null ? undefined : this.#byId.get(this.#leaf)
  }

  getChildren(parentId: string): Array<JsonObject> {
    return this.#entries.filter((entry) => entry["parentId"] === parentId)
  }

  getBranch(fromId: string | null = this.#leaf): ReadonlyArray<JsonObject> {
    return SessionEntries.branchOf(this.#entries, fromId)
  }

  buildContextEntries(): ReadonlyArray<JsonObject> {
    return SessionEntries.buildContextEntries(this.#entries, this.#leaf)
  }

  getSessionName(): string | undefined {
    return text(this.#entries.findLast(({ type }) => type === "session_info")?.["name"])
  }

  getLabel(id: string): string | undefined {
    return text(this.#entries.findLast(({ targetId, type }) => type === "label" && targetId === id)?.["label"])
  }

  getTree(): ReadonlyArray<Node> {
    const labels = new Map(
      this.#entries.filter(({ type }) => type === "label").map(({ label, targetId }) => [targetId, text(label)])
    )
    const nodes = new Map<unknown, Node>()
    const roots: Array<Node> = []
    for (const entry of this.#entries) {
      const node: Node = { entry, children: [], label: labels.get(entry["id"]) }
      nodes.set(entry["id"], node)
      const siblings = nodes.get(entry["parentId"])?.children ?? roots
      siblings.push(node)
    }
    return roots
  }

  /** Puts an entry after the leaf. */
  protected add(entry: JsonObject, id: string, timestamp: string): string {
    const placed = { ...entry, id, parentId: this.#leaf, timestamp }
    this.#entries.push(placed)
    this.#byId.set(id, placed)
    this.#leaf = id
    return id
  }

  protected moveTo(leaf: string | null) {
    if (leaf !== null && !this.#byId.has(leaf)) throw new Error(`the session has no entry ${leaf}`)
    this.#leaf = leaf
  }
}
