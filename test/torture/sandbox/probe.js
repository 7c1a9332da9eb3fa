// System calls that no program of a shell makes, one a run: `bun probe.js <name> <argument>`. Prints ESCAPED where the kernel allows it.
// Nothing is written to anything that is not its own.
const { dlopen, ptr } = require("bun:ffi")
const i64 = "i64"
const { syscall } = dlopen("libc.so.6", {
  syscall: { args: [i64, i64, i64, i64, i64, i64, i64], returns: i64 }
}).symbols
const call = (number, ...args) => Number(syscall(number, ...[...args, 0, 0, 0, 0, 0, 0].slice(0, 6).map(BigInt)))
const arm = process.arch === "arm64"
const at = (x64, arm64) => (arm ? arm64 : x64)
const [, , name, argument = ""] = process.argv
const pid = Number(argument)
const verdict = (isAllowed) => console.log(isAllowed ? `ESCAPED ${name}` : `refused ${name}`)
const text = (value) => ptr(Buffer.from(`${value}\0`))
const socket = at(41, 198)
const socketpair = at(53, 199)
const ioctl = at(16, 29)
const pair = (type) => call(socketpair, 1, type, 0, ptr(new Int32Array(2)))

const probes = {
  unix_stream: () => call(socket, 1, 1) >= 0,
  unix_datagram: () => call(socket, 1, 2) >= 0,
  unix_high_bits: () => Number(syscall(BigInt(socket), 0x100000001n, 1n, 0n, 0n, 0n, 0n)) >= 0,
  pair_datagram: () => pair(2) === 0,
  pair_datagram_flags: () => pair(2 | 0o2000000) === 0,
  vsock: () => call(socket, 40, 1) >= 0,
  packet: () => call(socket, 17, 3) >= 0,
  alg: () => call(socket, 38, 5) >= 0,
  raw: () => call(socket, 2, 3, 1) >= 0,
  io_uring_setup: () => call(425, 4, ptr(new Uint8Array(120))) >= 0,
  io_uring_register: () => call(427, -1, 0, 0, 0) !== -1,
  keyctl: () => call(at(250, 219), 0, -3, 0) >= 0,
  add_key: () => call(at(248, 217), text("user"), text("heddle"), text("x"), 1, -1) >= 0,
  request_key: () => call(at(249, 218), text("user"), text("heddle"), 0, -3) >= 0,
  user_namespace: () => call(at(272, 97), 0x10000000) === 0,
  mount_namespace: () => call(at(272, 97), 0x20000) === 0,
  ptrace: () => call(at(101, 117), 16902, pid, 0, 0) === 0,
  read_memory: () => {
    const [own, theirs] = [new Uint8Array(8), BigInt(process.argv[4] ?? "0")]
    const from = new BigUint64Array([BigInt(ptr(own)), 8n])
    return call(at(310, 270), pid, ptr(from), 1, ptr(new BigUint64Array([theirs, 8n])), 1, 0) === 8
  },
  pidfd: () => call(434, pid, 0) >= 0,
  limits: () => call(at(302, 261), pid, 7, 0, ptr(new BigUint64Array(2))) === 0,
  typing: () => {
    const terminal = require("node:fs").openSync("/dev/ptmx", "r+")
    return call(ioctl, terminal, 0x5412, text("x")) === 0
  },
  // The second way to call the kernel of x86-64.
  x32: () => !arm && call(0x40000000 | 41, 1, 1) >= 0,
  mount: () => call(at(165, 40), text("none"), text("/mnt"), text("tmpfs"), 0, 0) === 0,
  remount: () => call(at(165, 40), 0, text("/"), 0, 32 | 4096, 0) === 0,
  pivot: () => call(at(155, 41), text("/"), text("/mnt")) === 0,
  handle: () => call(at(304, 265), -100, ptr(new Uint8Array(128)), 0) >= 0,
  new_mount: () => call(430, text("tmpfs"), 0) >= 0,
  clone_mount: () => call(428, -100, text("/"), 1) >= 0,
  module: () => call(at(313, 273), -1, text(""), 0) !== -1,
  keyring_of_session: () => call(at(250, 219), 1, 0) >= 0
}
verdict(probes[name]())
