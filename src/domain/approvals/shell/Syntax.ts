/** What a parser of the shell finds in a line. The parser itself is a package, so it stands in layers. */

/** A reason why nobody can say what a line does. No `*` rule allows such a line. */
export type UnknownKind =
  | "parse_error"
  | "too_long"
  | "nesting"
  | "control"
  | "heredoc"
  | "empty"
  | "dynamic_command"
  | "substitution"
  | "assignment"
  | "redirection"
  | "function"
  | "wrapper"
  | "find_action"
  | "inline_code"
  | "no_script"
  | "runs_code"

export interface Unknown {
  readonly kind: UnknownKind
  /** The piece of the line, or what is wrong with it. */
  readonly text: string
}

export interface Word {
  /** After removal of quotes; expansions stand in it as they are written. */
  readonly text: string
  /** A glob becomes names of files, what is dynamic becomes any number of any words. */
  readonly kind: "literal" | "glob" | "dynamic"
}

export interface Redirect {
  readonly target: Word
  readonly writes: boolean
}

/** A command with its words, which has none if it only assigns. */
export interface SimpleCommand {
  /** With its quotes, as it stands in the line; absent for what a wrapper runs. */
  readonly written?: string
  readonly words: ReadonlyArray<Word>
  /** As written: `A=1`. */
  readonly assignments: ReadonlyArray<string>
  /** Bodies of its heredocs and its here-strings. */
  readonly inputs: ReadonlyArray<string>
}

export interface Syntax {
  /** In lists, pipes, groups, loops, function bodies, substitutions and heredocs. */
  readonly commands: ReadonlyArray<SimpleCommand>
  /** Those that open a file, of any command or group. */
  readonly redirects: ReadonlyArray<Redirect>
  readonly unknown: ReadonlyArray<Unknown>
}

/** Never throws, whatever the text is. */
export type Parse = (text: string) => Syntax
