/**
 * Writes the page: the viewer, and the session as base64, which an HTML parser cannot mistake for markup. The content
 * security policy allows exactly this script and this style, and loads nothing.
 */
import * as Text from "../../../domain/Text.ts"
import * as Engine from "../../machine/engine/Engine.ts"
import * as Document from "./Document.ts"

/** Written by `npm run viewer`. */
export interface Viewer {
  readonly script: string
  readonly scriptHash: string
  readonly style: string
  readonly styleHash: string
  readonly notices: string
}

const policy = ({ scriptHash, styleHash }: Viewer) =>
  [
    "default-src 'none'",
    `script-src '${scriptHash}'`,
    `style-src '${styleHash}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types dompurify"
  ].join("; ")

export const render = (
  document: Document.Document,
  viewer: Viewer,
  mask = (text: string) => text
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(viewer)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="heddle">
<title>${Text.markup(mask(Document.titleOf(document)))}</title>
<link rel="icon" href="data:,">
<style>${viewer.style}</style>
<!--
This page holds parts of:

${viewer.notices}
-->
</head>
<body>
<noscript><p>This page shows a session with a script of its own, and scripts are switched off here. It loads nothing and sends nothing.</p></noscript>
<script type="application/json" id="session">${Engine.toBase64(new TextEncoder().encode(Document.encode(document, mask)))}</script>
<script>${viewer.script}</script>
</body>
</html>
`
