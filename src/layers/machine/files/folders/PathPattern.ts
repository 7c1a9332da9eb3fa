/** Glob patterns of manifests and package filters. bun matches them without the backtracking that regular expressions have. */

/** Longer than any path that people write. */
const longest = 500

export const isPattern = (text: string): boolean => /[*?[\]{}]/.test(text)

/** Compares whole paths with `/` between the names. */
export const matcher = (pattern: string): ((path: string) => boolean) => {
  if (pattern.length > longest) return () => false
  const glob = new Bun.Glob(pattern)
  return (path) => glob.match(path)
}
