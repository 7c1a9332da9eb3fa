// The engine of a worker has read its options: what the tests start is not to inherit them (vitest.config.ts).
for (const name of Object.keys(process.env)) if (name.startsWith("BUN_JSC_")) delete process.env[name]
