/** Settings that the embedding program gives: no files, no environment. */
import * as Layer from "effect/Layer"
import { defaults, Settings, type SettingsValues } from "../../../services/Settings.ts"

export const layer = (values: Partial<SettingsValues> = {}) => Layer.succeed(Settings, { ...defaults, ...values })
