/**
 * What Bun runs in front of a command that Landlock holds: it gives up its rights and becomes the command. A text, because it is a
 * program of its own (`bun -e`), wherever heddle's own code is. It gets what it has to do by descriptor 3. Nothing that it
 * cannot open is granted; everything else that fails ends it before the command.
 */
export const text = String.raw`
const { dlopen, ptr, read } = require("bun:ffi")
const { fstatSync, readFileSync, writeSync } = require("node:fs")

const fail = (words, code = 125) => {
  writeSync(2, "heddle: " + words + "\n")
  process.exit(code)
}

const library = () => {
  const symbols = {
    syscall: { args: ["i64", "i64", "i64", "i64", "i64"], returns: "i64" },
    prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
    capset: { args: ["ptr", "ptr"], returns: "i32" },
    open: { args: ["ptr", "i32"], returns: "i32" },
    chdir: { args: ["ptr"], returns: "i32" },
    signal: { args: ["i32", "ptr"], returns: "ptr" },
    sigprocmask: { args: ["i32", "ptr", "ptr"], returns: "i32" },
    execve: { args: ["ptr", "ptr", "ptr"], returns: "i32" },
    __errno_location: { args: [], returns: "ptr" }
  }
  for (const name of ["libc.so.6", "libc.so"]) {
    try {
      return dlopen(name, symbols).symbols
    } catch {}
  }
  return fail("there is no C library that can be called")
}
const libc = library()

const address = (bytes) => BigInt(ptr(bytes))
const bytesOf = (text) => Buffer.from(text.replaceAll("\0", "") + "\0")
const call = (number, ...args) => Number(libc.syscall(...[number, ...args, 0, 0, 0, 0].slice(0, 5).map(BigInt)))
const must = (result, words) => (result < 0 ? fail(words + " (error " + read.i32(libc.__errno_location(), 0) + ")") : result)

const { cwd, env, filter, listable, network, readable, writable } = JSON.parse(readFileSync(3, "utf8"))
const [, reads, ...command] = process.argv

const version = call(444, 0, 0, 1)
if (version < 4) fail("this kernel has " + (version < 1 ? "no Landlock" : "Landlock " + version) + ", and 4 is needed (Linux 6.7)")

const [execute, writeFile, readFile, readFolder, makeDevices, truncate, ioctl] = [1, 2, 4, 8, 0x840, 0x4000, 0x8000]
const makeSocket = 0x200
const all = version >= 5 ? 0xffff : 0x7fff
const ofFiles = all & (execute | writeFile | readFile | truncate | ioctl)
const rights = {
  list: readFolder,
  read: execute | readFile | readFolder,
  write: 0x7fff & ~makeDevices & ~makeSocket
}

const attributes = new BigUint64Array([BigInt(all), network === "off" ? 3n : 0n, 3n])
const rules = must(call(444, address(attributes), version >= 6 ? 24 : 16, 0), "Landlock makes no rules")

const pathOnly = 0o10000000 | 0o2000000 | (process.arch === "arm64" ? 0o100000 : 0o400000)
const grant = (paths, access) => {
  for (const path of paths) {
    const fd = libc.open(bytesOf(path), pathOnly)
    if (fd < 0) continue
    const rule = new DataView(new ArrayBuffer(12))
    rule.setBigUint64(0, BigInt(fstatSync(fd).isDirectory() ? access : access & ofFiles), true)
    rule.setInt32(8, fd, true)
    call(445, rules, 1, address(new Uint8Array(rule.buffer)), 0)
    call(process.arch === "arm64" ? 57 : 3, fd)
  }
}
grant(listable, rights.list)
grant([...readable, ...JSON.parse(reads)], rights.read)
grant(writable, rights.write)

must(libc.chdir(bytesOf(cwd)), "the working folder cannot be entered")
// Bun ignores two signals, and what is ignored stays so in the program that it becomes.
for (const number of [13, 25]) libc.signal(number, null)
libc.sigprocmask(2, new Uint8Array(128), null)

// Root would keep all of its rights: the most that it can have is emptied first, then what it has.
for (let right = 0n; right < 64n; right++) libc.prctl(24, right, 0n, 0n, 0n)
libc.prctl(47, 4n, 0n, 0n, 0n)
must(libc.capset(new Uint32Array([0x20080522, 0]), new Uint32Array(6)), "the rights of root cannot be given up")
must(libc.prctl(38, 1n, 0n, 0n, 0n), "programs cannot be kept from getting rights")
must(call(446, rules, 0), "Landlock does not start")

const steps = Buffer.from(filter, "base64")
const described = new BigUint64Array([BigInt(steps.length / 8), address(steps)])
must(libc.prctl(22, 2n, address(described), 0n, 0n), "the filter of system calls does not start")
must(call(436, 3, 0x7fffffff, 4), "descriptors cannot be closed")

const kept = []
const list = (words) => {
  const bytes = words.map(bytesOf)
  const addresses = new BigUint64Array([...bytes.map(address), 0n])
  kept.push(bytes, addresses)
  return addresses
}
const own = Object.entries(process.env).filter(([name, value]) => value !== undefined && name !== "BUN_BE_BUN")
const variables = list(Object.entries({ ...Object.fromEntries(own), ...env }).map(([name, value]) => name + "=" + value))
const words = list(command)
const [program] = command
const folders = program.includes("/") ? [""] : (env.PATH ?? "/usr/local/bin:/usr/bin:/bin").split(":").map((folder) => (folder || ".") + "/")
for (const folder of folders) libc.execve(bytesOf(folder + program), words, variables)
fail(program + " cannot be started (error " + read.i32(libc.__errno_location(), 0) + ")", 127)
`
