/** A part of typebox by its subpath. Evaluated when it is first asked for. */
type Part = () => Readonly<Record<string, unknown>>

export declare const main: Part
export declare const compile: Part
export declare const error: Part
export declare const format: Part
export declare const guard: Part
export declare const schema: Part
export declare const system: Part
export declare const type: Part
export declare const value: Part
