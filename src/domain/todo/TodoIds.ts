/** Ids of phases and tasks: `phase-1`, `task-1` and so on. A host may also use others. */

/** Longer numbers are not counted on, because they lose their last digits. */
const numbered = /^(?:phase|task)-(\d{1,9})$/

/** Gives out ids that are above the highest of those it knows. */
export const make = (kind: "phase" | "task", known: Iterable<string>) => {
  const used = new Set(known)
  let highest = 0
  for (const id of used) highest = Math.max(highest, Number(numbered.exec(id)?.[1] ?? 0))
  return {
    next: (): string => {
      do highest++
      while (used.has(`${kind}-${highest}`))
      const id = `${kind}-${highest}`
      used.add(id)
      return id
    }
  }
}
