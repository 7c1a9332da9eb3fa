/** Functions to call with each value. One that throws, or whose promise rejects, does not keep the others from being called. */
export class Listeners<A> {
  private all: ReadonlyArray<(value: A) => unknown> = []
  private readonly onThrow: (cause: unknown) => void

  constructor(onThrow: (cause: unknown) => void) {
    this.onThrow = onThrow
  }

  get isEmpty(): boolean {
    return this.all.length === 0
  }

  /** Returns the function that removes the listener. Both take effect from the next value on. */
  add(listener: (value: A) => unknown): () => void {
    const call = (value: A) => listener(value) // so that a listener may be added twice
    this.all = [...this.all, call]
    return () => {
      this.all = this.all.filter((other) => other !== call)
    }
  }

  emit(value: A): void {
    for (const listener of this.all) {
      try {
        const returned = listener(value)
        if (returned instanceof Promise) returned.catch(this.onThrow)
      } catch (cause) {
        this.onThrow(cause)
      }
    }
  }
}
