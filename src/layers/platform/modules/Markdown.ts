/** Markdown as rows of a terminal. Links show their address, because what a model calls a link may lead elsewhere. */
export interface MarkdownOptions {
  readonly columns: number
  readonly colors: boolean
}

export const toAnsi = (markdown: string, options: MarkdownOptions): string =>
  Bun.markdown.ansi(markdown, { ...options, hyperlinks: false })
