/** The counted ids that embedders get, too. */
export * from "../../../src/testing/FixedIds.ts"
