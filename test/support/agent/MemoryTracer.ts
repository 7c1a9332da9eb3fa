/** A tracer that keeps its spans in memory. */
import { Option, Tracer } from "effect"

/** The name and attributes of a span, and what was traced inside of it, in the order in which it began. */
export interface SpanTree {
  readonly span: string
  readonly inside: ReadonlyArray<SpanTree>
}

const text = ({ attributes, name }: Tracer.Span) =>
  [name, ...[...attributes].map(([key, value]) => `${key}=${value}`)].join(" ")

export const make = () => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const attributes = new Map<string, unknown>()
      let status: Tracer.SpanStatus = { _tag: "Started", startTime }
      const span: Tracer.Span = {
        _tag: "Span",
        name,
        spanId: `${spans.length + 1}`,
        traceId: Option.match(parent, { onNone: () => `${spans.length + 1}`, onSome: ({ traceId }) => traceId }),
        parent,
        context,
        get status() {
          return status
        },
        attributes,
        links,
        sampled: true,
        kind,
        end: (endTime, exit) => {
          status = { _tag: "Ended", startTime, endTime, exit }
        },
        attribute: (key, value) => void attributes.set(key, value),
        event: () => {},
        addLinks: () => {}
      }
      spans.push(span)
      return span
    },
    context: (run) => run()
  })
  const below = (parent: string | undefined): ReadonlyArray<SpanTree> =>
    spans
      .filter((span) => Option.getOrUndefined(span.parent)?.spanId === parent)
      .map((span) => ({ span: text(span), inside: below(span.spanId) }))
  return {
    tracer,
    tree: () => below(undefined),
    /** Names of the spans that have not ended. */
    open: () => spans.filter(({ status }) => status._tag === "Started").map(({ name }) => name)
  }
}
