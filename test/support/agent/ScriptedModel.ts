/** The scripted model that embedders get, too. */
export * from "../../../src/testing/ScriptedModel.ts"
