/** One connection: what is agreed once and for all, what its host prefers, and the link to the session that it is in. */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Link from "./Link.ts"
import type { Preferences, Terms } from "./Preferences.ts"

export interface Connection extends Terms {
  readonly preferences: Ref.Ref<Preferences>
  /** To the session that the host is in. */
  readonly link: () => Link.Link
  /** From now on that is another one. */
  readonly enter: (session: Link.Place) => Effect.Effect<Link.Link>
}

/** Changes what the host prefers, also for the session that it is in. */
export const prefer = ({ link, preferences }: Connection, change: (now: Preferences) => Preferences) =>
  Effect.map(Ref.updateAndGet(preferences, change), (now) => {
    link().preferences = now
    return now
  })

export const make = (terms: Terms, first: Preferences, session: Link.Place): Connection => {
  const preferences = Ref.unsafeMake(first)
  let current = Link.make(terms, first, session)
  return {
    ...terms,
    preferences,
    link: () => current,
    enter: (session) =>
      Effect.map(Ref.get(preferences), (now) => {
        // A link is made before its session is followed.
        if (session.epoch !== current.epoch) current = Link.make(terms, now, session)
        return current
      })
  }
}
