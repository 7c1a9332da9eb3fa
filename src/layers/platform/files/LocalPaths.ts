/** Path arithmetic of this machine and the home of its user. */
import { homedir } from "node:os"

export { basename, dirname, isAbsolute, join, relative, resolve } from "node:path"

export const home = (): string => homedir()
