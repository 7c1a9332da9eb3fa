/** Writes to stdout in every way there is: while it loads, in a command, during a stream, and at the very end. */
import { spawn, spawnSync } from "node:child_process"
import { createWriteStream, writeSync } from "node:fs"
import type { Api } from "../Pi.ts"

const ways: Record<string, (text: string) => unknown> = {
  log: (text) => console.log(text),
  info: (text) => console.info(text),
  table: (text) => console.table([text]),
  write: (text) => process.stdout.write(`${text}\n`),
  sync: (text) => writeSync(1, `${text}\n`),
  stream: (text) => createWriteStream("", { fd: 1, autoClose: false }).write(`${text}\n`),
  bun: (text) => Bun.write(Bun.stdout, `${text}\n`),
  child: (text) => spawnSync("echo", [text], { stdio: "inherit" }),
  later: (text) =>
    new Promise((resolve) => {
      spawn("sh", ["-c", `echo ${text}`], { stdio: ["ignore", "inherit", "inherit"] }).on("close", resolve)
    })
}

const print = async (occasion: string) => {
  for (const [way, write] of Object.entries(ways)) await write(`${occasion}-${way}`)
}

await print("module")

export default async (pi: Api): Promise<void> => {
  await print("factory")
  pi.registerCommand("print", { handler: () => print("command") })
  pi.on("message_update", () => {
    for (const way of ["log", "write", "sync"]) ways[way]?.(`update-${way}`)
  })
  pi.on("session_shutdown", async () => {
    await print("shutdown")
    console.log(`the last line, ${"long ".repeat(20_000)}end`)
  })
}
