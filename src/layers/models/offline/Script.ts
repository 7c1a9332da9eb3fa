/**
 * `offline/script`: answers the n-th model call of the process with the n-th turn of a scenario file. The place in
 * the scenario belongs to the provider value, so it is shared by all sessions of a process.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SynchronizedRef from "effect/SynchronizedRef"
import type { Model } from "../../../domain/model/Model.ts"
import * as ModelEvent from "../../../domain/model/ModelEvent.ts"
import { ModelFailure, type ModelRequest } from "../../../services/model/ModelClient.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import { type Files, OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as ReadText from "../../machine/files/ReadText.ts"
import * as Playback from "./Playback.ts"
import * as Scenario from "./Scenario.ts"
import * as ScriptedTurn from "./ScriptedTurn.ts"

export interface Options {
  readonly scenario: Option.Option<string>
  readonly cwd: string
}

interface Loaded {
  /** The text of the file, to notice changes. */
  readonly text: string
  readonly scenario: Scenario.Scenario
}

interface Position {
  readonly loaded: Option.Option<Loaded>
  readonly nextTurn: number
  readonly callsMade: number
}

const start: Position = { loaded: Option.none(), nextTurn: 0, callsMade: 0 }

const misconfigured = (model: Model, message: string) =>
  new ModelFailure({ reason: "configuration", message, provider: model.provider, model: model.id })

const noFile =
  "offline/script has no scenario file to play. Start with --set offline.scenario=<path>, or put the key " +
  "offline.scenario into a settings file; see docs/hosts/offline-models.md, and docs/scenarios.md for the format."

const load = Effect.fnUntraced(function* (files: Files, options: Options, model: Model) {
  if (Option.isNone(options.scenario)) return yield* misconfigured(model, noFile)
  const path = LocalPaths.absolute(options.cwd, options.scenario.value)
  const text = yield* ReadText.read(files, path).pipe(
    Effect.mapError(({ reason }) => misconfigured(model, `Cannot read the scenario file ${path}: ${reason}`))
  )
  const scenario = yield* Scenario.decode(text).pipe(
    Effect.mapError((problems) => misconfigured(model, `Invalid scenario file ${path}: ${problems}`))
  )
  return { text, scenario }
})

const usedUp = (model: Model, count: number) =>
  misconfigured(
    model,
    `The scenario has only ${count} ${count === 1 ? "turn" : "turns"} and all of them were played. ` +
      `Add turns, or set "atEnd" to "repeat" or "stay".`
  )

/** Past the last turn when the scenario is used up. */
const indexAtEnd = ({ atEnd, turns }: Scenario.Scenario): number =>
  atEnd === "repeat" ? 0 : atEnd === "stay" ? turns.length - 1 : turns.length

/** Reads the file at the start and at the end of each round: a changed file is played from its first turn. */
const advance = Effect.fnUntraced(function* (files: Files, options: Options, model: Model, position: Position) {
  const before = Option.getOrUndefined(position.loaded)
  const goesOn = before !== undefined && position.nextTurn < before.scenario.turns.length
  const loaded = goesOn ? before : yield* load(files, options, model)
  const isSame = before?.text === loaded.text
  const index = goesOn ? position.nextTurn : isSame ? indexAtEnd(loaded.scenario) : 0
  const turn = loaded.scenario.turns[index]
  if (turn === undefined) return yield* usedUp(model, loaded.scenario.turns.length)
  const callsMade = position.callsMade + 1
  const after: Position = { loaded: Option.some(loaded), nextTurn: index + 1, callsMade }
  return [{ turn, callsMade }, after] as const
})

function* counted(steps: Iterable<Playback.Step>): Generator<Playback.Step> {
  yield ModelEvent.scripted
  yield* steps
}

export const make = Effect.fnUntraced(function* (options: Options) {
  const files = yield* OwnFiles
  const position = yield* SynchronizedRef.make(start)
  return Effect.fnUntraced(function* ({ model }: ModelRequest) {
    // A call that fails here has used no turn and is not counted.
    const next = yield* SynchronizedRef.modifyEffect(position, (now) => advance(files, options, model, now))
    return yield* Playback.play(counted(ScriptedTurn.play(next.turn, next.callsMade, model)))
  })
})
