/** Throws on text that is not YAML. */
export const parse = (text: string): unknown => Bun.YAML.parse(text)
