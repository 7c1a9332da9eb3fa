/** The parts of the sandbox that only compute: places, variables, the filter of system calls, arguments, and advice. */
import { assert, describe, it } from "@effect/vitest"
import * as Bubblewrap from "../../../../src/layers/machine/sandbox/Bubblewrap.ts"
import * as Denials from "../../../../src/layers/machine/sandbox/Denials.ts"
import { place, type Policy, refusal } from "../../../../src/layers/machine/sandbox/Policy.ts"
import * as Seatbelt from "../../../../src/layers/machine/sandbox/Seatbelt.ts"
import * as Seccomp from "../../../../src/layers/machine/sandbox/Seccomp.ts"
import * as Variables from "../../../../src/layers/machine/sandbox/Variables.ts"

const policy: Policy = {
  mode: "workspace-write",
  network: "off",
  workspace: "/home/u/work",
  writable: ["/home/u/work", "/data"],
  kept: ["/home/u/work/store"],
  absent: ["/home/u/work/to-come"],
  hidden: [
    { path: "/home/u/.ssh", isFolder: true },
    { path: "/home/u/work/secret", isFolder: false }
  ],
  tmpBytes: 1024
}

describe("places", () => {
  it.each([
    ["/home/u/work", "writable"],
    ["/home/u/work/a/b", "writable"],
    ["/data/x", "writable"],
    ["/home/u/work2", "read-only"],
    ["/home/u/.bashrc", "read-only"],
    ["/etc/passwd", "read-only"],
    ["/home/u/work/.git", "protected"],
    ["/home/u/work/sub/.git/hooks/x", "protected"],
    ["/home/u/work/sub/.GIT/config", "protected"],
    ["/home/u/work/.heddle/settings.json", "protected"],
    ["/home/u/work/.github/x", "writable"],
    ["/home/u/work/store/config", "protected"],
    ["/home/u/work/to-come", "protected"],
    ["/home/u/.ssh/id_rsa", "invisible"],
    ["/home/u/.sshd", "read-only"],
    ["/home/u/work/secret", "invisible"],
    ["/tmp/x", "invisible"],
    ["/run/docker.sock", "invisible"],
    ["/proc/1/environ", "invisible"]
  ] as const)("%s is %s", (path, expected) => {
    assert.strictEqual(place(policy, path), expected)
  })

  it("a workspace below /tmp is visible there, and nothing else is; without one nothing is writable", () => {
    const inTmp = { ...policy, workspace: "/tmp/work", writable: [] }
    assert.deepStrictEqual(
      ["/tmp/work/a", "/tmp/other", "/data"].map((path) => place(inTmp, path)),
      ["read-only", "invisible", "read-only"]
    )
  })

  it("a refusal says what the path is and what would allow it", () => {
    const say = (path: string, use: "read" | "write") => refusal(policy, path, place(policy, path), use)
    assert.isUndefined(say("/etc/passwd", "read"))
    assert.isUndefined(say("/data/x", "write"))
    assert.match(
      say("/etc/passwd", "write") ?? "",
      /^Sandbox \(workspace-write\): \/etc\/passwd is read-only.*sandbox\.writable/
    )
    assert.match(
      say("/home/u/work/.git/config", "write") ?? "",
      /^Sandbox \(workspace-write\): .*\.git\/config is read-only/
    )
    assert.match(say("/home/u/.ssh/id_rsa", "read") ?? "", /^Sandbox \(workspace-write\): .* cannot be seen/)
  })
})

describe("variables", () => {
  it.each([
    "A_KEY",
    "GH_TOKEN",
    "x_secret",
    "DB_PASSWORD",
    "CREDENTIALS",
    "SSH_AUTH_SOCK",
    "DBUS_X",
    "DOCKER_HOST",
    "GIT_DIR"
  ])("%s does not pass, unless it is named", (name) => {
    assert.deepStrictEqual(Variables.filter({ [name]: "1", PATH: "/bin" }, []), { PATH: "/bin" })
    assert.deepStrictEqual(Variables.filter({ [name]: "1" }, [name]), { [name]: "1" })
  })
  it.each(["PATH", "HOME", "GIT_PAGER", "GIT_TERMINAL_PROMPT", "KEYBOARD", "LANG"])("%s passes", (name) => {
    assert.isTrue(Variables.passes(name))
  })
})

const allow = 0x7fff0000
const refuse = 0x00050001
const kill = 0x80000000

