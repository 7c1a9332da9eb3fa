/** Describes an HTML error page, as proxies and wrong addresses answer with, in a few words. */
import * as Text from "../../../../domain/Text.ts"

const entities = new Map([
  ["&nbsp;", " "],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&#39;", "'"],
  ["&amp;", "&"]
])

export const isPage = (text: string, contentType: string): boolean =>
  /^\s*(<!doctype html|<html|<head|<body)/i.test(text) || contentType.toLowerCase().startsWith("text/html")

const plain = (html: string) =>
  html
    .replaceAll(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, " ")
    .replaceAll(/<[^>]*>?/g, " ")
    .replaceAll(/&[a-z#0-9]+;/gi, (entity) => entities.get(entity.toLowerCase()) ?? " ")
    .replaceAll(/\s+/g, " ")
    .trim()

/** The title, else the first words of the page. */
export const summary = (html: string, maxLength = 120): string => {
  const title = /<title[^>]*>([\s\S]*?)<\/title/i.exec(html)?.[1]
  const words = plain(title === undefined || title.trim() === "" ? html : title)
  return Text.fit(words, maxLength)
}
