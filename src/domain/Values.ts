/** What every room does with values of any kind. Pure. */

/**
 * The members that have a value: those that are undefined are left out. For optional members, which may be absent but
 * not undefined.
 */
export const defined = <A extends object>(members: A): { readonly [K in keyof A]?: A[K] & ({} | null) } => {
  const result: { [K in keyof A]?: A[K] & ({} | null) } = {}
  for (const key in members) {
    const value = members[key]
    if (value !== undefined) result[key] = value
  }
  return result
}
