/** The language of a file by its ending, as highlighters name it. */

const endings =
  "typescript ts tsx mts cts|javascript js jsx mjs cjs|python py|ruby rb|rust rs|go go|java java|kotlin kt|swift swift|" +
  "c c h|cpp cpp cc cxx hpp|csharp cs|php php|bash sh bash zsh|fish fish|powershell ps1|sql sql|html html htm|css css|" +
  "scss scss|sass sass|less less|json json|yaml yaml yml|toml toml|xml xml|markdown md markdown|dockerfile dockerfile|" +
  "makefile makefile|cmake cmake|lua lua|perl perl|r r|scala scala|clojure clj|elixir ex exs|erlang erl|haskell hs|" +
  "ocaml ml|vim vim|graphql graphql|protobuf proto|hcl tf hcl"

const languages = new Map(
  endings.split("|").flatMap((line) => {
    const [language = "", ...names] = line.split(" ")
    return names.map((name) => [name, language] as const)
  })
)

export const getLanguageFromPath = (path: string): string | undefined =>
  languages.get(path.slice(Math.max(path.lastIndexOf("."), path.lastIndexOf("/")) + 1).toLowerCase())