interface SystemCall {
  readonly machine: number
  readonly number: number
  readonly args?: ReadonlyArray<number>
}

/** Runs the program as the kernel does. */
const verdict = (bytes: Uint8Array, { args = [], machine, number }: SystemCall): number => {
  const view = new DataView(bytes.buffer)
  const words = new Map([
    [0, number],
    [4, machine],
    [16, args[0] ?? 0],
    [24, args[1] ?? 0],
    [32, args[2] ?? 0]
  ])
  let value = 0
  for (let at = 0; at < bytes.length / 8; at++) {
    const [code, yes, no] = [view.getUint16(at * 8, true), view.getUint8(at * 8 + 2), view.getUint8(at * 8 + 3)]
    const operand = view.getUint32(at * 8 + 4, true)
    if (code === 0x06) return operand
    if (code === 0x20) value = words.get(operand) ?? Number.NaN
    else if (code === 0x54) value = (value & operand) >>> 0
    else if (code === 0x15) at += value === operand ? yes : no
    else if (code === 0x35) at += value >= operand ? yes : no
    else assert.fail(`step ${at} has the unknown code ${code}`)
  }
  return assert.fail("the program has no end")
}

const machines = [
  {
    name: "x64",
    audit: 0xc000003e,
    socket: 41,
    socketpair: 53,
    ioctl: 16,
    keys: [248, 249, 250],
    openat: 257,
    fchmod: 91,
    fchmodat: 268
  },
  {
    name: "arm64",
    audit: 0xc00000b7,
    socket: 198,
    socketpair: 199,
    ioctl: 29,
    keys: [217, 218, 219],
    openat: 56,
    fchmod: 52,
    fchmodat: 53
  }
]

describe.each(machines)(
  "filter of system calls for $name",
  ({ audit, fchmod, fchmodat, ioctl, keys, name, openat, socket, socketpair }) => {
    const bytes = Seccomp.program(name) ?? assert.fail("no program")
    const ask = (number: number, ...args: ReadonlyArray<number>) => verdict(bytes, { machine: audit, number, args })

    it("sockets of the internet and of routes, and nothing else", () => {
      assert.deepStrictEqual(
        [2, 10, 16].map((family) => ask(socket, family, 1)),
        [allow, allow, allow]
      )
      assert.deepStrictEqual(
        [0, 1, 17, 38, 40].map((family) => ask(socket, family, 1)),
        Array(5).fill(refuse)
      )
    })
    it("no sockets of the internet where no namespace holds them and the network is off", () => {
      const offline = Seccomp.program(name, { offline: true }) ?? assert.fail("no program")
      const verdicts = [2, 10, 1, 40, 16].map((family) =>
        verdict(offline, { machine: audit, number: socket, args: [family, 1] })
      )
      assert.deepStrictEqual(verdicts, [refuse, refuse, refuse, refuse, allow])
    })
    it("no files that run as others where modes can be set everywhere", () => {
      const shared = Seccomp.program(name, { filesShared: true }) ?? assert.fail("no program")
      const set = (number: number, ...args: ReadonlyArray<number>) => verdict(shared, { machine: audit, number, args })
      for (const mode of [0o4755, 0o2755, 0o6000])
        assert.deepStrictEqual(
          [set(fchmod, 3, mode), set(fchmodat, 3, 0, mode), set(452, 3, 0, mode)],
          Array(3).fill(refuse)
        )
      for (const mode of [0o755, 0o1777])
        assert.deepStrictEqual(
          [set(fchmod, 3, mode), set(fchmodat, 3, 0, mode), set(452, 3, 0, mode)],
          Array(3).fill(allow)
        )
      assert.strictEqual(ask(fchmod, 3, 0o4755), allow)
    })
    it("pairs of streams, but not of datagrams, which can be sent to any path", () => {
      assert.deepStrictEqual(
        [1, 5, 1 | 0o2000000].map((type) => ask(socketpair, 1, type)),
        [allow, allow, allow]
      )
      assert.deepStrictEqual(
        [2, 2 | 0o2000000, 2 | 0o4000].map((type) => ask(socketpair, 1, type)),
        Array(3).fill(refuse)
      )
    })
    it("no io_uring, no keys, no typing into terminals", () => {
      assert.deepStrictEqual(
        [425, 426, 427, ...keys].map((number) => ask(number)),
        Array(6).fill(refuse)
      )
      assert.deepStrictEqual(
        [0x5412, 0x541c, 0x5413].map((request) => ask(ioctl, 0, request)),
        [refuse, refuse, allow]
      )
    })
    it("all other calls, of this machine only", () => {
      assert.strictEqual(ask(openat), allow)
      assert.strictEqual(ask(0x40000000 + socket, 1), kill)
      assert.strictEqual(verdict(bytes, { machine: 0x40000003, number: openat }), kill)
    })
  }
)

