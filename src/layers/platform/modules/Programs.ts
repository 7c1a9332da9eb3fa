/** Programs of the machine that extensions reach through functions of pi. */

/** The path of a program; its name if it is not in PATH. */
export const find = (name: string): string => Bun.which(name) ?? name

const clipboards: ReadonlyArray<ReadonlyArray<string>> = [
  ["pbcopy"],
  ["wl-copy"],
  ["xclip", "-selection", "clipboard"],
  ["xsel", "--clipboard", "--input"],
  ["clip.exe"]
]

/** Rejects if the machine has no program for it. */
export const copyToClipboard = async (text: string): Promise<void> => {
  const command = clipboards.find(([name = ""]) => Bun.which(name) !== null)
  if (command === undefined) throw new Error("this machine has no program that copies to the clipboard")
  const child = Bun.spawn([...command], { stdin: new Blob([text]), stdout: "ignore", stderr: "ignore" })
  const code = await child.exited
  if (code !== 0) throw new Error(`${command[0]} has ended with code ${code}`)
}
