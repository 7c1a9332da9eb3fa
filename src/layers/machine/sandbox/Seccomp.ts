/**
 * The system calls that mounts and namespaces do not hold, as a program for the kernel's filter (classic BPF). A Unix socket by
 * path connects through a read-only mount and out of a network namespace; io_uring opens sockets past any filter; keyrings belong
 * to the user and not to the namespace; TIOCSTI types into a terminal. Pure.
 */

/** The kernel's name for the processor and its way to call. */
interface Machine {
  readonly audit: number
  readonly calls: Readonly<Record<Call, number>>
  /** Calls that set the mode of a file, by the place of the mode among their arguments. */
  readonly modes: { readonly second: ReadonlyArray<number>; readonly third: ReadonlyArray<number> }
  /** Numbers from here on belong to a second way to call the same kernel, which would go past the list. */
  readonly highest: number
}

type Call = "socket" | "socketpair" | "ioctl" | "keyctl" | "add_key" | "request_key"

const machines: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    calls: { socket: 41, socketpair: 53, ioctl: 16, keyctl: 250, add_key: 248, request_key: 249 },
    modes: { second: [90, 91], third: [268, 452] },
    highest: 0x40000000
  },
  arm64: {
    audit: 0xc00000b7,
    calls: { socket: 198, socketpair: 199, ioctl: 29, keyctl: 219, add_key: 217, request_key: 218 },
    modes: { second: [52], third: [53, 452] },
    highest: 0x40000000
  }
}

/** The same on every processor. */
const ioUring = [425, 426, 427]

const netlink = 16
const internet = [2, 10]
const unix = 1
/** A pair of these can be sent from to any socket by path; a stream that is connected stays so. */
const datagram = 2
const typeMask = 0xf
/** TIOCSTI and TIOCLINUX. */
/** A program with one of these runs as the owner or the group of its file. */
const setIds = 0o6000
const typing = [0x5412, 0x541c]

const load = 0x20
const and = 0x54
const ifEqual = 0x15
const ifAtLeast = 0x35
const answer = 0x06

const allow = 0x7fff0000
const notPermitted = 0x00050000 | 1
const killProcess = 0x80000000

const offsets = { call: 0, machine: 4, first: 16, second: 24, third: 32 }

interface Step {
  readonly code: number
  readonly value: number
  readonly yes?: number
  readonly no?: number
}

const read = (value: number): Step => ({ code: load, value })
const end = (value: number): Step => ({ code: answer, value })
const equal = (value: number, yes: number, no: number): Step => ({ code: ifEqual, value, yes, no })

/** What is done for one call, and nothing for others. The call has been read before, and is read by the next block again. */
const on = (call: number, steps: ReadonlyArray<Step>): ReadonlyArray<Step> => [
  read(offsets.call),
  equal(call, 0, steps.length),
  ...steps
]

/** Allows these values of what was read, and refuses all others. */
const onlyThese = (values: ReadonlyArray<number>): ReadonlyArray<Step> => [
  ...values.map((value, at) => equal(value, values.length - at, 0)),
  end(notPermitted),
  end(allow)
]

/** Refuses these values of what was read, and allows all others. */
const allBut = (values: ReadonlyArray<number>): ReadonlyArray<Step> => [
  ...values.map((value, at) => equal(value, values.length - at, 0)),
  end(allow),
  end(notPermitted)
]

const settingIds = ({ second, third }: Machine["modes"]): ReadonlyArray<Step> => {
  const without = (argument: number) => [read(argument), { code: and, value: setIds }, ...onlyThese([0])]
  return [
    ...second.flatMap((call) => on(call, without(offsets.second))),
    ...third.flatMap((call) => on(call, without(offsets.third)))
  ]
}

const steps = (
  { audit, calls, highest, modes }: Machine,
  { filesShared = false, offline = false }: More
): ReadonlyArray<Step> => [
  read(offsets.machine),
  equal(audit, 1, 0),
  end(killProcess),
  read(offsets.call),
  { code: ifAtLeast, value: highest, yes: 0, no: 1 },
  end(killProcess),
  ...[...ioUring, calls.keyctl, calls.add_key, calls.request_key].flatMap((call) => on(call, [end(notPermitted)])),
  ...on(calls.socket, [read(offsets.first), ...onlyThese(offline ? [netlink] : [...internet, netlink])]),
  ...on(calls.socketpair, [
    read(offsets.first),
    equal(unix, 1, 0),
    end(notPermitted),
    read(offsets.second),
    { code: and, value: typeMask },
    ...allBut([datagram])
  ]),
  ...on(calls.ioctl, [read(offsets.second), ...allBut(typing)]),
  ...(filesShared ? settingIds(modes) : []),
  end(allow)
]

/** What else is refused where there are no namespaces. */
interface More {
  /** Sockets of the internet, which would lead there. */
  readonly offline?: boolean
  /** Programs that run as others: the mode of any file can be set, because no mount is read-only. */
  readonly filesShared?: boolean
}

const bytesOfStep = 8

/** The program for a processor as the kernel takes it; undefined for a processor that nobody has looked at. */
export const program = (processor: string, more: More = {}): Uint8Array | undefined => {
  const machine = machines[processor]
  if (machine === undefined) return undefined
  const all = steps(machine, more)
  const bytes = new Uint8Array(all.length * bytesOfStep)
  const view = new DataView(bytes.buffer)
  all.forEach(({ code, no = 0, value, yes = 0 }, at) => {
    const from = at * bytesOfStep
    view.setUint16(from, code, true)
    view.setUint8(from + 2, yes)
    view.setUint8(from + 3, no)
    view.setUint32(from + 4, value, true)
  })
  return bytes
}
