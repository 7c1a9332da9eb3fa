/**
 * Messages and tools never change, and each is sent again with every turn: what was made of one is kept as long as it
 * is itself, so that a turn costs what it adds.
 */

/** `context` is what else the result depends on; another one makes it anew. */
export const makeFor = <Key extends object, Context, Value>(create: (key: Key, context: Context) => Value) => {
  const kept = new WeakMap<Key, { readonly context: Context; readonly value: Value }>()
  return (key: Key, context: Context): Value => {
    const known = kept.get(key)
    if (known !== undefined && known.context === context) return known.value
    const value = create(key, context)
    kept.set(key, { context, value })
    return value
  }
}

export const make = <Key extends object, Value>(create: (key: Key) => Value): ((key: Key) => Value) => {
  const keep = makeFor<Key, undefined, Value>(create)
  return (key) => keep(key, undefined)
}
