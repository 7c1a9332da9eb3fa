/** Compares arrays of immutable items by identity. */

export const startsWith = (whole: ReadonlyArray<unknown>, start: ReadonlyArray<unknown>): boolean => {
  if (start.length > whole.length) return false
  // A loop, because whole conversations are compared before every model call.
  for (let at = 0; at < start.length; at++) if (whole[at] !== start[at]) return false
  return true
}

export const sameItems = (a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>): boolean =>
  a === b || (a.length === b.length && startsWith(a, b))
