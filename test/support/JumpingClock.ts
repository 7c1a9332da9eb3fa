/** The system's clock, but somebody sets the time of day by an hour between any two looks at it. */
import { Clock, Effect } from "effect"

const hour = 3_600_000

export const make = (direction: -1 | 1): Clock.Clock => {
  const { currentTimeNanos, sleep, unsafeCurrentTimeNanos } = Clock.make()
  let looks = 0
  const time = () => Date.now() + direction * hour * looks++
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: time,
    currentTimeMillis: Effect.sync(time),
    unsafeCurrentTimeNanos,
    currentTimeNanos,
    sleep
  }
}
