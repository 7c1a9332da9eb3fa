/**
 * Messages never change, and the same ones are asked for with every turn: what was made of one is kept as long as it is
 * itself.
 */
export const make = <Key extends object, Value>(create: (key: Key) => Value): ((key: Key) => Value) => {
  const kept = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const known = kept.get(key)
    if (known !== undefined) return known.value
    const value = create(key)
    kept.set(key, { value })
    return value
  }
}
