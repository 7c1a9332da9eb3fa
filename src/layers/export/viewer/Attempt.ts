/** The one place of the viewer that catches: a library that gives up on a text must not take the page with it. */
export const attempt = <A, B>(run: () => A, otherwise: () => B): A | B => {
  try {
    return run()
  } catch {
    return otherwise()
  }
}
