/**
 * Repositories of strangers that run a program as soon as git works with their configuration. The program leaves a mark.
 * Each is as it may come out of an archive: git itself would not let anybody clone a configuration.
 */
import { chmodSync, cpSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Repos from "../git/Repos.ts"

const { git, put } = Repos

interface Making {
  readonly folder: string
  /** A command that leaves the mark and passes its input on. */
  readonly program: string
}

const harmless = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
const filter = (program: string) => `[filter "evil"]\n\tclean = "${program}"\n\tsmudge = "${program}"\n`

/** A file of the same length as the one in the index, so that git has to look into it. */
const change = (folder: string) => put(folder, { "a.txt": "b\n" })

const hooks = ["post-index-change", "reference-transaction", "post-checkout", "pre-commit", "pre-applypatch"]

/** Git's own folder by another path, with a harmless one where a reader would expect it. */
const hideBehind = (
  folder: string,
  program: string,
  { named, real, seen }: Record<"named" | "real" | "seen", string>
) => {
  cpSync(join(folder, ".git"), join(folder, seen), { recursive: true })
  renameSync(join(folder, ".git"), join(folder, real))
  put(folder, { [`${real}/config`]: harmless + filter(program), [`${seen}/config`]: harmless, ".git": named })
}

export const attacks: Readonly<Record<string, (making: Making) => void>> = {
  "a filter in its configuration": ({ folder, program }) => put(folder, { ".git/config": harmless + filter(program) }),
  "core.fsmonitor": ({ folder, program }) => put(folder, { ".git/config": `${harmless}\tfsmonitor = "${program}"\n` }),
  "core.hooksPath": ({ folder, program }) => {
    put(folder, { ".git/config": `${harmless}\thooksPath = evil\n` })
    for (const name of hooks) {
      put(folder, { [`evil/${name}`]: `#!/bin/sh\n${program}\n` })
      chmodSync(join(folder, "evil", name), 0o755)
    }
  },
  "include.path": ({ folder, program }) =>
    put(folder, { ".git/config": `${harmless}[include]\n\tpath = ../evil\n`, evil: filter(program) }),
  "a configuration of the worktree": ({ folder, program }) =>
    put(folder, {
      ".git/config": `${harmless}[extensions]\n\tworktreeConfig = true\n`,
      ".git/config.worktree": filter(program)
    }),
  "commondir inside of .git": ({ folder, program }) => {
    mkdirSync(join(folder, "evil"))
    for (const name of ["objects", "refs"]) renameSync(join(folder, ".git", name), join(folder, "evil", name))
    mkdirSync(join(folder, ".git/objects"))
    put(folder, {
      ".git/config": harmless,
      ".git/commondir": "../evil\n",
      "evil/config": harmless + filter(program)
    })
  },
  "a blank behind gitdir": ({ folder, program }) =>
    hideBehind(folder, program, { seen: "own", real: "own ", named: "gitdir: own \n" }),
  "a line break in gitdir": ({ folder, program }) =>
    hideBehind(folder, program, { seen: "own", real: "own\nmore", named: "gitdir: own\nmore\n" }),
  "a bare repository beside a broken .git": ({ folder, program }) => {
    cpSync(join(folder, ".git"), folder, { recursive: true })
    rmSync(join(folder, ".git/refs"), { recursive: true })
    put(folder, { ".git/config": harmless, config: `${harmless}\tworktree = .\n${filter(program)}` })
  },
  "a worktree of a repository elsewhere in the folder": ({ folder, program }) => {
    renameSync(join(folder, ".git"), join(folder, "main.git"))
    const own = "main.git/worktrees/one"
    mkdirSync(join(folder, own), { recursive: true })
    for (const name of ["HEAD", "index"]) cpSync(join(folder, "main.git", name), join(folder, own, name))
    put(folder, {
      [`${own}/commondir`]: "../..\n",
      [`${own}/gitdir`]: `${folder}/.git\n`,
      ".git": `gitdir: ${own}\n`,
      "main.git/config": harmless + filter(program)
    })
  },
  "a submodule with a configuration of its own": ({ folder, program }) => {
    const inner = join(folder, "inner")
    mkdirSync(inner)
    git(inner, "init", "-q", "-b", "main")
    put(inner, { ".gitattributes": "* filter=evil\n", "c.txt": "c\n" })
    git(inner, "add", ".")
    git(inner, "commit", "-qm", "inner")
    git(folder, "add", "inner")
    git(folder, "commit", "-qm", "with a submodule")
    put(inner, { ".git/config": `${harmless}\tfsmonitor = "${program}"\n${filter(program)}`, "c.txt": "d\n" })
  },
  "programs of .gitattributes": ({ folder, program }) => {
    const diff = `[diff]\n\texternal = "${program}"\n[diff "evil"]\n\ttextconv = "${program}"\n\tcommand = "${program}"\n`
    put(folder, { ".git/config": `${harmless}${diff}[merge "evil"]\n\tdriver = "${program}"\n${filter(program)}` })
  }
}

/** For these, a reader of files and git do not agree on where the repository is, so heddle takes it for none. */
export const unusable: ReadonlySet<string> = new Set([
  "a line break in gitdir",
  "a bare repository beside a broken .git"
])

/** Whether the repository does what it should: the user's own git leaves the mark. */
export const strike = (folder: string): void => {
  change(folder)
  git(folder, "add", "a.txt")
  git(folder, "status")
}

export const make = (folder: string, mark: string, attack: (making: Making) => void): void => {
  git(folder, "init", "-q", "-b", "main")
  put(folder, { ".gitattributes": "* filter=evil diff=evil merge=evil\n", "a.txt": "a\n", "b.txt": "needle\n" })
  put(folder, { ".gitignore": "own*\nmain.git\nevil\n" })
  git(folder, "add", ".")
  git(folder, "commit", "-qm", "first")
  attack({ folder, program: `touch ${mark}; cat` })
  change(folder)
}
