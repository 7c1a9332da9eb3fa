/** Programs of the machine that extensions reach through functions of pi. */

const locate = (name: string): string | null => Bun.which(name, { PATH: process.env["PATH"] ?? "" })

/** The path of a program; its name if it is not in PATH. */
export const find = (name: string): string => locate(name) ?? name

const clipboards: ReadonlyArray<readonly [name: string, ...args: ReadonlyArray<string>]> = [
  ["pbcopy"],
  ["wl-copy"],
  ["xclip", "-selection", "clipboard"],
  ["xsel", "--clipboard", "--input"],
  ["clip.exe"]
]

/** Rejects if the machine has no program for it. */
export const copyToClipboard = async (text: string): Promise<void> => {
  const [name, ...args] = clipboards.find(([candidate]) => locate(candidate) !== null) ?? []
  if (name === undefined) throw new Error("this machine has no program that copies to the clipboard")
  const child = Bun.spawn([find(name), ...args], { stdin: new Blob([text]), stdout: "ignore", stderr: "ignore" })
  const code = await child.exited
  if (code !== 0) throw new Error(`${name} has ended with code ${code}`)
}
