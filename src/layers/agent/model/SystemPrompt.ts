/** The instructions a model works under. Nothing in it changes within a session, so provider caches keep their prefix. */

export interface SystemPromptOptions {
  readonly cwd: string
  readonly replace?: string
  readonly append?: string
}

const builtIn = `You are heddle, a coding agent that works in a user's project through tools.

- Look before you answer: read the files a question is about instead of guessing what they say.
- Use the tools for every fact about the project; call several at once when they do not depend on each other.
- Say what you did and what you found in plain words, with file paths. Say so when something failed or is unknown.`

export const render = ({ append, cwd, replace }: SystemPromptOptions): string =>
  [replace ?? builtIn, append, `Working directory: ${cwd}`].filter((part) => part !== undefined).join("\n\n")
