/** The python3 of this machine, if it is new enough for the Python client. */
import { join } from "node:path"
import { root } from "./HostProcess.ts"
import { node } from "./RealNode.ts"

const oldest = [3, 9] as const

const isNewEnough = (path: string) => {
  const check = `import sys; sys.exit(sys.version_info < (${oldest.join(", ")}))`
  return Bun.spawnSync([path, "-c", check]).exitCode === 0
}

/** Undefined where there is none: the tests that need one are then skipped, by name. */
export const program: string | undefined = ["python3", "python"]
  .map((name) => Bun.which(name))
  .filter((path) => path !== null)
  .find(isNewEnough)

const options = {
  cwd: join(root, "python"),
  env: {
    ...process.env,
    PYTHONDONTWRITEBYTECODE: "1",
    PYTHONWARNINGS: "default",
    // `bun --bun` puts a `node` on PATH that is bun.
    HEDDLE_TEST_NODE: node ?? process.execPath
  }
}

const list = `
import unittest
def classes(suite):
    for each in suite:
        yield from classes(each) if isinstance(each, unittest.TestSuite) else [type(each)]
found = dict.fromkeys(classes(unittest.defaultTestLoader.discover("tests", top_level_dir=".")))
print("\\n".join(f"{each.__module__}.{each.__qualname__}" for each in found))
`

/** The test classes of the Python client. */
export const testClasses = (): ReadonlyArray<string> => {
  if (program === undefined) return []
  const { exitCode, stderr, stdout } = Bun.spawnSync([program, "-c", list], options)
  if (exitCode !== 0) throw new Error(stderr.toString())
  return stdout.toString().trim().split("\n")
}

/** Runs the tests of a class. */
export const run = async (testClass: string) => {
  const child = Bun.spawn([program ?? "", "-m", "unittest", testClass], { ...options, stdout: "pipe", stderr: "pipe" })
  const [out, said, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { said: `${out}${said}`, code }
}
