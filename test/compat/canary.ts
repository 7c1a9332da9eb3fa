/** An extension that `--more` loads behind each package: if its command is missing, the host loads no extensions. */
interface Api {
  readonly registerCommand: (name: string, command: { readonly handler: () => Promise<void> }) => void
}

export default (pi: Api) => pi.registerCommand("compat-canary", { handler: async () => {} })
