/** Calls of the system and of code of others that throw where there is no answer, when why does not matter. */

/** What the call returns, or `otherwise` if it throws. */
export const or = <A, B>(call: () => A, otherwise: B): A | B => {
  try {
    return call()
  } catch {
    return otherwise
  }
}

/** What the call returns, or undefined if it throws. */
export const orUndefined = <A>(call: () => A): A | undefined => or(call, undefined)