it("a processor that nobody has looked at has no filter", () => {
  assert.isUndefined(Seccomp.program("riscv64"))
})

describe("arguments of bubblewrap", () => {
  const view = {
    policy,
    cwd: "/home/u/work",
    temporary: ["/tmp"],
    ofRun: [],
    reads: ["/tmp/script"],
    descriptors: { filter: 3, variables: 4 }
  }
  const words = Bubblewrap.words("/usr/bin/bwrap", view).join(" ")

  it("what is protected comes behind what is writable, and what is hidden comes last", () => {
    const order = [
      "--ro-bind / /",
      "--tmpfs /tmp",
      "--bind /home/u/work /home/u/work",
      "--ro-bind /tmp/script /tmp/script",
      "--ro-bind-try /home/u/work/store",
      "--tmpfs /home/u/work/to-come",
      "--tmpfs /home/u/.ssh --remount-ro /home/u/.ssh",
      "--ro-bind /dev/null /home/u/work/secret"
    ].map((part) => words.indexOf(part))
    assert.deepStrictEqual(
      order,
      order.toSorted((a, b) => a - b)
    )
    assert.isTrue(order.every((at) => at > 0))
  })
  it.each([
    "--unshare-user --disable-userns --cap-drop ALL",
    "--unshare-pid --unshare-ipc --unshare-net",
    "--die-with-parent --new-session --seccomp 3 --args 4",
    "--ro-bind /proc/sys /proc/sys",
    "--size 1024 --tmpfs /dev/shm --remount-ro /dev"
  ])("has %s", (part) => assert.include(words, part))
  it("with the network on, it is that of the machine", () => {
    const open = Bubblewrap.words("bwrap", { ...view, policy: { ...policy, network: "open" } })
    assert.notInclude(open, "--unshare-net")
  })
})

it("the profile for macOS: later rules win, paths are quoted", () => {
  const text = Seatbelt.profile({ ...policy, writable: ['/home/u/a "b" \\c'] })
  assert.deepStrictEqual(text.split("\n"), [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/random") (literal "/dev/urandom") (literal "/dev/dtracehelper"))',
    '(allow file-write* (subpath "/tmp") (subpath "/var/tmp") (subpath "/dev/shm") (subpath "/private/tmp") (subpath "/private/var/tmp") (subpath "/home/u/a \\"b\\" \\\\c"))',
    '(deny file-write* (subpath "/home/u/work/store") (subpath "/home/u/work/to-come"))',
    '(deny file-read* file-write* (subpath "/home/u/.ssh") (subpath "/home/u/work/secret"))',
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    "(deny process-info*)",
    "(allow process-info* (target same-sandbox))",
    "(deny mach-priv-task-port)",
    "(deny network-outbound (remote unix-socket))",
    "(deny network*)"
  ])
  const [program, option, , env, ...variables] = Seatbelt.words("/usr/bin/sandbox-exec", policy, {
    A: "1",
    B: undefined
  })
  assert.deepStrictEqual([program, option, env, variables], ["/usr/bin/sandbox-exec", "-p", "/usr/bin/env", ["A=1"]])
})

describe("what explains a failure", () => {
  it.each([
    ["touch: cannot touch '/etc/x': Read-only file system", /can write \/home\/u\/work, \/data and its private \/tmp/],
    ["fatal: Unable to create '/w/.git/index.lock': Read-only file system", /\.git is read-only.*escalate: true/],
    ["curl: (6) Could not resolve host: example.org", /the network is off.*--network on/],
    ["dd: error writing '/tmp/x': No space left on device", /sandbox\.tmpBytes/],
    ["socket: Operation not permitted", /a Unix socket/]
  ])("%s", (output, expected) => {
    const advice = Denials.advice(policy, output)
    assert.match(advice ?? "", expected)
    assert.match(advice ?? "", /^Sandbox \(workspace-write\): /)
  })
  it("a failure of its own, and one of the network while it is on, is not the sandbox's", () => {
    assert.isUndefined(Denials.advice(policy, "1 test failed"))
    assert.isUndefined(Denials.advice({ ...policy, network: "open" }, "Could not resolve host"))
  })
})
