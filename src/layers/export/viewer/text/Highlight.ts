/** Highlights code with highlight.js, for the languages that coding agents meet. Its markup is sanitised before use. */
import DOMPurify from "dompurify"
import core from "highlight.js/lib/core"
import bash from "highlight.js/lib/languages/bash"
import c from "highlight.js/lib/languages/c"
import cmake from "highlight.js/lib/languages/cmake"
import cpp from "highlight.js/lib/languages/cpp"
import csharp from "highlight.js/lib/languages/csharp"
import css from "highlight.js/lib/languages/css"
import dart from "highlight.js/lib/languages/dart"
import diff from "highlight.js/lib/languages/diff"
import dockerfile from "highlight.js/lib/languages/dockerfile"
import elixir from "highlight.js/lib/languages/elixir"
import go from "highlight.js/lib/languages/go"
import graphql from "highlight.js/lib/languages/graphql"
import haskell from "highlight.js/lib/languages/haskell"
import ini from "highlight.js/lib/languages/ini"
import java from "highlight.js/lib/languages/java"
import javascript from "highlight.js/lib/languages/javascript"
import json from "highlight.js/lib/languages/json"
import kotlin from "highlight.js/lib/languages/kotlin"
import lua from "highlight.js/lib/languages/lua"
import makefile from "highlight.js/lib/languages/makefile"
import markdown from "highlight.js/lib/languages/markdown"
import nix from "highlight.js/lib/languages/nix"
import php from "highlight.js/lib/languages/php"
import powershell from "highlight.js/lib/languages/powershell"
import protobuf from "highlight.js/lib/languages/protobuf"
import python from "highlight.js/lib/languages/python"
import ruby from "highlight.js/lib/languages/ruby"
import rust from "highlight.js/lib/languages/rust"
import scala from "highlight.js/lib/languages/scala"
import scss from "highlight.js/lib/languages/scss"
import sql from "highlight.js/lib/languages/sql"
import swift from "highlight.js/lib/languages/swift"
import typescript from "highlight.js/lib/languages/typescript"
import xml from "highlight.js/lib/languages/xml"
import yaml from "highlight.js/lib/languages/yaml"
import { attempt } from "./Json.ts"

const languages = {
  bash,
  c,
  cmake,
  cpp,
  csharp,
  css,
  dart,
  diff,
  dockerfile,
  elixir,
  go,
  graphql,
  haskell,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  makefile,
  markdown,
  nix,
  php,
  powershell,
  protobuf,
  python,
  ruby,
  rust,
  scala,
  scss,
  sql,
  swift,
  typescript,
  xml,
  yaml
}
for (const [name, grammar] of Object.entries(languages)) core.registerLanguage(name, grammar)

/** Longer texts are not highlighted, because that takes too long. */
const mostCharacters = 60_000

const whole: Readonly<Record<string, string>> = {
  dockerfile: "dockerfile",
  makefile: "makefile",
  "cmakelists.txt": "cmake"
}

/** Undefined if no language is known for the file. */
export const languageOf = (path: string): string | undefined => {
  const name = (path.split(/[\\/]/).at(-1) ?? "").toLowerCase()
  const wanted = whole[name] ?? name.split(".").at(-1) ?? ""
  return core.getLanguage(wanted) === undefined ? undefined : wanted
}

export const highlight = (code: string, language: string | undefined): Node => {
  const plain = () => document.createTextNode(code)
  if (language === undefined || code.length > mostCharacters || core.getLanguage(language) === undefined) return plain()
  return attempt(() => {
    const { value } = core.highlight(code, { language, ignoreIllegals: true })
    return DOMPurify.sanitize(value, { ALLOWED_TAGS: ["span"], ALLOWED_ATTR: ["class"], RETURN_DOM_FRAGMENT: true })
  }, plain)
}
