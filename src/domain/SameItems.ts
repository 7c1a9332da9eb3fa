/** Arrays of things that never change, told apart by what is in them and not by what that says. */

export const startsWith = (whole: ReadonlyArray<unknown>, start: ReadonlyArray<unknown>): boolean =>
  start.length <= whole.length && start.every((item, index) => item === whole[index])

export const sameItems = (a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>): boolean =>
  a === b || (a.length === b.length && startsWith(a, b))
