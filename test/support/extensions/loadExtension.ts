/**
 * Serves the importable modules as the agent does, loads an extension and prints what it returns. Started by tests with
 * the file of the modules, the file that serves them, and the extension.
 */
import { dirname } from "node:path"
import { call } from "./Calling.ts"
import { holding } from "./PlainBindings.ts"

const [modulesFile = "", servingFile = "", extension = ""] = process.argv.slice(2)
const began = performance.now()
const importable: object = await import(modulesFile)
const modules = call(importable, "modules", holding())
const loaded = performance.now() - began
const serving: object = await import(servingFile)
const effect: object = await import(Bun.resolveSync("effect/Effect", dirname(servingFile)))
call(effect, "runSync", call(serving, "serve", modules))
const found: object = await import(extension)
const facts = await call(found, "default")
console.log(JSON.stringify({ facts, loaded }))
