/** The scripted model that embedders get, too. */
export * from "../../../src/layers/testing/ScriptedModel.ts"
