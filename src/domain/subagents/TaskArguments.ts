/** The arguments of the tool `task`, as models see them and as they are checked (protocol.md 14.2). */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { JsonObject, optional } from "../conversation/Content.ts"
import type { Spawns } from "./AgentDefinition.ts"
import { explain } from "../Values.ts"

const item = Schema.Struct({
  id: optional(Schema.NullOr(Schema.String)),
  description: optional(Schema.NullOr(Schema.String)),
  assignment: optional(Schema.NullOr(Schema.String))
})

/** More lenient than what models see: what is missing is named by a text of its own. */
const TaskCall = Schema.Struct({
  agent: Schema.String,
  context: optional(Schema.NullOr(Schema.String)),
  schema: optional(Schema.NullOr(JsonObject)),
  tasks: optional(Schema.NullOr(Schema.Array(item))),
  isolated: optional(Schema.NullOr(Schema.Boolean)),
  verify: optional(Schema.NullOr(Schema.Union(Schema.Boolean, Schema.String, JsonObject)))
})
type TaskCall = typeof TaskCall.Type

export interface TaskItem {
  readonly id: string
  readonly description?: string
  readonly assignment: string
}

export interface TaskArguments {
  readonly agent: string
  readonly context?: string
  readonly schema?: JsonObject
  readonly tasks: ReadonlyArray<TaskItem>
  readonly isolated: boolean
  readonly verify?: boolean | string | JsonObject
}

export interface TaskRules {
  /** All agents, in the order in which they are listed. */
  readonly agents: ReadonlyArray<string>
  readonly disabled: ReadonlyArray<string>
  /** What the agent that asks may start. */
  readonly spawns: Spawns
  readonly isIsolationEnabled: boolean
}

const longestId = 48
/** Every report of progress has all tasks of the call. */
const mostTasks = 200
const safeId = /^[A-Za-z0-9._-]+$/
const text = (description: string): JsonObject => ({ type: "string", description })

const isolation: JsonObject = {
  isolated: {
    type: "boolean",
    description: "Run each task in a git worktree of its own; its changes are brought back when it has succeeded."
  },
  verify: {
    description:
      "Check the changes of each isolated task before they are brought back: true for the default profile, the name of a profile, or an object of settings.",
    anyOf: [{ type: "boolean" }, { type: "string" }, { type: "object" }]
  }
}

/** The JSON Schema that models are shown. */
export const parameters = (options: { readonly hasIsolation: boolean }): JsonObject => ({
  type: "object",
  properties: {
    agent: text("The agent that does the tasks."),
    context: text("What all of the tasks need to know. It is put before each assignment."),
    schema: {
      type: "object",
      description: "A JSON Schema (or JSON Type Definition) of the result of each task, if you need it as data."
    },
    tasks: {
      type: "array",
      minItems: 1,
      description: "They run at the same time, so none of them can rely on another.",
      items: {
        type: "object",
        properties: {
          id: {
            type: "string",
            minLength: 1,
            maxLength: longestId,
            pattern: safeId.source,
            description: 'A short name, different from that of the other tasks: letters, digits, "-", "_" and ".".'
          },
          description: text("What the task is about, in a few words, for the user."),
          assignment: text("All that the agent needs to do the task: it does not see this conversation.")
        },
        required: ["id", "description", "assignment"],
        additionalProperties: false
      }
    },
    ...(options.hasIsolation ? isolation : {})
  },
  required: ["agent", "tasks"],
  additionalProperties: false
})

export const notARepository =
  "Isolated task execution requires a git repository. Remove the isolated argument, or run in a folder that is in one."

const listed = (names: ReadonlyArray<string>, nothing = "none") => (names.length === 0 ? nothing : names.join(", "))

const indexesWhere = <A>(items: ReadonlyArray<A>, isSo: (item: A) => boolean) =>
  items.flatMap((item, index) => (isSo(item) ? [index] : []))

const isBlank = (value: string | null | undefined) => (value ?? "").trim() === ""

