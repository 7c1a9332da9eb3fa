import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Painter from "../../../../../src/layers/modes/terminal/screen/Painter.ts"
import * as VirtualTerminal from "../../../../support/terminal/VirtualTerminal.ts"

const size = { columns: 20, rows: 6 }
const live = (rows: ReadonlyArray<string>, row = rows.length - 1, column = 0): Painter.Live => ({
  rows,
  cursor: { row, column }
})

const open = (columns = size.columns, rows = size.rows) => {
  const terminal = VirtualTerminal.make(columns, rows)
  const painter = Painter.make()
  return {
    terminal,
    painter,
    draw: (final: ReadonlyArray<string>, wanted: Painter.Live, now = { columns, rows }) => {
      const text = painter.frame(final, wanted, now)
      terminal.write(text)
      return text
    }
  }
}

describe("the painter", () => {
  it("replaces live rows, and leaves final ones in the scrollback", () => {
    const { draw, terminal } = open()
    draw(["one"], live(["> a", "status"], 0, 3))
    assert.strictEqual(terminal.text(), "one\n> a\nstatus")
    assert.deepStrictEqual(terminal.cursor(), { row: 1, column: 3 })
    draw(["two", "three"], live(["> ab", "menu", "status"], 0, 4))
    assert.strictEqual(terminal.text(), "one\ntwo\nthree\n> ab\nmenu\nstatus")
    draw([], live(["> ab", "status"], 0, 4))
    assert.strictEqual(terminal.text(), "one\ntwo\nthree\n> ab\nstatus")
  })

  it("writes nothing where nothing changes, and little where little does", () => {
    const { draw } = open()
    draw([], live(["first row", "second row", "> "], 2, 2))
    assert.strictEqual(draw([], live(["first row", "second row", "> "], 2, 2)), "")
    assert.notInclude(draw([], live(["first row", "second row", "> x"], 2, 3)), "row")
  })

  it("never draws more than the screen has", () => {
    const { draw, terminal } = open()
    const rows = Array.from({ length: 20 }, (_, n) => `row ${n}`)
    draw([], live(rows))
    draw([], live(rows.slice(0, -1)))
    draw(["final"], live(["> "], 0, 2))
    assert.strictEqual(terminal.text(), "final\n>")
  })

  it("lets no sequence through but styles", () => {
    const { draw, terminal } = open()
    draw(["\u001b[1mbold\u001b[0m\u001b[2J\u001b]0;t\u0007x\u009b1Ay\r\nz"], live(["> \u0007"], 0, 2))
    assert.deepStrictEqual(terminal.unknown, [])
    assert.strictEqual(terminal.text(), "boldxy z\n>")
  })

  it("finds its rows again after a resize that breaks them", () => {
    const { draw, painter, terminal } = open(40, 10)
    draw(
      ["said before"],
      live(["a live row of thirty characters", "> typed", "status of thirty characters..."], 1, 7),
      { columns: 40, rows: 10 }
    )
    terminal.resize(20, 10)
    painter.resized()
    draw([], live(["a live row", "> typed", "status"], 1, 7), { columns: 20, rows: 10 })
    assert.strictEqual(terminal.text(), "said before\na live row\n> typed\nstatus")
  })

  it("finds its rows while the window moves, also where it is told late", () => {
    const { draw, painter, terminal } = open(40, 12)
    const now = { columns: 40, rows: 12 }
    const rows = ["a live row of thirty characters", "another row of thirty characters", "> typed", "status"]
    draw(["said before"], live(rows, 2, 7), now)
    terminal.resize(30, 12)
    painter.resized()
    draw([], { ...live(["> ", "short"], 0, 2), isMoving: true }, { columns: 30, rows: 12 })
    for (const columns of [28, 24, 20, 26, 34]) {
      terminal.resize(columns, 12)
      // As wide as the terminal was.
      draw([], { ...live(["> ", "s".repeat(29), `${columns}`], 0, 2), isMoving: true }, { columns: 30, rows: 12 })
    }
    painter.resized()
    draw(["said after"], live(rows, 2, 7), { columns: 34, rows: 12 })
    assert.strictEqual(terminal.text(), ["said before", "said after", ...rows].join("\n"))
    assert.deepStrictEqual(terminal.cursor(), { row: 4, column: 7 })
    assert.isTrue(terminal.modes.has("?25"))
  })

  it("any sequence of frames shows the final rows in order, and the last live rows", () => {
    const row = FastCheck.stringMatching(/^[a-z]{0,12}$/)
    const frame = FastCheck.record({
      final: FastCheck.array(row, { maxLength: 8 }),
      rows: FastCheck.array(row, { minLength: 1, maxLength: 9 }),
      at: FastCheck.nat(8)
    })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(frame, { minLength: 1, maxLength: 12 }), (frames) => {
        const { draw, terminal } = open()
        for (const { at, final, rows } of frames) draw(final, live(rows, Math.min(at, rows.length - 1), 0))
        const last = frames.at(-1)
        const shown = last?.rows ?? []
        const cursor = Math.min(last?.at ?? 0, shown.length - 1)
        const dropped = Math.max(0, Math.min(shown.length - (size.rows - 1), cursor))
        const expected = [...frames.flatMap(({ final }) => final), ...shown.slice(dropped, dropped + size.rows - 1)]
        assert.strictEqual(terminal.text(), expected.join("\n").trimEnd())
      })
    )
  })
})
