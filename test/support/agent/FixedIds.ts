/** The counted ids that embedders get, too. */
export * from "../../../src/layers/testing/FixedIds.ts"