/** Every id whose lower-case form another one has, too. */
const duplicates = (ids: ReadonlyArray<string>) => {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id.toLowerCase(), (counts.get(id.toLowerCase()) ?? 0) + 1)
  return [...new Set(ids.filter((id) => (counts.get(id.toLowerCase()) ?? 0) > 1))]
}

const taskProblem = (tasks: ReadonlyArray<NonNullable<TaskCall["tasks"]>[number]>): string | undefined => {
  const ids = tasks.map(({ id }) => (id ?? "").trim())
  const at = (what: string, indexes: ReadonlyArray<number>) =>
    indexes.length === 0 ? [] : [`${what} at indexes: ${indexes.join(", ")}`]
  const twice = duplicates(ids.filter((id) => id !== ""))
  const problems = [
    ...at("Missing task ids", indexesWhere(ids, isBlank)),
    ...(twice.length === 0 ? [] : [`Duplicate task ids detected (case-insensitive): ${twice.join(", ")}`]),
    ...at(
      `Task ids of more than ${longestId} characters`,
      indexesWhere(ids, (id) => id.length > longestId)
    ),
    ...at(
      'Task ids with characters other than letters, digits, "-", "_" and "."',
      indexesWhere(ids, (id) => id !== "" && !safeId.test(id))
    ),
    ...at(
      "Missing assignments",
      indexesWhere(tasks, ({ assignment }) => isBlank(assignment))
    )
  ]
  return problems.length === 0 ? undefined : `Invalid tasks: ${problems.join(". ")}`
}

const agentProblem = (agent: string, { agents, disabled, spawns }: TaskRules): string | undefined => {
  const usable = agents.filter((name) => !disabled.includes(name) && (spawns === "*" || spawns.includes(name)))
  if (!agents.includes(agent)) return `Unknown agent "${agent.slice(0, 200)}". Available: ${listed(usable)}`
  if (disabled.includes(agent))
    return `Agent "${agent}" is disabled in settings. Use another one (${listed(usable)}), or remove it from task.disabledAgents.`
  return undefined
}

const spawnProblem = (agent: string, spawns: Spawns): string | undefined =>
  spawns === "*" || spawns.includes(agent)
    ? undefined
    : `Cannot spawn '${agent}'. Allowed: ${listed(spawns, "none (this agent may start no others)")}`

const problemOf = ({ agent, isolated, tasks }: TaskCall, rules: TaskRules): string | undefined => {
  const unusable = agentProblem(agent, rules)
  if (unusable !== undefined) return unusable
  if ((tasks ?? []).length === 0)
    return "No tasks provided. Use: { agent, context?, tasks: [{ id, description, assignment }, …] }"
  if ((tasks ?? []).length > mostTasks)
    return `Too many tasks: ${tasks?.length}, at most ${mostTasks} in a call. Give the rest in further calls.`
  const invalid = taskProblem(tasks ?? []) ?? spawnProblem(agent, rules.spawns)
  if (invalid !== undefined) return invalid
  return isolated === true && !rules.isIsolationEnabled
    ? "Task isolation is disabled. Remove the isolated argument, or set task.isolation.mode to worktree."
    : undefined
}

/** The rest of a call that has no problems. */
const accepted = ({ agent, context, isolated, schema, tasks, verify }: TaskCall): TaskArguments => ({
  agent,
  ...(isBlank(context) ? {} : { context: context ?? "" }),
  ...(schema === undefined || schema === null ? {} : { schema }),
  tasks: (tasks ?? []).map(({ assignment, description, id }) => ({
    id: (id ?? "").trim(),
    ...(isBlank(description) ? {} : { description: (description ?? "").trim() }),
    assignment: assignment ?? ""
  })),
  isolated: isolated === true,
  ...(verify === undefined || verify === null ? {} : { verify })
})

/** The arguments, or the text that refuses them. */
export const check = (args: JsonObject, rules: TaskRules): Either.Either<TaskArguments, string> =>
  Schema.decodeUnknownEither(TaskCall, { errors: "all" })(args).pipe(
    Either.mapLeft((error) => `Invalid arguments for task: ${explain(error)}`),
    Either.flatMap((call) => {
      const problem = problemOf(call, rules)
      return problem === undefined ? Either.right(accepted(call)) : Either.left(problem)
    })
  )
