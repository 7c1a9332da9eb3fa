/** The ground of one run: a home with secrets, a workspace with repositories of every form, and services outside of it. */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { dirname, join } from "node:path"

export interface Ground {
  readonly root: string
  readonly home: string
  readonly agentDir: string
  readonly outside: string
  readonly work: string
  readonly socket: string
  readonly abstract: string
  readonly port: number
  readonly udp: number
  readonly address: string
  readonly remove: () => Promise<void>
}

/** Nothing prints this but the file that it is in. */
export const canary = "canary-7d1f0c"

const secrets = [
  ".ssh/id_rsa",
  ".gnupg/key",
  ".aws/credentials",
  ".kube/config",
  ".docker/config.json",
  ".netrc",
  ".npmrc"
]
const moreSecrets = [
  ".git-credentials",
  ".pypirc",
  ".config/gh/hosts.yml",
  ".config/gcloud/credentials.db",
  ".azure/token"
]

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  void Bun.spawnSync(["git", "-c", "init.defaultBranch=main", "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd
  })

const own = (path: string, uid: number): void => {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name)
    if (entry.isDirectory()) own(below, uid)
    else if (entry.isFile()) chownSync(below, uid, uid)
  }
  chownSync(path, uid, uid)
}

const repositories = (work: string) => {
  git(work, "init", "-q")
  git(work, "commit", "-q", "--allow-empty", "-m", "first")
  for (const name of ["sub", "real"]) git(work, "init", "-q", name)
  git(work, "init", "-q", "--separate-git-dir", join(work, "store"), "apart")
  git(work, "worktree", "add", "-q", join(work, "tree"))
  git(work, "init", "-q", "--bare", "bare.git")
  mkdirSync(join(work, "linked"))
  symlinkSync("../real/.git", join(work, "linked/.git"))
  mkdirSync(join(work, "dangling"))
  writeFileSync(join(work, "dangling/.git"), "gitdir: ../to-come\n")
}

/** Not below a temporary folder: these are private in the sandbox, and everything there would look refused. */
export const make = async (base: string, uid: number | undefined): Promise<Ground> => {
  const root = mkdtempSync(join(base, ".heddle-torture-"))
  chmodSync(root, 0o755)
  const [home, outside] = [join(root, "home"), join(root, "outside")]
  const [agentDir, work] = [join(home, ".heddle/agent"), join(home, "work")]
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  for (const name of [...secrets, ...moreSecrets]) write(join(home, name), canary)
  for (const name of [".bashrc", ".profile", ".gitconfig", ".config/git/config", ".local/bin/tool"])
    write(join(home, name), "")
  for (const name of ["auth.json", "models.json", "sessions/one.jsonl"])
    write(join(agentDir, name), JSON.stringify({ canary }))
  for (const name of ["file", "tool", "folder/file"]) write(join(outside, name), "outside\n")
  write(join(root, "hidden/file"), canary)
  write(join(work, "file"), "inside\n")
  symlinkSync(join(outside, "file"), join(work, "to-file"))
  symlinkSync(outside, join(work, "to-folder"))
  symlinkSync(join(home, ".ssh"), join(work, "to-secret"))
  repositories(work)
  const socket = join(outside, "service.sock")
  const abstract = `heddle-torture-${process.pid}-${Math.trunc(performance.now())}`
  const data = () => undefined
  const listeners = [
    Bun.listen({ unix: socket, socket: { data } }),
    Bun.listen({ unix: `\0${abstract}`, socket: { data } })
  ]
  chmodSync(socket, 0o777)
  const server = createServer((_, response) => response.end(canary))
  await new Promise<void>((ready) => server.listen(0, "::", ready))
  const udp = await Bun.udpSocket({ socket: { data: (from, _, port, host) => void from.send(canary, port, host) } })
  const place = server.address()
  if (uid !== undefined) own(root, uid)
  return {
    root,
    home,
    agentDir,
    outside,
    work,
    socket,
    abstract,
    port: typeof place === "object" && place !== null ? place.port : 0,
    udp: udp.port,
    address: "127.0.0.1",
    remove: async () => {
      for (const listener of listeners) listener.stop(true)
      udp.close()
      await new Promise<void>((done) => server.close(() => done()))
      rmSync(root, { recursive: true, force: true })
    }
  }
}
