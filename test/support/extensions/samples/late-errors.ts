/** Errors that come when nobody waits any more. */
export default (pi: { readonly on: (event: string, handler: () => void) => void }): void => {
  pi.on("session_start", () => {
    setTimeout(() => {
      throw new Error("in a timer")
    }, 0)
    void Promise.reject(new Error("in a promise"))
    void Promise.reject("without a stack")
  })
}
