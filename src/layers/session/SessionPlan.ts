/** The list of modules that a session is made of. Each is built with the services of those before it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Allowance, Budget } from "../../services/Budget.ts"
import type { HostUi } from "../../services/host/HostUi.ts"
import type { Ids } from "../../services/Ids.ts"
import type { ModelCatalog } from "../../services/model/ModelCatalog.ts"
import type { ModelClient } from "../../services/model/ModelClient.ts"
import type { Controls } from "../../services/session/Controls.ts"
import type { Retries } from "../../services/session/Retries.ts"
import type { Session } from "../../services/session/Session.ts"
import type { SessionFiles } from "../../services/session/SessionFiles.ts"
import { SessionCore } from "../../services/session/SessionCore.ts"
import type { SessionModule } from "../../services/session/SessionModule.ts"
import type { SessionStore } from "../../services/session/SessionStore.ts"
import type { WholeSession } from "../../services/session/SessionModule.ts"
import type { Settings } from "../../services/Settings.ts"
import type { Tools, ToolSet } from "../../services/Tools.ts"
import type { SessionCompaction } from "../agent/compaction/CompactionModule.ts"
import type { Compactions } from "../../services/Compaction.ts"
import type { SessionRelay } from "../agent/events/EventRelay.ts"

/** What stands in the place of modules, each under the slot of its module. */
type Replacements = Context.Context<never>

type Build<Out, E, In> = (
  core: typeof SessionCore.Service,
  replacements: Replacements
) => Effect.Effect<Context.Context<Out>, E, In | Scope.Scope>

/** `Out` are the services of the modules and the core, `In` those that the process has to have. */
export interface SessionPlan<Out, E, In> {
  /** The services of a session around this core. They end with the scope. */
  readonly build: (core: typeof SessionCore.Service) => Effect.Effect<Context.Context<Out>, E, In | Scope.Scope>
}

/** What the modules of an agent may need of the process, and of the parts of the agent that are no modules yet. */
export type AgentServices =
  | Budget
  | HostUi
  | Ids
  | ModelCatalog
  | ModelClient
  | Session
  | SessionRelay
  | SessionStore
  | Settings
  | Tools
  | WholeSession

/** Has the modules that every agent needs. */
export type AgentPlan<In = AgentServices> = SessionPlan<
  Allowance | Compactions | Controls | Retries | SessionCompaction | SessionCore | SessionFiles | ToolSet,
  never,
  In
>

/** A plan that can be changed; each change is a plan of its own. */
export interface Plan<Out, E, In> extends SessionPlan<Out, E, In> {
  /** What the module needs comes from the modules before it, or from the process. */
  readonly add: <O2, E2, I2>(module: SessionModule<O2, E2, I2>) => Plan<Out | O2, E | E2, In | Exclude<I2, Out>>
  /** Another module in the place of one: it provides the same services, and needs nothing that its place does not have. */
  readonly replace: <O2 extends Out, E2, I2>(
    old: SessionModule<O2, E2, I2>,
    by: SessionModule<NoInfer<O2>, NoInfer<E2>, NoInfer<I2>>
  ) => Plan<Out, E, In>
}

const slotOf = <Out, E, In>({ name }: SessionModule<Out, E, In>) =>
  Context.GenericTag<SessionModule<Out, E, In>>(`heddle/layers/session/SessionPlan/${name}`)

const plan = <Out, E, In>(build: Build<Out, E, In>, replacements: Replacements): Plan<Out, E, In> => ({
  build: (core) => build(core, replacements),
  add: <O2, E2, I2>(module: SessionModule<O2, E2, I2>) =>
    plan<Out | O2, E | E2, In | Exclude<I2, Out>>(
      (core, replaced) =>
        Effect.flatMap(build(core, replaced), (found) => {
          const chosen = Option.getOrElse(Context.getOption(replaced, slotOf(module)), () => module)
          return Effect.map(Effect.provide(chosen.build, found), (made) => Context.merge(found, made))
        }),
      replacements
    ),
  replace: (old, by) => plan(build, Context.add(replacements, slotOf(old), by))
})

/** A session without modules. */
export const core: Plan<SessionCore, never, never> = plan(
  (core) => Effect.succeed(Context.make(SessionCore, core)),
  Context.empty()
)
