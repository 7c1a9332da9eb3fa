/** Which sessions went on as others in the middle of a run: their conversations are one. */
export type Handoffs = ReturnType<typeof make>

export const make = () => {
  const next = new Map<string, string>()
  return {
    note: (from: string, to: string) => void next.set(from, to),
    /** Whether the conversation of one session goes on in the other, or they are the same. */
    leads: (from: string, to: string): boolean => {
      let at: string | undefined = from
      while (at !== undefined && at !== to) at = next.get(at)
      return at === to
    }
  }
}
